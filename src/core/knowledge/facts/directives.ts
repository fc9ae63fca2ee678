import { NEGATIVE } from './triggers';
import { lightPattern } from './lightPattern';

/** A part of a rule that says by itself what is to be done, or what is not. */
export interface Directive {
  readonly text: string;
  readonly isNegative: boolean;
  /** Is said to give way to the rest: `instead of 6 minutes`. */
  readonly isRejected?: boolean;
  /** What it is about stands before it: `doing that`. */
  readonly isAnaphoric: boolean;
}

/** How people speak of what was before, or of why: no part of what is to hold. */
const BACKGROUND =
  /\b(?:I know|I realize|I understand|I mentioned|I(?:['’]ve| have) (?:said|told|mentioned|asked)|I (?:said|told|asked|don['’]t expect)|we(?:['’]ve| have)? (?:discussed|talked|agreed|initially|originally|previously|used to|had)|you(?:['’]ve| have) been|we(?:['’]ve| have) been|used to|so far|until now|up to now|previously|initially|originally|before|earlier|in the past|traditionally|typically|usually|while|although|though|despite)\b|раньше|прежде|до сих пор|хотя|früher|bisher|zwar|obwohl|bislang|avant|jusqu|auparavant|bien que|antes|hasta ahora|aunque|以前|之前|原来|虽然|これまで|今まで|سابقا|حتى الآن|رغم/iu;
const TURN = lightPattern(
  /(?:[,;.—–-]|(?<!\s))\s+(?:but|however|yet|но|однако|aber|doch|jedoch|mais|cependant|pero|sin embargo|لكن)(?![\p{L}\p{N}])[,:]?\s*|[，,]?(?:但是?|不过|しかし)[，,、]?|が、/iu,
);
const LEAD_IN =
  /^\W*(?:although|though|even though|while|whereas|since|given(?: that)?|as you know|because|considering|despite|now that|to (?:ensure|improve|keep|help|make|avoid)|for (?:added|better|improved|extra|more)|хотя|поскольку|так как|da|weil|obwohl|puisque|comme|bien que|como|ya que|aunque)\s[^,]{3,160},\s+/iu;
/** What follows tells why, or what it is good for. */
const WHY = lightPattern(
  /(?:,\s*(?:so|as) (?:we|you|it|they|this|that)\b|(?:[,;—–]\s*|\s)(?:because|since|so that|which|(?<!\b(?:you|us|everyone|need|want|have|sure|like|try|aim|is|was) )to (?:ensure|help|keep things|maintain|improve|prevent|distinguish|enhance|streamline|avoid|make it|make things|facilitate)|in order to|that way|this (?:will|helps|way|ensures)|потому что|так как|чтобы|поскольку|weil|damit|parce que?|afin|pour que|para que|ya que|لأن)(?!\p{L})).*$|(?:因为|以便|ので).*$/isu,
);
/** Names what something is done instead of. */
const INSTEAD = lightPattern(
  /(?:,\s*)?(?<!\p{L})(?:instead of|rather than|as opposed to|in place of|in lieu of|вместо|anstatt|anstelle von|statt|au lieu (?:de|d['’]|du)|plutôt que|en lugar de|en vez de|بدلا من|بدلاً من)\s*((?:[^\s,.;]+\s?){1,6}?)(?=\s*(?:[,.;!]|$|(?<!\p{L})(?:for|when|in|from now|going|moving|as|to|für|pour|para|для)(?!\p{L})))|(?:而不是|而非)([^，。,.]{1,20})|([^\s、。]{1,20})\s?(?:ではなく|の代わりに)/iu,
);
/** Says of something that it is over: `…, yarn is gone`. */
const OVER =
  /(?:^|[,;:—–]|\b(?:and|as|since|because|but)\b)\s{0,20}((?:the )?[^\s,.;]{1,200}(?: [^\s,.;]{1,200})?) (?:is|are) (?:gone|out\b|history|dead|deprecated|retired|dropped|no longer (?:used|an option|needed|supported))/i;
/** Says itself what it takes the place of. */
const TAKES_PLACE =
  /[.;,:]?\s{0,20}\b(?:(?:and |so )?(?:this|that|it|which) )?(?:replaces|supersedes|overrides|takes the place of)\s{1,20}((?:[^\s,.;]{1,80}\s?){1,8})|[.;,:]?\s{0,20}(?:dies|das) ersetzt\s{1,20}((?:[^\s,.;]{1,80}\s?){1,8})|[.;,:]?\s{0,20}это заменяет\s{1,20}((?:[^\s,.;]{1,80}\s?){1,8})/iu;
/** `every 10 minutes (not 6)`. */
const ASIDE = /\s{0,20}\((?:and )?(?:not|no longer|nicht|не|pas|no)\s{1,20}([^()]{1,40})\)/iu;
const MOVED_FROM =
  /\b(?:switch|mov|migrat|transition|chang|convert)(?:e|es|ed|ing)?\s+(?!forward)(?:[^\s,.;]+\s+){0,3}?from\s+(?:using\s+)?((?:[^\s,.;]+\s+){1,4}?)(?=to\b)/i;
const PARTS =
  /(?:,|;|\s[—–-]|\s{1,20}(?:and|but|и|а|но|und|sondern|et|mais|y|sino|pero))\s{1,20}(?=(?:please |also |to |then |instead,? |rather |bitte |пожалуйста )?(?:avoid|never|do not|don['’]t|stop|refrain|no longer|skip|not to|always|only|use\b|using\b|start|write|keep|put|prefer|go with|stick|не |никогда|всегда|используй|nie|immer|nutze|verwende|ne |n['’]|jamais|toujours|utilise|no |nunca|siempre|usa))|[，,、](?=(?:不要|别|请|請|用|改用|使用|总是|始终))/iu;

/** Negations that deny nothing: `don't forget to`, `no more than three`. */
const AFFIRMING = lightPattern(
  /\b(?:never|do not|don['’]t|must not|not to|without|not)\s+(?:ever\s+|\p{L}+ly\s+)?(?:forget(?:ting)?|skip(?:ping)?|omit(?:ting)?|miss(?:ing)?|leav(?:e|ing) out|fail(?:ing)?|neglect(?:ing)?|hesitate|avoid(?:ing)?|without)\b|\b(?:no|not) (?:more|less|fewer|later|earlier|longer) than\b|\bnot only\b|\bno matter\b|\bwhy (?:don['’]t|not)\b|не забывай(?:те)?|не забудь(?:те)?|не только|vergiss nicht|nicht vergessen|nicht nur|n['’]oublie[rz]? pas|no olvides|no sólo|别忘|不要忘|忘れないで|忘れずに|لا تنس/giu,
);
const DENIES = lightPattern(
  /(?<![\p{L}])(?:refrain\w{0,40}|skip(?:ping)?|scrap(?:ping)?|retire|bother|(?:did|would|should|must|need|is|are|was|were)n['’]t|rather not|lift(?:ing)?|leav(?:e|ing) (?:[^\s,.]{1,80} ){0,3}out|no more (?!than)\p{L}{1,40}|chang\w{1,40} (?:my|our) minds? (?:about|on)|cease|discontinu\w{1,40}|quit|ditch(?:ing)?|abandon\w{0,40}|drop(?:ping)?|get(?:ting)? rid of|do away with|phase out|no need|need not|needn['’]t|(?:don['’]t|do not|doesn['’]t|won['’]t) (?:need|have|require)|not (?:necessary|required|needed|allowed|permitted)|unnecessary|discourag\w{1,40}|forbid\w{0,40}|prohibit\w{0,40}|disallow\w{0,40}|banned|off[- ]limits|forget(?! to| that)|steer clear|stay away|против|перестан\p{L}{0,40}|хватит|прекрат\p{L}{0,40}|больше не|не нужно|не надо|не стоит|избегай\p{L}{0,40}|hör\p{L}{0,40} auf|verzichte\p{L}{0,40}|vermeide\p{L}{0,40}|arrête\p{L}{0,40}|cesse\p{L}{0,40}|évite\p{L}{0,40}|plus besoin|deja de|evita\p{L}{0,40}|ya no|توقف|لم يعد|لا حاجة)(?![\p{L}])|不用(?!说)|不需要|不必|停止|必要(?:は)?ない|必要はありません|やめて|なくていい/iu,
);

/** What a rule says, part by part: without what was before and why, and with what it turns down as a part of its own. */
export function directivesIn(content: string): Directive[] {
  const { own, background } = withoutBackground(content);
  const { text, rejected } = withoutRejected(withoutWhy(own));
  const parts = partsOf(text).map((part) => {
    const isAnaphoric = ANAPHOR.test(part);
    return { text: isAnaphoric ? `${background} ${part}` : part, isNegative: denies(part), isAnaphoric };
  });
  return [
    ...parts,
    ...rejected.map((part) => ({ text: part, isNegative: true, isRejected: true, isAnaphoric: false }) as const),
  ];
}

/** Whether a text says what is not to be done. */
export function denies(text: string): boolean {
  const plain = text.replace(AFFIRMING, ' ');
  return NEGATIVE.test(plain) || DENIES.test(plain);
}

/** Something is done in it; a part without that only says when or for what. */
const ACTS = lightPattern(
  /(?<!\p{L})(?:us(?:e|es|ed|ing)|avoid\w*|never|always|don['’]t|do not|stop\w*|refrain\w*|skip\w*|start\w*|begin\w*|end|writ\w+|keep\w*|put\w*|prefer\w*|add\w*|includ\w+|focus\w*|work\w*|run\w*|tak\w+|mak\w+|creat\w+|switch\w*|mov\w+|go\w*|do\w*|be|is|are|не|всегда|никогда|\p{L}{3,}(?:й|йте)|immer|nie|nicht|keine?\p{L}*|toujours|jamais|siempre|nunca|no)(?!\p{L})|不|别|用|要|使|てください/iu,
);

function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (const part of text.split(PARTS)) {
    const last = parts.at(-1);
    if (last !== undefined && !ACTS.test(last)) parts[parts.length - 1] = `${last}, ${part}`;
    else if (/[\p{L}\p{N}]{2}/u.test(part)) parts.push(part);
  }
  return parts;
}

/** Stands for what the background has named. */
const ANAPHOR =
  /\b(?:them|it|those|these ones|doing (?:so|that|this|it)|do (?:so|that|this|it)|that)\s*(?:$|[.!,;]|\b(?:for|in|when|from now|going|any ?more|at all)\b)/i;

/** What is to hold, apart from what was before. */
export function withoutBackground(content: string): { own: string; background: string } {
  const turn = TURN.exec(content);
  if (turn !== null) {
    const before = content.slice(0, turn.index);
    const after = content.slice(turn.index + turn[0].length);
    if (BACKGROUND.test(before) && after.length > 12) return { own: withoutBackground(after).own, background: before };
  }
  const own = content.replace(LEAD_IN, '');
  return own.length > 12 && own !== content
    ? { own, background: content.slice(0, content.length - own.length) }
    : { own: content, background: '' };
}

/** What holds all the same. */
const EVEN_IF =
  /,?\s{0,20}(?:even (?:if|though|when)|whether or not|regardless of|no matter|даже если|auch wenn|selbst wenn|même si|aunque|incluso si)\s[^,.;]{0,200}|即使[^，。]{0,200}[，]?/giu;

function withoutWhy(content: string): string {
  const rest = content.replace(EVEN_IF, '').replace(WHY, '');
  return rest.length > 16 || /[\u3040-\u9fff]/.test(rest) ? rest : content;
}

/** How something is said to give way; the first group that is there names it. */
const REJECTIONS: readonly RegExp[] = [INSTEAD, TAKES_PLACE, OVER, ASIDE, MOVED_FROM];

function withoutRejected(content: string): { text: string; rejected: string[] } {
  let text = content;
  const rejected: string[] = [];
  for (const pattern of REJECTIONS) {
    const match = pattern.exec(text);
    const named = match?.slice(1).find(Boolean);
    if (match === null || named === undefined) continue;
    rejected.push(named);
    // What is moved away from stands in the middle of what is moved to.
    const told = pattern === MOVED_FROM ? named : match[0];
    text = text.replace(told, ' ');
  }
  return { text, rejected };
}

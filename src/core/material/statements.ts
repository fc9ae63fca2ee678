import { sentencesOf } from '../text/sentences';
import { wordsOf } from '../text/words';
import type { SourceMessage } from './types';
import type { Mention } from './factTally';
import { bareText } from './saidText';

/**
 * Words by which sentences are told apart, in the languages that people work in. What stands before a cue must not be a letter;
 * languages without spaces have theirs in a pattern of their own.
 */
function cue(spaced: string, unspaced: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${spaced})|${unspaced}`, 'iu');
}

/** Matches phrases, written apart by bars, from the beginning of a word to its end; `*` stands for any ending. */
export function phrases(spaced: string, unspaced: string): RegExp {
  const alternatives = spaced
    .trim()
    .split(/(?<!\s)\s*\|\s*/)
    .map((word) => word.replace(/\s+/g, '\\s+').replace(/\*/g, '\\p{L}*'));
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}_])|${unspaced}`, 'iu');
}

/** A rule for what comes: always, never, from now on, must. */
export const RULE = cue(
  [
    "always|never|(?:do|does|did|must|should|can)(?: not|n['’]t)|must|should|make sure|ensure|from now on|remember|prefer|avoid",
    'only (?:use|do|when)|no longer|stop \\p{L}+ing|keep in mind|important|going forward|by default|at all times',
    'immer|nie|niemals|nicht|keine?[nmr]?|muss|müssen|soll|ab jetzt|ab sofort|künftig|achte|vermeide',
    "toujours|jamais|ne \\p{L}+ pas|n['’]\\p{L}+ pas|il faut|désormais|dorénavant|évite[rz]?|doit",
    "siempre|nunca|no uses|no hagas|debes?|desde ahora|a partir de ahora|evit[ae]r?|recuerda|sempre|não|a partir de agora|deve|mai|non usare|d['’]ora in poi",
    'всегда|никогда|не \\p{L}+(?:й|йте|ь|ьте)(?!\\p{L})|нельзя|долж(?:ен|на|ны|но)|нужно|надо|впредь|отныне|обязательно|запомни|только',
    'دائما|دائمًا|أبدا|أبدًا|لا ت\\p{L}+|يجب|من الآن|تجنب',
    '항상|절대|반드시|꼭|앞으로|하지 마|마세요',
  ].join('|'),
  '必须|不要|不能|不可|别(?!的)|以后|今后|永远|始终|总是|务必|禁止|只能|只用|請|记住|必ず|ないで|今後|常に|絶対|べき|覚えて|하지 ?마|지 마',
);

/** Somebody wants something to be done in a certain way, in politer words than those of {@link RULE}. */
export const REQUEST = phrases(
  `i want(?! to)|i['’]d like(?! to)|i expect|need you to|want you to|would like you to|want to (?:use|have|add|keep|make|build|start|move|switch|store|support|avoid)|be sure to|please (?:use|start|end|add|include|write|keep|ensure|follow|adopt|stop|apply|name|begin)|
  refrain|stick to|start using|stop using|begin using|switch to|mandatory|required|require*|requirement|convention|policy|guideline*|our standard|rule|we use|we're using|we are using|
  пожалуйста|используй*|предпочита*|bitte|verwende*|benutze*|por favor|usa|utiliza|veuillez|utilise*|use|استخدم|رجاء|من فضلك|해 ?주세요`,
  '请|請|ください|お願い|해\\s?주세요',
);
/** Something is settled: chosen, agreed. */
export const DECISION = cue(
  [
    'decid|decision|chose|choos|chosen|picked|(?:go|going|went) with|opt(?:ed|ing)? for|switch(?:ed|ing)? (?:to|from)',
    "settled? on|agreed?|stick(?:ing)? with|trade-?off|we(?:['’]ll| will| are going to) (?:use|keep|go|make|do|store|have)|let['’]?s (?:use|go|keep|stick|store|make|drop|do|just|switch|migrate)",
    'replac(?:e|ed|ing) \\S+ (?:with|by)|conclusion|design(?:ed)? to|the plan is|moved? (?:to|from) \\S+ to|in favou?r of',
    'entschied|entscheid|beschlossen|wir nehmen|wir verwenden|gewählt',
    'décid|décision|choisi|on utilise|on garde|remplac',
    'decid|elegi|elij|vamos a usar|optamos|escolh|vamos usar|deciso|scelt|usiamo',
    'реш(?:или|ено|ил|ила|ение|аем)|выбра(?:ли|н|л|но)|принято|договорились|остановились на|переходим на|оставляем',
    'قرر|قرار|اخترنا|اعتمدنا|سنستخدم',
    '결정|하기로|선택',
  ].join('|'),
  '决定|決定|选择|選択|改用|采用|採用|確定|决策|选用|決め|ことにし|にします|方針|결정|하기로',
);

/** One thing takes the place of another. From the human this is a request; from the assistant it is worth a reason. */
export const CONTRAST = cue(
  'instead of|rather than|stattdessen|anstatt|statt|au lieu d|plutôt que|en lugar de|en vez de|em vez de|invece di|вместо|بدلا من|بدلاً من',
  '而不是|改为|改成|ではなく|代わりに|대신',
);

/** Why something is as it is: a cause that was found, a reason that was given. */
export const REASON = cue(
  [
    'because|root cause|(?:the|real|actual|main) (?:problem|issue|bug|cause|reason|culprit|fix|solution) (?:is|was|here)|turns? out|turned out|due to|caused by',
    "fixed by|that['’]s why|which is why|so that|the reason|this means|weil|ursache|grund|wegen|liegt daran|behoben",
    'parce qu|à cause|la cause|corrigé|porque|la causa|debido|solucion|corrigid|perché|risolto',
    'потому что|причин|из-за|поэтому|исправлен|исправил|оказалось',
    'لأن|السبب|بسبب|تم إصلاح|때문|원인|수정했',
  ].join('|'),
  '因为|因為|原因|由于|由於|所以|根因|ため|なぜなら|修正し|のせい|때문|원인',
);

/** Says what will be done next: it has been done by the time that anybody reads it. */
export const ANNOUNCEMENT =
  /^(?:(?:now|next|first|then|ok|okay|great|perfect|good)[,!.:]?\s+)*(?:let me|let[’']?s|i[’']ll|i will|i[’']m going to|i am going to|сейчас|теперь я|давай(?:те)?|lass mich|ich werde|je vais|voy a|vou|让我|我来|では|それでは|سأ)/iu;

/** Thanks, greets, praises, consents. */
const COURTESY =
  /^(?:(?:hi|hey|hello|good (?:morning|afternoon|evening|day|job|work|question|to hear|point|idea)|thank(?:s| you)|thanks|you're (?:very )?welcome|you’re (?:very )?welcome|no problem|great(?: question| job| work| idea| to| catch| point)?|you're (?:absolutely |totally |completely )?right|you’re (?:absolutely |totally )?right|perfect|excellent|wonderful|fantastic|awesome|nice|sounds (?:good|great)|absolutely|exactly|of course|certainly|sure|understood|got it|noted|okay|ok|alright|yes|indeed|keep up|don't hesitate|don’t hesitate|feel free|i'm glad|i’m glad|glad|i appreciate|i'm here|i’m here|have a (?:great|good|nice)|see you|how are you|i'm doing|i’m doing|i'm (?:great|good|fine)|that's (?:great|what|perfect|good|wonderful)|that’s (?:great|what|perfect|good|wonderful)|it's great|it’s great|let me know if)(?!\p{L})|(?:привет|спасибо|здравствуйте|пожалуйста|отлично|хорошо|понял|поняла|ок|да)(?!\p{L})|(?:hallo|danke|gut|gerne|hola|gracias|de acuerdo|bonjour|merci|d'accord|olá|obrigad[oa]|شكرا|مرحبا|حسنا)(?!\p{L})|好的|谢谢|你好|明白|收到|已记录|ありがとう|了解(?:です|しました)?|承知|かしこまりました|記録しました|はい|감사|네[,. ])/iu;
const LONGEST_AFTER_COURTESY = 30;

/** What a sentence says after a courtesy that it begins with. */
export function withoutCourtesy(sentence: string): string {
  return sentence.slice(COURTESY.exec(sentence)?.[0].length ?? 0);
}

/** Whether a sentence is a courtesy, and hardly anything else. */
export function isCourtesy(sentence: string): boolean {
  const rest = withoutCourtesy(sentence);
  return rest !== sentence && rest.length < LONGEST_AFTER_COURTESY;
}

/** A question asks for an answer once; it is no rule. */
export const QUESTION = /[?？؟]["')\]*_»”」]*$/;

/** So many sentences of one message count in full; a pasted document counts as much, and not more because it is long. */
const FULL_SENTENCES = 12;
/** Less is an acknowledgement: `yes, please`. */
const MIN_CONTENT = 2;
/** Less is a log, a table or a formula. */
const MIN_LETTERS = 0.6;
/** Programs begin their lines with a time, a prompt or an arrow, and people do not. */
const PROGRAM_LINE =
  /^(?:\[?\d{1,4}[-:./]\d\d[-:./]\d\d|[➜❯$%>~]\s|\w{1,200}@\w|\[\w{1,200}\]\s|(?:GET|POST|PUT|DELETE|HEAD) \S{0,200}\/)|\\n\s|<\/?\w{1,200}[^>]{0,200}>.{0,200}<\/?\w/;

const weights = { rule: 2, decision: 2, request: 1, question: 0.6, finding: 1, choice: 1.5 } as const;

/** What a message's sentences ask for or settle: the human's are instructions unless they decide something, of the assistant's only decisions and reasons count. */
export function statementsOf(message: SourceMessage): Mention[] {
  const said = message.texts.map(({ text }) => ({ text: bareText(text), isHuman: message.role === 'user' }));
  const mentions = said.flatMap(({ text, isHuman }) =>
    sentencesOf(text).flatMap((sentence) => statementIn(sentence, isHuman)),
  );
  const share = Math.min(1, FULL_SENTENCES / Math.max(1, mentions.length));
  return mentions.map((mention) => ({ ...mention, weight: mention.weight * share }));
}

function statementIn(sentence: string, isHuman: boolean): Mention[] {
  if (!isProse(sentence)) return [];
  const found = isHuman ? humanStatement(sentence) : assistantStatement(sentence);
  if (found === undefined) return [];
  const words = wordsOf(sentence).filter(({ weight }) => weight > 0);
  const isRule = found.weight === weights.rule;
  if (words.reduce((sum, { weight }) => sum + weight, 0) < (isRule ? 1 : MIN_CONTENT)) return [];
  return [{ ...found, key: words.map(({ stem }) => stem).join(' '), text: sentence }];
}

type Statement = Pick<Mention, 'kind' | 'weight'>;

function humanStatement(sentence: string): Statement {
  if (QUESTION.test(sentence)) return { kind: 'instruction', weight: weights.question };
  if (DECISION.test(sentence)) return { kind: 'decision', weight: weights.decision };
  return { kind: 'instruction', weight: RULE.test(sentence) ? weights.rule : weights.request };
}

function assistantStatement(sentence: string): Statement | undefined {
  if (QUESTION.test(sentence) || ANNOUNCEMENT.test(sentence)) return undefined;
  if (DECISION.test(sentence)) return { kind: 'decision', weight: weights.choice };
  return REASON.test(sentence) || CONTRAST.test(sentence) ? { kind: 'decision', weight: weights.finding } : undefined;
}

/** Somebody's words, rather than a log, a table or a formula. */
export function isProse(sentence: string): boolean {
  if (PROGRAM_LINE.test(sentence)) return false;
  const letters = sentence.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const signs = sentence.match(/\S/gu)?.length ?? 0;
  return letters >= MIN_LETTERS * signs;
}

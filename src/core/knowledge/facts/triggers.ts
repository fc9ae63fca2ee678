import { Cue, lightPattern } from './lightPattern';

/**
 * Words by which people lay down what is to hold from now on, as against what they want done once. What stands before a word must not be
 * a letter; languages without spaces have theirs in a pattern of their own.
 */
function cue(spaced: string, unspaced = '(?!)'): Cue {
  return new Cue(`(?<![\\p{L}\\p{N}_])(?:${spaced})(?![\\p{L}\\p{N}_])|${unspaced}`);
}

/** Said in so many words: remember this, from now on, always, never. */
export const STANDING = cue(
  [
    'remember (?:that|to|this|not|we|never|always)|remember:|always|never|from now on|from here on|going forward|moving forward|in (?:the )?future|henceforth',
    "at all times|every time|whenever you|as a rule|no longer|not anymore|under no circumstances|make it a habit|keep in mind that|(?:do not|don['’]t) ever",
    'immer|nie|niemals|ab jetzt|ab sofort|künftig|in Zukunft|merk dir|grundsätzlich|nicht mehr',
    "toujours|jamais|désormais|dorénavant|à partir de maintenant|à l['’]avenir|retiens|souviens-toi",
    'siempre|nunca|jamás|de ahora en adelante|a partir de ahora|desde ahora|en adelante|recuerda',
    'всегда|никогда|впредь|отныне|с этого момента|с этого дня|запомни|больше не|нельзя',
    'دائما|دائمًا|أبدا|أبدًا|من الآن|من الآن فصاعدا|تذكر|مستقبلا',
  ].join('|'),
  '始终|总是|永远|以后|今后|从现在起|从现在开始|记住|务必|一律|今後|常に|必ず|いつも|絶対に|これからは|覚えて|以後',
);

/** An imperative that forbids; it opens the sentence or a part of it. */
export const PROHIBITION = new Cue(
  [
    "(?:^|[,;:—–-]\\s+|\\b(?:and|but|so|please|also)\\s+)(?:please\\s+)?(?:(?:do not|don['’]t|dont|must not|mustn['’]t)\\s+(?!hesitate|worry|be\\b|shy|forget|think|know|see|want|like|need|believe|mind|have|understand|get\\b|find|remember|care|feel|rush|stress|expect|let\\b|give up|underestimate|take)\\p{L}+|avoid (?:using|adding|writing|\\p{L}+ing)|stop \\p{L}+ing)",
    "\\b(?:avoid|refrain from|stop|(?:importance of|preference for) not) (?:using|adding|writing|committing|relying)\\b|\\bwe (?:do not|don['’]t|no longer|avoid)\\s+(?:us(?:e|ing)|writ(?:e|ing)|commit\\w*|push\\w*|add(?:ing)?)\\b|\\bforget about using\\b",
    '(?:^|[,;:—–]\\s+|(?<!\\p{L})(?:и|но|пожалуйста)\\s+)не \\p{L}+(?:уй|яй|ай|ей|ой|ись|и|ь)(?:те)?(?!\\p{L})',
    '(?:^|[,;:—–]\\s+)(?:bitte )?(?:verwende|benutze|nutze|schreib|ändere|lösche|füge|fass|mach|committe)\\p{L}{0,40}\\s.{0,200}(?<!\\p{L})(?:nicht|keine?[nmrs]?)(?!\\p{L})',
    "(?:^|[,;:—–]\\s+)(?:s['’]il te plaît,? )?(?:n['’]\\p{L}+|ne \\p{L}+(?:e|es|ez|er|s)) (?:pas|plus|jamais)",
    '(?:^|[,;:—–]\\s+)(?:por favor,? )?no (?:uses?|usar|utilices?|añadas|modifiques|cambies|toques|hagas|escribas|borres|pongas)(?!\\p{L})',
    '(?:^|[,;:،]\\s*|\\s)(?:لا ت\\p{L}+|تجنب)',
    '不要|别(?!的|人|处)|不准|不得|请勿|禁止|ないでください|ないで(?:。|$)|しないこと|使わない',
  ].join('|'),
);

/** One thing rather than another. */
export const PREFERENCE = cue(
  [
    "we (?:primarily|mainly|generally|usually|now|currently|exclusively|only|all) us(?:e|ing)|(?:transition|switch|move|migrate)(?:ing)? (?:over )?to (?:using )?(?:the |a )?[\\p{L}\\p{N}]{1,60} (?:as|for|from|instead)|start(?:ed)? (?:using|utilizing|incorporating)|recommend (?:that )?(?:you|we|everyone) (?:use|avoid|start|stop|switch)|(?:thing|practice|habit) (?:that )?I (?:want|need|would like) you to (?:avoid|stop|adopt)|only (?:when (?:necessary|needed|asked)|if)|(?:I|we)(?:['’]d| would)?(?: also)? (?:want|like|need|ask) (?:you|us|everyone|our team) to (?:start )?(?:us(?:e|ing)|switch(?:ing)? to|transition(?:ing)? to|adopt(?:ing)?|utiliz(?:e|ing)|rely(?:ing)? on|mov(?:e|ing) to|avoid|take)|(?:our|your|the) (?:go-to|default|preferred|primary)|prefer(?:red)?|(?:use|using) (?:[^\\s,]{1,80} ){1,4}(?:instead of|rather than|over)|only use|use only|stick (?:to|with)|, not [^\\s,]{1,80}(?=[.!]|$)",
    '(?:my|our|more|some|few|coding|working|personal|team) (?:preferences?|conventions?|ground rules)\\b[^:—–]{0,30}(?::|—|–)|how (?:i|we) (?:like|prefer|want) (?:to work|things|it|you to work)\\b[^:—–]{0,20}(?::|—|–)',
    "i (?:always|never) (?:use|run|write|want|put|add|name|commit)|only\\s{0,20}[—–,;-]{1,9}\\s{0,20}no \\p{L}{1,60}|i (?:really |strongly )?(?:do not|don['’]t) (?:like|want) (?!this|that|it|the|how|what|much|to|you|us|my)(?:\\p{L}{1,60} )?\\p{L}{1,60}s(?=\\W{0,20}$)|i (?:do not|don['’]t) want (?:an?|any) [^.]{2,40} anywhere",
    'только|verwende nur|nur (?:verwenden|benutzen)|utilise[rz]? (?:seulement|uniquement)|usa (?:solo|sólo|siempre)|استخدم .{1,200} بدلا',
  ].join('|'),
  '请用|請用|只用|只能用|を使ってください|を使うこと',
);

/** Wishes for what people are to do, or not to do, as a habit. */
const HABIT = cue(
  [
    "(?:I|we)(?:['’](?:d|m|re|ve)| would| am| are| have)?(?: (?:also|really|strongly|highly|now|just|kindly))*(?: (?:want|like|love|need|prefer|expect|ask|asking|urge|encourage|advise|recommend|require|requiring)(?:ing)?)(?: to (?:encourage|ask|urge|recommend|see))?(?: that)?(?: (?:you|everyone|everybody|us|our \\p{L}+|all (?:of )?\\p{L}+(?: \\p{L}+)?|the team|engineers|developers|employees))(?: all)?(?: to)?(?: please)? (?:(?:start|begin|continue|keep|get into the habit of|make it a habit to|focus on) (?!by |with |there|familiari|explor|pay|engag|think|practic|implementing (?:the|a|an|this|that) )\\p{L}+(?:ing|e|t)|stop|cease|quit|adopt|incorporat\\p{L}+|switch|transition|migrat\\p{L}+|mov(?:e|ing) (?:over )?to|us(?:e|ing)|aim for|rely|refrain|avoid|stick (?:to|with)|always|never)",
    '(?:strongly |highly |really )?(?:recommend|suggest|advise|encourage) (?:giving \\p{L}+ a (?:try|go|chance)|using|switching|moving to|adopting|avoiding|against|that (?:you|we) (?:use|switch|adopt|start using|stop|avoid))',
    "it(?:['’]s|['’]d| is| would be| will be| might be| may be| could be)(?: \\p{L}+ly| much| more| be)* (?:best|better|beneficial|ideal|wise|preferable|efficient)(?: for (?:you|us|everyone|our team|the team))? (?:if (?:you|we|everyone|the team)|to (?:start|stop|switch|adopt|incorporate|implement|introduce|use))",
    '(?:crucial|essential|imperative|mandatory|important|vital) that (?:you|we|everyone|engineers|developers)(?: all)? (?:use|avoid|refrain|never|always|start using|stop|switch)',
    "(?:I|we) (?:believe|think|feel) (?:(?:that )?it['’]?s time (?:that )?(?:we|you|for us|for you|to)(?: to)? (?:start(?:ed)?|stop(?:ped)?|switch|us|mov|adopt|shift|transition)\\p{L}* (?:using|to|from|utilizing|writing|adding)|using .{3,60} is (?:essential|crucial|important|best|the best|better))",
    "(?:we(?:['’]ve| have)?|the (?:team|company)(?: has)?) (?:decided|agreed|chosen|opted|settled|elected) (?:to (?:use|stop|start|switch|mov|transition|standardiz|drop|go|adopt|migrat|replac|stick|keep|avoid|abandon)\\p{L}*|on \\p{L}|against)|we(?:['’]ve| have)?(?: now| all)? (?:moved|switched|migrated|transitioned|changed)(?: over)? to|we(?:['’]re| are| will be|['’]ll be)(?: now| all)? (?:requir|switch|mov|transition|migrat|replac|dropp|phas|retir|deprecat)ing|we now require|(?:is|are) (?:now )?(?:required|deprecated|retired|discontinued|no longer (?:needed|necessary|required|used|allowed))",
    'is (?:now )?(?:our|the) (?:new )?(?:standard|default|official|preferred|go-to|primary|main|tool of choice)',
    'хочу,? чтобы (?:ты|вы|мы)|давай(?:те)? (?:теперь|использовать|перейд)|переходим на|лучше (?:использ|пиш|дел)|(?:решили|договорились) ',
    'ich möchte,? dass (?:du|ihr|wir)|wir (?:nutzen|verwenden|benutzen|wechseln|steigen) (?:jetzt|ab|nun|künftig|auf)|hör auf',
    "je (?:veux|voudrais|souhaite) que (?:tu|vous|nous|l['’]on)|on (?:utilise|passe à|n['’]utilise plus)|arrête[sz]? de",
    'quiero que (?:uses|escribas|dejes|sigas|empieces|pongas)|(?:vamos a|pasamos a) usar|deja de|es mejor (?:que )?us',
    'أريد(?: منك)? أن|توقف عن',
  ].join('|'),
  '我希望你|我想让你|改用|改成用|最好用|てほしい|ようにして|ことにします|やめて',
);

/** Lifts what was laid down before; where nothing was, it is said of one time alone. */
export const RELEASE = cue(
  [
    "it(?:['’]s| is) (?:now )?(?:fine|ok|okay|all ?right|allowed|acceptable) (?:now )?to|no more \\p{L}+",
    "(?:you|we) (?:can|may|should)(?: now| just| safely)? (?:skip|omit|leave out|do without|dispense with|forget about|get rid of|stop)|(?:there['’]?s |there is )?no need (?:to (?:use|write|add|include|run|follow|start|end)|for)|(?:you|we) (?:do not|don['’]t|won['’]t|no longer|needn['’]t) (?:need|have)(?: to)? (?:use|add|write|include|run|set up|start|end|follow|create)",
    'можно (?:больше )?не|(?:больше )?не (?:нужно|надо)|(?:du brauchst|man braucht|wir brauchen)(?: jetzt)? (?:kein|nicht)',
    'plus besoin|tu peux (?:laisser tomber|te passer|ignorer)|(?:ya )?no hace falta|لا داعي|لا حاجة|لم يعد',
  ].join('|'),
  '不用再|不需要再|可以跳过|必要はない|必要はありません',
);

/** Holds for a while, and is no rule for ever: it only takes one back. */
export const FOR_A_WHILE = cue(
  "for now|for the time being|for the moment|until further notice|пока(?: что)?|vorerst|pour l['’]instant|por ahora",
  '暂时|とりあえず|当面',
);

/** Somebody is spoken to, as against a document that says how things are. */
export const ADDRESSES = cue(
  "i|i['’](?:d|m|ll|ve)|we|we['’](?:re|ll|ve)|you|please|our|my|let['’]?s|(?:do not|don['’]t|from now on|remember)|мы|я|ты|вы|ich|wir|du|je|nous|tu|vous|yo|nosotros|tú",
  '我|你|请|私|ください|(?:^\\W*(?:never|always|use|avoid|only)\\s)',
);

/** A wish that is put as a question, and is to hold for more than once: `could you stop adding comments?`. */
export const ASKS = cue(
  '(?:can|could|would|will) (?:you|we)(?: please| kindly| also| from now on| in (?:the )?future)*,? (?:always|never|stop|avoid|no longer|only|remember|not \\p{L}+|(?:make|be) sure|ensure|start (?:using|adding|writing|naming))',
);

/** An order; it is a rule only where there was one. */
const ORDER =
  /^\W*(?:please |now |then |just |so |ok,? |okay,? )*(?:use|take|prefer|run|write|name|put|keep|answer|reply|indent|format|leave|stop|call|target|make it)\b/i;

/** How people say that something is otherwise now, without any word that would make a rule by itself. */
const SHIFT = cue(
  [
    "let['’]?s (?:not |no longer |now |just |rather |please )?(?:us|switch|mov|go|try|tak|do|drop|stop|skip|ditch|get rid|remov|replac|chang|keep|adopt|stick|start|mak|bring|leav|writ|put|run|have|aim)\\p{L}*",
    "(?:we|i)(?:['’](?:ll|re|m|ve|d)| will| are| am| have| now| should| can| could| may| might| want to| need to| would| like to| rather)* (?:now |just |only |all |mostly )?(?:be )?(?:us(?:e|ing)|switch\\p{L}*|mov(?:e|ing|ed)|migrat\\p{L}*|stop\\p{L}*|drop\\p{L}*|abandon\\p{L}*|adopt\\p{L}*|chang\\p{L}*|replac\\p{L}*|ditch\\p{L}*|go(?:ing)? (?:with|for|back)|start\\p{L}*|prefer|see|have)",
    '(?:you|we|engineers|everyone|everybody|developers|the team) (?:can|may|should|must|need to|have to|ought to|(?:are|is) (?:allowed|free|welcome|required|expected) to)',
    "(?:is|are|['’]s|will be) (?:now |again |perfectly |totally |also |just |all )*(?:fine|ok|okay|allowed|permitted|optional|required|mandatory|forbidden|banned|acceptable|off the table|out|gone|history|deprecated|retired|obsolete|the (?:new|one|way)|our new|on again|back)",
    "scrap|forget|drop|ditch|skip|abandon|retire|undo|revert|lift|bring back|go back to|switch|migrate|swap|feel free|no more|no need|not needed|any ?more|instead|henceforth|these days|effective (?:immediately|today)|as of (?:now|today)|starting (?:now|today|tomorrow|next)|from today|after all|replaces?|now(?:,? please)?[.!]*$|(?:is|are|need|needs|have|has)(?: now)? to be|(?:can|may) (?:now )?be (?:up to|at most|as long|\\d)|we(?:['’]re| are) (?:now )?on|(?:is|are|get|gets|have|has|use|uses) now|changed (?:my|our) minds?|on second thought|start(?:ing)? using|refrain|rely(?:ing)? on|conducive",
    'теперь|вместо|давай(?:те)?|можно|переходим|jetzt|stattdessen|lass(?:t)? uns|wir (?:nehmen|verwenden|nutzen)|dürfen?|maintenant|à la place|finalement|on (?:passe|prend|garde)|ahora|en lugar|vamos a|mejor|الآن|بدلا',
  ].join('|'),
  '改|换成|換成|不用|可以|にします|に変え|でいい|もう',
);
/** One time, one place: nothing that was laid down is otherwise. */
const ONCE =
  /\b(?:this (?!project|repo|team|code ?base|company|is|will|was|means|helps|ensures|change|convention|rule|replaces|week|month|year|way)[a-z]+|once[.!]*$|just once|right now|temporarily|once more|for (?:this|that)|in (?:this|that) (?:file|case|test|function|script))\b/i;

/** Goes on about what was said, or says what there is besides. */
const EXPLAINS = /\b(?:still|such as|tools like|drawbacks?|helpful|by using)\b/i;

/** Says how something is otherwise now. It is a rule only where there was one on the same. */
export function isShift(sentence: string): boolean {
  return (
    !ONCE.test(sentence) &&
    !EXPLAINS.test(sentence) &&
    (NAME_PIECE.test(sentence) || ORDER.test(sentence) || SHIFT.test(sentence))
  );
}

const DIRECTIVE = cue(
  [
    "(?:please )?(?:ensure|make sure)|(?:I|we)(?:['’]d| would)?(?: also)? (?:want|like|need|expect|ask) (?:you|everyone|us|our|all)|please|must|have to|should|let['’]?s|we(?:['’](?:ll|re))?(?: will| be| are)?(?: now)? (?:us(?:e|ing)|start(?:ing)?|requir(?:e|ing)|adopt(?:ing)?|switch(?:ing)?|mov(?:e|ing)|standardiz(?:e|ing)|implement(?:ing)?|follow(?:ing)?)",
    "(?:is|are) (?:now )?(?:required|mandatory)|it[’']?s (?:important|essential|crucial) (?:to|that)|you(?:[’']ll| will)? (?:need|have) to|be sure to|remember to|importance of|imperative|crucial that|essential that|(?:strongly|highly) recommend",
  ].join('|'),
);
/** What is done to names and code: with these, a wish is a form to be followed. */
const FORM = cue(
  'start(?:ing)?|begin(?:ning)?|end(?:ing)?|prefix(?:ed)?|suffix(?:ed)?|includ(?:e|es|ing)|contain(?:s|ing)?|us(?:e|es|ing)|add(?:ing)?|import(?:ing)?|appl(?:y|ying)|decorat(?:e|ing)|annotat(?:e|ing)|nam(?:e|ing)|wrap(?:ping)?|writ(?:e|ing)|follow|adopt|append(?:ing)?|have',
);
/** What holds for more than one thing. */
const GENERAL = cue(
  [
    '(?:function|method|class|variable|attribute|argument|parameter|file|branch|test)s?(?: argument)? names?|names|docstrings?|annotations?|type hints?|commit messages?|decorators?|comments',
    'all (?:of )?(?:your |our |the |new )?(?:\\p{L}+ )?\\p{L}+s|every \\p{L}+|each \\p{L}+|any new \\p{L}+|whenever|when (?:you|writing|naming|creating|defining|coding)|functions|methods|classes|variables|attributes|arguments|modules?|as (?:your|our|the) (?:\\p{L}+ ){0,2}\\p{L}+|for (?:all |your |our )+\\p{L}+',
  ].join('|'),
);
/** A value in quotation marks that is a piece of a name, or a name of code. */
const CODE_VALUE = /['"`‘“](?:@?[\p{L}\p{N}.]+_|_[\p{L}\p{N}.]+|@[\p{L}_.]+|[a-z][a-z\d_]{1,15})['"`’”]/u;
/** A value in quotation marks that begins or ends names. */
const NAME_PIECE = /['"`‘“«「„](?:[A-Za-z0-9]+_|_[A-Za-z0-9]+)['"`”’»」]/u;

/** States how something is to be, even without a word that would make a rule of it. */
export function isLaidDown(sentence: string): boolean {
  return CODE_VALUE.test(sentence) || NAME_PIECE.test(sentence) || isShift(sentence) || isConvention(sentence);
}

/** `For class names, include a digit`, `Add it to all functions`. */
const FOR_ALL = lightPattern(
  /^(?:\W{0,200}\p{L}{1,200}[,:]?\s)?(?:for|when|whenever)\s[^,]{3,60},\s(?:please\s|always\s|I(?:['’]d like| want) you to\s)?(?:start|end|begin|include|use|add|import|apply|prefix|suffix|append|write|name|keep|put|wrap)\b|^(?:please\s)?(?:add|use|include|apply|import|put|keep|wrap|write|name)\b.{0,200}\b(?:to|in|for|on)\s(?:all|every|each)\b/iu,
);
const EMPHASIS =
  /\b(?:importance of|emphasi[sz]e (?:the use of|using)|imperative (?:that|to)|essential that|refrain from)\b/i;
/** Only says that something will be said. */
const ANNOUNCEMENT =
  /\b(?:want to|wanted to|like to|going to|let me|let['’]s|need to|time to|thought I['’]d)\s+(?:also\s+)?(?:discuss|give you|go over|talk|touch|share|introduce|cover|update you|update a|mention|emphasize that|remind you that|dive|start with|move on|get started|highlight|impress)\b|\bsomething I['’]d like|\b(?:convention|practice|standard|guideline|instruction|change|update|choice)s?\b[^'"`]{0,40}\b(?:we(?:['’]re| are) adopting|I['’]d like you to|I want you to|for you to|you to) (?:adopt|follow|start|implement|be aware)/i;

/** A wish for more than one time, put without one of the plain words for it. */
export function isConvention(sentence: string): boolean {
  if (ANNOUNCEMENT.test(sentence) && !CODE_VALUE.test(sentence)) return false;
  if (FOR_ALL.test(sentence) || (EMPHASIS.test(sentence) && GENERAL.test(sentence))) return true;
  if (HABIT.test(sentence)) return true;
  if (!FORM.test(sentence)) return false;
  return (
    (DIRECTIVE.test(sentence) && GENERAL.test(sentence)) ||
    (CODE_VALUE.test(sentence) && (DIRECTIVE.test(sentence) || GENERAL.test(sentence)))
  );
}

/** Kindness, small talk and descriptions, in which the same words lay down nothing. */
export const NO_RULE = new Cue(
  [
    '^\\W*by (?:using|doing|adding|following|having)\\b',
    "^\\W*(?:so,? )?(?:for (?:example|instance)\\b|e\\.g\\.|if you have an? |let['’]s say |zum beispiel|par exemple|por ejemplo|например|例如|比如|たとえば|例えば)",
    '\\b(?:reach out|hesitate|feel free|let me know|if you have any (?:questions|concerns)|keep up the|good luck|happy to|glad|my door|welcome|look(?:ing)? forward|proud|pleasure|excited|congratulations|well done|great (?:job|work))\\b',
    '\\bnever(?: ?mind| know| hurts| too| been| had| seen| heard| thought)\\b|\\b(?:as|like|than) (?:always|never|ever)\\b|\\balways (?:here|open(?! (?:an? |the |pull|draft|new|issues))|available|happy|room|been|good|great|nice|exciting|easy|a |an |the |better|remember you|welcome|looking|striv|learn|approach|come|rely|count|turn|grow)',
    "(?<!\\b(?:ensure|sure|ensure that|sure that) )\\b(?:it|that|this|there|they|he|she|i(?! (?:also )?always (?:use|run|write|want|prefer|put|add|name|commit|test|start|work|like))|who|which|what|things|people|someone|everyone)(?:['’](?:s|re|ve|ll|d|m))?(?: (?:is|was|are|were|am|have|has|had|can|could|will|would|should|do|does|did))?(?: also)? (?:always|never)\\b",
    "\\b(?:you|we) (?:can|could|may|might|will|have|['’]ll|['’]ve) (?:always|never)\\b|\\b(?:you|we)(?:['’](?:ve|re|ll)| are| have| will)? (?:always|never) (?:be|been|are|have|had|look|strive|try|want|know|appreciate|value|encourage|support|seem|get|learn|find|need)",
    "\\b(?:it['’]?s|it is) (?:also )?(?:important|essential|crucial) to (?:remember|note|consider|understand|recognize|acknowledge)\\b|\\b(?:could|would|might) also\\b|\\bremember,? (?:that )?(?:you['’]?re|we['’]?re|I['’]?m|this|these|in|it|there|our|your)\\b|\\bI['’]?ll (?:make sure|ensure|be|always)\\b|\\bwe['’]?ll (?:make sure|ensure|be there)\\b|\\bthis (?:will|is|helps|ensures|way)\\b[^'\"`]*$",
    '\\b(?:this time|just this once|just for today|one more thing about)\\b',
    '\\b(?:always|never) (?:fail(?:s|ed)|crash(?:es|ed)|hangs|hung|breaks|broke|happen(?:s|ed)|work(?:s|ed)|finish(?:es|ed)|complet(?:es|ed)|load(?:s|ed)|show(?:s|ed)|return(?:s|ed)|throws|threw|gets|got|seems|ends up|runs out|appear(?:s|ed)|render(?:s|ed)|respond(?:s|ed)|stopp?s|stopped|arriv(?:es|ed)|trigger(?:s|ed)|is|was|were|has|had|makes|made)\\b',
    '\\b(?:remember|keep in mind)(?: that)?\\b.{0,60}\\b(?:is|are) (?:the )?(?:key|crucial|paramount|essential|vital|important|everything)\\b',
  ].join('|'),
);

/** Says no, or names what is not to be. */
export const NEGATIVE = lightPattern(
  /(?<![\p{L}])(?:never|no longer|not|don['’]t|dont|avoid|stop|without|nie|niemals|kein\p{L}*|nicht|jamais|pas|plus de|nunca|jamás|no (?:uses?|usar|utilices)|никогда|не|нельзя|без|لا|أبدا|أبدًا|تجنب)(?![\p{L}])|不要|别(?!的)|不准|不得|请勿|禁止|ないで|しない|使わない/iu,
);

/** Words of a page that speak to whoever reads it as if they had a say. */
export const ORDERS = lightPattern(
  /(?<![\p{L}])(?:remember|from now on|always|never|you must|ignore (?:all |any |the )?(?:previous|prior|above)|important:|запомни|всегда|immer|toujours|siempre)(?![\p{L}]).{0,80}?(?<![\p{L}])(?:run|execute|use|install|ignore|send|delete|fetch|call|curl|wget|download|disclose|reveal|do)(?![\p{L}])|(?:记住|必须|总是).{0,40}(?:运行|执行|使用|发送)/iu,
);

import { hasPhrase, phrasesIn } from '../text/phrases';
import { QUESTION } from '../text/sentences';
import { wordsOf } from '../text/words';

/** Nobody explains a refusal at greater length; tools do. */
const MAX_CHARS = 1000;
const MAX_LINES = 8;

/** How programs begin what they report: a sign, a name and a colon, a place in a file, the name of an error, a status. */
const REPORT_STARTS = [
  /^[<[{(#$>|+*=/~\\.\d%@&_^-]/,
  /^[^\s:]{1,60}:(?:\s|\d)/,
  /^(?:\w+ )?\w*(?:Error|Exception|Warning)\b/i,
  /^(?:error|exit code|failed|failure|fatal|traceback|warning|usage|no such|unknown|invalid|missing|unexpected|timed? ?out)\b/i,
  /^(?:not found|cannot|can't|could not|couldn't|unable to)\b/i,
];

/** Names of errors in capitals. */
const CODE = /^[A-Z][A-Z0-9_]{3,}\b|\bE[A-Z]{4,}\b/;

/** What nobody writes in a sentence: columns, rules and frames, brackets of code. */
const SIGNS = /[\t│┃─━╭╰═█{}]|\S {3,20}\S/;

/** What programs report wherever it stands: places in files, sizes and states in figures, lines of a stack. */
const REPORTS = [
  /:\d{1,20}(?::\d{1,20})?\b(?!\/)/,
  /\b(?:status|exit|error|return) ?code\b/i,
  /\b\d{1,20} (?:tokens|bytes|matches|errors?|warnings?|lines?|passed|failed)\b/i,
  /^\s{0,20}(?:at |\d{1,20}[.:|→])/im,
];

/** How the client and its servers speak of a call: of permissions, of the tool, of its parameters, of what is not there. */
const CLIENT = [
  /\bpermissions?\b|\brequires? approval\b|\bthe user\b|^user\b|^claude\b|\bparameters?\b|\btool use\b|\bhooks?\b/i,
  /\b(?:was|were|is|been|are) (?:blocked|denied|rejected|cancelled|canceled|aborted|interrupted|killed)\b/i,
  /\b(?:was|were|is|been|are) not (?:allowed|running|found|supported|available|permitted|open)\b/i,
  /\bdoes not exist\b|\btimed out\b|\bexceeds?\b|\bfailed (?:to|with)\b|\b(?:has|have) not been\b/i,
  /\balready (?:exists?|in use|used)\b|\bno (?:such|open|matching|changes to|results?|files?|task|shell|agent)\b/i,
];

const PROGRAMS = [SIGNS, CODE, ...REPORT_STARTS, ...REPORTS, ...CLIENT];

/** Claude takes what came back for a failure of the tool. */
const TROUBLED =
  /\b(?:error|fail(?:s|ed|ure|ing)?|exception|(?:try|trying|attempt) (?:again|another|a different)|retry|not found|doesn't exist|does not exist|timed out)\b/i;

/** How much of the reply tells. */
const REPLY_CHARS = 200;

/** Of a script that programs do not report in. */
const FOREIGN_LETTERS = /[^\P{L}\p{Script=Latin}]/gu;
/** Of a script that parts no words. */
const UNPARTED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]{4}/u;

/** Whether most of it is in letters of another script than programs report in. */
function isInForeignScript(text: string): boolean {
  const foreign = text.match(FOREIGN_LETTERS)?.length ?? 0;
  return foreign * 2 > (text.match(/\p{L}/gu)?.length ?? 0);
}

/**
 * Whether an erroneous result may be nothing but a sentence of the person who refused the call, as some clients write it. It must be
 * free of every form in which programs report; who is answered by the next words of Claude decides ({@link answersPerson}).
 */
export function maySpeak(text: string): boolean {
  const words = text.trim();
  if (words === '' || words.length > MAX_CHARS || words.split('\n').length > MAX_LINES) return false;
  if (!/\p{L}{2,}/u.test(words) || !(/\s/.test(words) || UNPARTED.test(words))) return false;
  const prose = words.replace(/https?:\/\/\S+/g, 'link');
  return !PROGRAMS.some((form) => form.test(prose));
}

/** Whether what Claude said next answers a person who said `text`; `reply` is absent when it went on without a word. */
export function answersPerson(text: string, reply: string | undefined): boolean {
  const words = text.trim();
  if (isInForeignScript(words)) return reply === undefined || !TROUBLED.test(reply.trim().slice(0, REPLY_CHARS));
  if (reply === undefined) return hasPhrase('speaker', words) || hasPhrase('addresses', words) || QUESTION.test(words);
  const beginning = reply.trim().slice(0, REPLY_CHARS);
  if (phrasesIn('acknowledges', beginning)[0]?.start === beginning.search(/\w|\p{L}/u)) return true;
  return (hasPhrase('speaker', words) || isTakenUp(words, beginning)) && !TROUBLED.test(beginning);
}

/** Messages of programs mostly begin with a capital; people who type in haste do not. */
const TYPED = /^\p{Ll}/u;

/** How Claude says what it is about to do. */
const INTENT = /^\W*(?:i|i['’](?:ll|m)|let|let['’]s|we|we['’]ll|will|ich|je|yo)(?![\p{L}'’-])/iu;

const DOING = /^\W*[a-z]{2,40}ing\b/i;

/**
 * Whether a reply says that it does what was asked for, in words of that: it begins with its verb ("I'll add", "Adding"), and says most of
 * the rest again. What a program reports may be said again, too, but is not done.
 */
function isTakenUp(words: string, reply: string): boolean {
  if (!TYPED.test(words)) return false;
  const asked = contentOf(words);
  const [verb = '', ...rest] = contentOf(reply);
  const isAsked = (word: string): boolean => asked.some((one) => isFormOf(word, one));
  const isDone = isAsked(verb) && (INTENT.test(reply) || (DOING.test(reply) && !asked.includes(verb)));
  const again = asked.filter((one) => [verb, ...rest].some((word) => isFormOf(word, one)));
  return isDone && again.length * 3 >= asked.length * 2;
}

function isFormOf(word: string, asked: string): boolean {
  return word.startsWith(asked.length > 2 ? asked.slice(0, -1) : asked);
}

function contentOf(text: string): string[] {
  return wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 ? stem : []));
}

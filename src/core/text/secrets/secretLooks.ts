import type { TextRange } from './privateText';
import { countUp } from '../ownValue';
import ownForms from './ownForms.json';
import rules from './secretRules.json';

/** How random a text is: bits per character, by how often each occurs. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) countUp(counts, character);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const VARIABLE =
  /^(?:\$\{[^}]*\}?|\$\(.*|\$[A-Za-z_]\w*|\$\d|%[A-Za-z_]\w*%|%[-+#\d.]*[a-z]|@[A-Za-z_]+@|#?\{.*|<.*|\[.*|\([\w$].*\)[\w.]*|\(.*\)|:\w+|\?|!(?:secret|env|vault|Ref|Sub|GetAtt).*)$/;
const MASKED = /^(?:(.)\1*|.{0,4}(?:\*{3}|x{4}|X{4}|\.{3}|…|•{2}|#{4}|-{3}|_{3}).*)$/;
const EXAMPLE =
  /example|placeholder|change[-_ ]?(?:me|it|this)|\byour|^your|[-_]your|dummy|redacted|replace[-_ ](?:me|with|this)|insert[-_ ]|[-_]here$|lorem|todo/i;
const READ_ELSEWHERE =
  /process\.env|os\.environ|getenv|import\.meta|secrets\.|^vault:|^op:\/\/|^ref\+|^arn:|^projects\//i;

/** Whether this stands where a secret will: a variable, a mask, an example. */
export function isPlaceholder(value: string): boolean {
  return VARIABLE.test(value) || MASKED.test(value) || EXAMPLE.test(value) || READ_ELSEWHERE.test(value);
}

/** What forms, code and prose have where a password would stand. */
const NO_PASSWORDS: ReadonlySet<string> = new Set(
  `string number boolean bool int integer float double str text char varchar bytes buffer any unknown never object void null undefined
  none nil nan true false yes no on off required optional hidden visible password passwords passwd passphrase pass pwd secret secrets token
  tokens key keys value values input output data result results name user users username email login default empty blank missing invalid
  valid wrong correct incorrect expired short long weak strong auth authentication basic bearer type field label prompt here below above
  this that these those the and or not was were are has have had will would can could should must may might for from with without into
  that which when then than there where what who how why its his her our your their flag flags option options argument arguments arg
  args parameter parameters param params file files stdin env environment config configuration settings setting reset change changed
  changes update updated policy length manager hash hashed hashing encrypted encryption plain plaintext raw encoded stored protected
  generated random set unset get getter setter check checked checks verify verified validation validate confirm confirmation confirmed
  field fields form forms body header headers request response error errors failed failure success mismatch
  match matches function return const let var await async new class public private static readonly export import self
  fresh same other another again only also just instead via using used use uses is as at by in of to if it a an be do does
  vergessen falsch richtig erforderlich required\\? requise incorrecta olvidada`
    .split(/\s+/)
    .map((word) => word.replace('\\', '')),
);

/** Whether this word is usual beside the name of a secret, and none itself. */
export function isUsualWord(value: string): boolean {
  return NO_PASSWORDS.has(value.toLowerCase().replace(/[.:;,!?*]{1,20}$/, ''));
}

const NAMES_SECRET = /passw|pwd|secret|token|credential|(?:^|[^a-z])(?:pass|key|auth)|(?:Pass|Key|Auth)(?![a-z])/;
const MEMBER = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[\w+\])+$/;
const CALL = /[A-Za-z_$\])][([{]|=>|\(\)|::/;

/** Whether this reads as code that leads to a value, and not as the value. */
export function isCode(value: string): boolean {
  if (CALL.test(value)) return true;
  if (MEMBER.test(value)) return value.split('.').every((part) => !isMixed(part) || isWordLike(part));
  return (
    /^[A-Za-z_$][A-Za-z_$]*\d?$/.test(value) && (NAMES_SECRET.test(value) || /^[a-z]+(?:[A-Z][a-z]+)+\d?$/.test(value))
  );
}

const PATH = /^(?:(?:\.{1,2}|~)?\/[\w./@~-]+|[A-Za-z]:\\.*|[\w@-]+(?:\/[\w.@-]+)+\.[a-z]{1,5}|\w+:\/\/.*)$/;
const VERSION_OR_TIME =
  /^v?\d+(?:\.\d+)+(?:[-+].*)?$|^\d{4}-\d\d-\d\d|^[\d.,_]+(?:[a-z]{1,5}|%)?$|^0x[\da-f]{1,8}$|^(?:\d+[dhms])+$/i;
const HASH_OF = /^(?:sha\d{1,3}|md5)[-:=]/i;
export const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Whether this is what is no secret beside any name: a path, a version, a time, an amount, a hash that says that it is one. */
export function isPlainValue(value: string): boolean {
  return isPath(value) || VERSION_OR_TIME.test(value) || HASH_OF.test(value);
}

function isPath(value: string): boolean {
  return (
    PATH.test(value) &&
    (/\.[a-z]{1,5}$|:\/\/|^[.~]|^\/(?:root|home|Users|etc|usr|var|run|opt|tmp|mnt|srv|app)\//i.test(value) ||
      value.split(/[/\\]/).every(isWordLike))
  );
}

/** One part of a name: letters that change case as words do, and a short number behind. */
function isWordLike(part: string): boolean {
  const [, letters = '', digits] = /^([A-Za-z]*)(\d{0,4})$/.exec(part) ?? [];
  if (letters === '') return part === '' || digits === part;
  return letters.length < 4 || (caseChanges(letters) < 0.34 && /[aeiouy]/i.test(letters));
}

/** How often letter case changes between neighbours: rarely in words, at every second letter by chance. */
function caseChanges(letters: string): number {
  let changes = 0;
  for (let at = 1; at < letters.length; at++) {
    if (isUpper(letters.charCodeAt(at)) !== isUpper(letters.charCodeAt(at - 1))) changes++;
  }
  return changes / Math.max(1, letters.length - 1);
}

function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

/** Whether this is words and numbers that are put together, as names are. */
export function isNameLike(value: string): boolean {
  const parts = value.split(/[-_.:/ ]+/);
  return parts.some((part) => /[A-Za-z]{3}/.test(part)) && parts.every(isWordLike);
}

/** Letters and digits, or three kinds of characters. */
function isMixed(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.-]/].filter((kind) => kind.test(value)).length;
  return /\d/.test(value) ? kinds >= 2 : kinds >= 3 && !/[=/\\]/.test(value);
}

/** Whether this looks made by chance or by a careful person: mixed characters that form no name. */
export function isRandom(value: string): boolean {
  if (value.length < 8 || isPlainValue(value)) return false;
  const letters = value.replace(/[^A-Za-z]/g, '');
  if (isMixed(value) && !isNameLike(value)) return entropyOf(value) >= 2.3;
  return (
    letters.length === value.length && value.length >= 16 && caseChanges(letters) >= 0.34 && entropyOf(value) >= 3.3
  );
}

/** What a person puts together: a word with a number, or several of which one is in capitals. */
export function isMadeUp(value: string): boolean {
  if (!/^[\w-]{6,40}$/.test(value) || !/[A-Za-z]{3}/.test(value) || TECHNICAL.test(value)) return false;
  if (value.includes('-')) return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  return /\d\d/.test(value) || (/\d/.test(value) && /[A-Z]/.test(value));
}

/** How a secret is kept or written. */
const TECHNICAL = /^(?:base|utf|sha|md|aes|rsa|argon|bcrypt|scrypt|pbkdf|oauth|hmac|ed|ascii|latin|iso|rfc|x)_?-?\d/i;

/** Words with a dot between them and a number behind: where no code stands, nothing else is written so. */
export function isNumbered(value: string): boolean {
  return /^\w{1,40}\.\w{1,40}\d$/.test(value);
}

/** Of names in programs, and of words of languages that use Latin letters. */
export function isNameCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x5f ||
    code === 0x2d ||
    (code >= 0xc0 && code <= 0x24f)
  );
}

/** The whole name around a word; in writings without spaces, and beside letters of others, the word is the name. */
export function nameAround(text: string, wordEnd: number, longest: number): TextRange {
  let start = wordEnd;
  let end = wordEnd;
  if (isNameCharacter(text.charCodeAt(wordEnd - 1))) {
    while (end < text.length && end - wordEnd <= longest && isNameCharacter(text.charCodeAt(end))) end++;
    while (start > 0 && wordEnd - start <= longest && isNameCharacter(text.charCodeAt(start - 1))) start--;
  } else {
    while (start > 0 && wordEnd - start < 12 && /[\p{L} ]/u.test(text.charAt(start - 1))) start--;
    while (text[start] === ' ') start++;
  }
  return { start, end };
}

/** A secret in a text. */
export interface FoundSecret extends TextRange {
  readonly kind: string;
}

/** Characters of a value without quotes: a backslash belongs to it, unless it writes the end of a line or a quote. */
const BARE = /(?:[^\s"'`<>\\]|\\(?![nrtu"'`\\])){1,300}/y;
const LIST =
  /[;&,](?=[\w.$%-]{1,40}[=:])|[,;)\]}](?=[,;)\]}.]{0,20}$)|[&|;]{1,2}$|[,;](?=[,;{}[\]()])|\)\.|[.:!?]{1,20}$/;

/** Where a value without quotes ends: at a space, or where the next of a list begins. */
export function bareEnd(text: string, at: number): number {
  BARE.lastIndex = at;
  const run = BARE.exec(text)?.[0] ?? '';
  if (/^\$?[{(<[]/.test(run)) return at + run.length;
  return at + (LIST.exec(run)?.index ?? run.length);
}

/** Whether what begins here is one of a list of `name=value`, as in addresses and connection strings. */
export function isListed(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  return before === '?' || before === '&' || before === ';' || before === '#';
}

/** A form that secrets of one kind have. */
export interface SecretForm {
  readonly kind: string;
  /** What has to be there, in any letter case, for the pattern to be worth a try. */
  readonly keywords: readonly string[];
  /** The group `secret` is taken out, and nothing around it; nothing may follow it in the match. Made when it is first needed, as few are. */
  readonly pattern: () => RegExp;
  /** Whether what was matched is one. */
  readonly isSecret: (value: string) => boolean;
}

/**
 * What the set of rules lacks, or what it knows in one length alone: keys get longer from year to year. Each is written as its keywords,
 * separated by spaces, and its form; `~` stands for a character of a token. `bits` is how random it has to be at least.
 */
type OwnForm = (typeof ownForms)[number];

const AFTER = '(?![A-Za-z0-9_])';
/** What stands between the name of a service and its key: as in code, in files, in JSON within JSON, in an address, in a sentence. */
const BETWEEN = String.raw`[ \t\w.-]{0,30}(?:\\{0,8}["'\x60])?[\])]?(?:\s{0,3}(?:=>|:{0,3}=|\?=|\|\||[>:,]|%3[AD])|(?<=key|token|secret|password|pass|credential|auth|sid)s?\s{1,3}(?:is\b|was\b)?)(?:[\x60'"\s=]|\\(?![nrt])){0,8}`;

/** A form begins where a word does: else every beginning of one in a long run would be tried. */
const START = /^(?:[a-z(]|\[[^\]]*[a-z]-|\\d)/i;
const BEGINS = String.raw`(?:(?<!\w)|(?<=\\[nrtbf])|(?<=%[\dA-Fa-f]{2}))`;

function begun(form: string): string {
  return START.test(form) ? BEGINS + form : form;
}

/** All forms, our own first: they name their kinds in few words. */
export function secretForms(): SecretForm[] {
  return [...ownForms.map(ownForm), ...rules.map(ruleForm)];
}

function ownForm({ kind, keywords, form, bits = 2.3 }: OwnForm): SecretForm {
  const written = form.replaceAll('~{', '[A-Za-z0-9_-]{');
  const isWhole = !written.includes('(?<secret>');
  return {
    kind,
    keywords: keywords.split(' '),
    pattern: madeOnce(
      () => new RegExp(isWhole ? `(?<secret>${begun(written)})${AFTER}` : written, bits < 0 ? 'gi' : 'g'),
    ),
    isSecret: bits < 0 ? isGuess(bits === -1) : (value) => isMade(value, bits),
  };
}

function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Places where nothing but a secret stands (`-2`), or where one stands if it looks like one (`-1`). */
function isGuess(isToLookRandom: boolean): (value: string) => boolean {
  return (value) => !isPlaceholder(value) && !isUsualWord(value) && (!isToLookRandom || isRandom(value));
}

/** Made by chance, and not an example of one, which has words or one character for all. */
function isMade(value: string, bits: number): boolean {
  return (
    entropyOf(value) >= bits &&
    !/example|x{6}|\*{4}|(.)\1{11}|your[-_]|[-_](?:here|key)$|placeholder/i.test(value) &&
    /[\dA-Z]/.test(value.slice(4))
  );
}

/** A rule of the set as it was converted. */
interface ConvertedRule {
  readonly kind: string;
  readonly keywords: readonly string[];
  readonly form: string;
  readonly beside?: string;
  readonly entropy?: number;
  readonly allow?: string;
  readonly isAnyCase?: boolean;
}

function ruleForm({ kind, keywords, form, beside, entropy = 0, allow, isAnyCase }: ConvertedRule): SecretForm {
  const before = beside === undefined ? '' : `(?:${beside})${BETWEEN}`;
  const after = beside === undefined ? AFTER : '(?!-?[A-Za-z0-9_])';
  const allowed = allow === undefined ? undefined : new RegExp(`^(?:${allow})$`);
  return {
    kind,
    keywords,
    pattern: madeOnce(() => {
      const written = `${before}(?<secret>${beside === undefined ? begun(form) : form})${after}`;
      return new RegExp(written, beside !== undefined || isAnyCase ? 'gi' : 'g');
    }),
    isSecret: (value) =>
      entropyOf(value) >= Math.max(entropy, 2) && allowed?.test(value) !== true && /\d/.test(value) && isMade(value, 0),
  };
}

import { entropyOf, isPlaceholder, isRandom, isUsualWord } from './secretLooks';
import ownForms from './ownForms.json';
import rules from './secretRules.json';

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

/** A kind of secret that was taken out of a text, and how often. */
export interface RedactedSecrets {
  /** For people: `GitHub token`. */
  readonly kind: string;
  readonly count: number;
}

export interface Redaction {
  readonly text: string;
  /** In the order of first appearance; empty when nothing was taken out. */
  readonly secrets: readonly RedactedSecrets[];
}

interface SecretPattern {
  readonly kind: string;
  /** What has to be there, in lower case, for the pattern to be worth a try. */
  readonly hints: readonly string[];
  /** The group `secret` is taken out, and nothing around it. */
  readonly pattern: RegExp;
  /** Looks like one by its place alone: what is plainly a name, a placeholder or code is left. */
  readonly isGuess?: true;
}

/** Longer runs of token characters are data (images, bundles), and no token is that long. */
const TOKEN = String.raw`[A-Za-z0-9_-]`;

const patterns: readonly SecretPattern[] = [
  {
    kind: 'private key',
    hints: ['private key-----'],
    pattern: /(?<secret>-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$))/g,
  },
  prefixed('Anthropic key', 'sk-ant-', `${TOKEN}{20,300}`),
  prefixed('OpenAI key', 'sk-', String.raw`(?:proj-|svcacct-)?(?!ant-)${TOKEN}{20,300}`),
  prefixed('GitHub token', 'ghp_', '[A-Za-z0-9]{30,255}'),
  prefixed('GitHub token', 'gho_', '[A-Za-z0-9]{30,255}'),
  prefixed('GitHub token', 'ghu_', '[A-Za-z0-9]{30,255}'),
  prefixed('GitHub token', 'ghs_', '[A-Za-z0-9]{30,255}'),
  prefixed('GitHub token', 'ghr_', '[A-Za-z0-9]{30,255}'),
  prefixed('GitHub token', 'github_pat_', '[A-Za-z0-9_]{30,255}'),
  prefixed('GitLab token', 'glpat-', `${TOKEN}{20,100}`),
  prefixed('AWS access key', 'AKIA', '[A-Z0-9]{16}'),
  prefixed('AWS access key', 'ASIA', '[A-Z0-9]{16}'),
  prefixed('Slack token', 'xox', String.raw`[abeoprs]-${TOKEN}{10,250}`),
  prefixed('Google key', 'AIza', `${TOKEN}{35}`),
  prefixed('Stripe key', 'sk_live_', '[A-Za-z0-9]{16,250}'),
  prefixed('Stripe key', 'rk_live_', '[A-Za-z0-9]{16,250}'),
  prefixed('npm token', 'npm_', '[A-Za-z0-9]{36}'),
  prefixed('PyPI token', 'pypi-', `${TOKEN}{50,300}`),
  prefixed('Hugging Face token', 'hf_', '[A-Za-z0-9]{30,100}'),
  prefixed('SendGrid key', 'SG.', String.raw`${TOKEN}{16,40}\.${TOKEN}{16,80}`),
  prefixed('DigitalOcean token', 'dop_v1_', '[a-f0-9]{64}'),
  prefixed('JSON Web Token', 'eyJ', String.raw`${TOKEN}{10,2000}\.eyJ${TOKEN}{10,8000}\.${TOKEN}{10,1000}`),
  {
    kind: 'password in a URL',
    hints: ['://'],
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`<>]{0,100}:(?<secret>[^\s/@"'`<>]{3,200})@/gi,
    isGuess: true,
  },
  {
    kind: 'authorization header',
    hints: ['bearer ', 'basic '],
    pattern: /\b(?:bearer|basic)\s{1,3}(?<secret>[A-Za-z0-9._~+/-]{20,4000}={0,2})/gi,
    isGuess: true,
  },
  {
    kind: 'secret in an assignment',
    hints: ['key', 'secret', 'token', 'passw', 'pwd'],
    pattern:
      /(?:api[_-]?key|access[_-]?key|account[_-]?key|client[_-]?secret|secret(?:[_-]?key)?|(?:auth|access|refresh)?[_-]?token|passw(?:or)?d|pwd)["']?\s{0,3}[:=]\s{0,3}["']?(?<secret>[^\s"'`,;(){}<>[\]]{8,300})/gi,
    isGuess: true,
  },
];

/** Most texts have none of all the hints, and are done with one look. */
const SOME_HINT = new RegExp(patterns.flatMap(({ hints }) => hints.map(literally)).join('|'));

/**
 * Takes out what gives access: keys, tokens, passwords. What is left says what stood there. Linear in the text; finding is by known
 * forms and by the names that secrets are given, so a secret in a form of its own, without a name, stays.
 */
export function redactSecrets(text: string): Redaction {
  const lower = text.toLowerCase();
  if (!SOME_HINT.test(lower)) return { text, secrets: [] };
  const counts = new Map<string, number>();
  let redacted = text;
  for (const { kind, hints, pattern, isGuess } of patterns) {
    if (!hints.some((hint) => lower.includes(hint))) continue;
    redacted = redacted.replace(pattern, (whole: string, ...rest: unknown[]) => {
      const secret = secretOf(rest);
      if (secret === '' || (isGuess && !isLikelySecret(secret))) return whole;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const at = whole.lastIndexOf(secret);
      return `${whole.slice(0, at)}[redacted: ${kind}]${whole.slice(at + secret.length)}`;
    });
  }
  return { text: redacted, secrets: [...counts].map(([kind, count]) => ({ kind, count })) };
}

function prefixed(kind: string, prefix: string, rest: string): SecretPattern {
  const pattern = new RegExp(String.raw`(?<![A-Za-z0-9_])(?<secret>${literally(prefix)}${rest})(?![A-Za-z0-9_])`, 'g');
  return { kind, hints: [prefix.toLowerCase()], pattern };
}

/** As a pattern for just these characters; a point is the only one among them that patterns take for more. */
function literally(characters: string): string {
  return characters.replaceAll('.', String.raw`\.`);
}

function secretOf(rest: readonly unknown[]): string {
  const groups = rest.at(-1);
  const isGroups = typeof groups === 'object' && groups !== null && 'secret' in groups;
  return isGroups && typeof groups.secret === 'string' ? groups.secret : '';
}

const PLACEHOLDER =
  /^(?:\[redacted|\$|%|\*+$|x+$|\.{3})|example|placeholder|changeme|your|dummy|process\.env|os\.environ/i;

/** Code and prose put names and types where a secret would stand; a secret mixes letters with digits, or with signs. */
function isLikelySecret(value: string): boolean {
  if (PLACEHOLDER.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.-]/].filter((kind) => kind.test(value)).length;
  return /\d/.test(value) ? kinds >= 2 : kinds >= 3 && !/[.=/\\]/.test(value);
}

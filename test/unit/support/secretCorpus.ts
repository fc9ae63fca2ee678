/** Secrets of many forms, made up as the tests run: no file holds what looks like one. */

/** A secret and where it stands: `text` has it word for word. */
export interface Planted {
  readonly form: string;
  readonly secret: string;
  readonly context: string;
  readonly text: string;
}

export type Random = () => number;

/** The same numbers for the same seed. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABETS: Record<string, string> = {
  a: `${LOWER}${LOWER.toUpperCase()}0123456789`,
  b: `${LOWER}${LOWER.toUpperCase()}0123456789+/`,
  d: '0123456789',
  h: '0123456789abcdef',
  l: `${LOWER}${LOWER.toUpperCase()}`,
  s: LOWER,
  t: `${LOWER}${LOWER.toUpperCase()}0123456789_-`,
  u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  w: `${LOWER}0123456789`,
};

/**
 * A form with its blanks filled: `{a36}` are 36 letters and digits, and so on; the first and last of a blank are letters or digits. Where a
 * blank has digits, at least one is there.
 */
export function filled(form: string, random: Random): string {
  const plain = form.replaceAll('\\n', '\n').replace(/\{(\$|BEGIN|END)\}/g, '$1');
  return plain.replace(/\{([a-z])(\d+)\}/g, (_, alphabet: string, count: string) => {
    const characters = ALPHABETS[alphabet] ?? '';
    const pick = (from: string): string => from.charAt(Math.floor(random() * from.length));
    const made = Array.from({ length: Number(count) }, () => pick(characters));
    const edges = characters.replace(/[-_+/]/g, '');
    made[0] = pick(edges);
    made[made.length - 1] = pick(edges);
    if (/\d/.test(characters) && made.length > 4) made[2] = pick(alphabet === 'u' ? '234567' : '0123456789');
    return made.join('');
  });
}

/** Lines of a table, without those that are empty. */
export function rows(table: string): string[] {
  return table
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '');
}

/** The places that a text with a secret can have: each is given the secret and puts it into words. */
export type Contexts = Readonly<Record<string, (secret: string) => string>>;

/** For secrets that are known by themselves. */
export const FORM_CONTEXTS: Contexts = {
  plain: (secret) => `Yesterday we saw ${secret}, and it still worked.`,
  rule: (secret) => `Always use the key ${secret} for the deploy.`,
  json: (secret) => JSON.stringify({ request: { value: secret, page: 2 }, ok: true }),
  'json in json': (secret) =>
    JSON.stringify({ body: JSON.stringify({ value: secret, note: JSON.stringify([secret]) }) }),
  shell: (secret) => `export SERVICE=${secret} && ./deploy.sh --stage prod`,
  option: (secret) => `./deploy.sh --with '${secret}' --stage prod`,
  url: (secret) => `GET https://api.example.com/v1/items?with=${secret}&page=2 200`,
  diff: (secret) => `@@ -1,2 +1,2 @@\n-  value: "",\n+  value: "${secret}",\n   page: 2,`,
};

/** For secrets that are known by their names. */
export function namedContexts(name: string): Contexts {
  const flag = `--${name.toLowerCase().replaceAll('_', '-')}`;
  const camel = name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    plain: (secret) => `In the log of today ${name} is \`${secret}\`, which is from staging.`,
    rule: (secret) => `Always use the ${name.toLowerCase().replaceAll('_', ' ')} "${secret}" for the deploy.`,
    json: (secret) => JSON.stringify({ config: { [camel]: secret, page: 2 } }),
    'json in json': (secret) =>
      JSON.stringify({ body: JSON.stringify({ [name]: secret, page: JSON.stringify({ [camel]: secret }) }) }),
    shell: (secret) => `export ${name}=${secret}\n./deploy.sh --stage prod`,
    option: (secret) => `./deploy.sh ${flag} ${secret} --stage prod`,
    url: (secret) => `GET https://api.example.com/v1/items?${name.toLowerCase()}=${secret}&page=2 200`,
    diff: (secret) => `@@ -1,2 +1,2 @@\n-${name}=\n+${name}=${secret}\n PAGE=2`,
  };
}

/** For secrets that are known by the line that they stand in, which has a blank for them. */
function lineContexts(line: string): Contexts {
  const whole = (secret: string): string => line.replace('@@', () => secret);
  return {
    plain: (secret) => `This is what they ran:\n${whole(secret)}\nand it worked.`,
    rule: (secret) => `Always do it like this: ${whole(secret)}`,
    json: (secret) => JSON.stringify({ command: whole(secret), timeout: 2 }),
    'json in json': (secret) => JSON.stringify({ body: JSON.stringify({ command: whole(secret) }) }),
    diff: (secret) => `@@ -1,2 +1,2 @@\n-# none\n+${whole(secret)}\n page`,
  };
}

function* inContexts(form: string, secret: string, contexts: Contexts): Generator<Planted> {
  for (const [context, put] of Object.entries(contexts)) yield { form, secret, context, text: put(secret) };
}

export interface CorpusTables {
  /** Secrets that are known by themselves. */
  readonly forms: readonly string[];
  /** A name, a space, and what it has. */
  readonly named: readonly string[];
  /** A line with `@@` for the secret, ` := `, and the secret. */
  readonly lines: readonly string[];
}

/** Every form in every context that there is for it. */
export function* plantedIn({ forms, named, lines }: CorpusTables, random: Random): Generator<Planted> {
  for (const form of forms) yield* inContexts(form, filled(form, random), FORM_CONTEXTS);
  for (const row of named) {
    const [name = '', form = ''] = row.split(' ');
    yield* inContexts(row, filled(form, random), namedContexts(name));
  }
  for (const row of lines) {
    const [line = '', form = ''] = row.split(' := ');
    yield* inContexts(row, filled(form, random), lineContexts(line));
  }
}

/** The secret itself, or what of an address or a block gives access. */
export function secretParts(secret: string): string[] {
  if (secret.startsWith('https://')) return [secret.slice(-20)];
  if (secret.startsWith('-----'))
    return secret.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-'));
  return [secret];
}

import type { Chance } from './chance';

/** Names that a plain object has without being asked. */
const OBJECT_NAMES = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'isPrototypeOf',
  '__defineGetter__',
];

const WORDS = [
  'the',
  'parser',
  'always',
  'never',
  'use',
  'pnpm',
  'instead of',
  'npm',
  'src/app/main.ts',
  'fix',
  'error',
  'because',
  'we decided',
  'retry.ts:42',
  'C:\\Users\\ada\\x.ts',
  'https://example.org/a?b=c#d',
  '`code`',
  '2.1.0',
  '配置文件',
  'настройки',
  'التكوين',
  '👩‍👩‍👧',
  'naïve',
  'TypeError: undefined is not a function',
  'exit code 1',
  ...OBJECT_NAMES,
];

/** Each has broken some program that reads text. */
const PIECES = [
  '',
  ' ',
  '\n\n\n',
  '##keepit1.00##',
  '##keepit0.50## half a mark ##keepit:end##',
  '##keepit0.8##',
  '##keepit9.99##',
  '##KEEPIT0.25##',
  '##keepit:end##',
  '```',
  '```ts\nconst a = 1;\n',
  '~~~',
  '> quoted',
  '<system-reminder>x</system-reminder>',
  '<system-reminder>',
  '<command-name>/review</command-name>',
  '<private>hidden</private>',
  '<private>',
  '<thinking>hm</thinking>',
  '<task-notification>done</task-notification>\nRead the output file',
  '[Request interrupted by user]',
  'From now on, always write tests first.',
  'Remember: never push to main.',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '- [ ] open\n- [x] done',
  '\u0000\u0001\u001b[31mred\u001b[0m',
  '\ud800',
  '\udfff lone',
  '\u202egnp.exe',
  '\u2028\u2029',
  '\ufeff',
  '{"a":{"b":[1,2,{"c":"\\"d\\""}]}}',
  '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
  'a.'.repeat(300),
  '#'.repeat(500),
  '<'.repeat(300),
  'x'.repeat(5000),
  '('.repeat(400),
  '\\'.repeat(300),
  '../../../etc/passwd',
  'CON',
  'a'.repeat(300),
  '%s %d %n',
  '${x}',
  '$&$1$$',
];

export function hostileWord(chance: Chance): string {
  return chance.is(0.3) ? chance.pick(OBJECT_NAMES) : chance.pick(WORDS);
}

/** Words and pieces in any order, as somebody might have said or pasted them. */
export function hostileText(chance: Chance): string {
  const length = chance.is(0.1) ? 0 : chance.below(chance.is(0.1) ? 400 : 25);
  const parts = Array.from({ length }, () => (chance.is(0.2) ? chance.pick(PIECES) : chance.pick(WORDS)));
  return parts.join(chance.pick([' ', ' ', ' ', '\n', '. ', '']));
}

/** What may stand where another value was expected. */
export function hostileValue(chance: Chance): unknown {
  return chance.pick<() => unknown>([
    () => null,
    () => '',
    () => 0,
    () => -1,
    () => 1.5,
    () => 2 ** 53,
    () => 1e308,
    () => true,
    () => [],
    () => ({}),
    () => [null, [], {}],
    () => ({ constructor: 1, toString: [] }),
    () => Object.defineProperty({}, '__proto__', { value: { polluted: true }, enumerable: true }),
    () => nested(200),
    () => hostileText(chance),
    () => hostileWord(chance),
    () => '2026-13-45T99:99:99Z',
    () => '0000-00-00',
  ])();
}

function nested(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 'deep');
}

import fc from 'fast-check';

const fragments = [
  'the ',
  'Hello',
  ' world',
  'camelCaseName',
  'SCREAMING_SNAKE',
  'HTTPServer',
  "it's",
  "WE'LL",
  '    ',
  '\t\t',
  '\n',
  '\r\n',
  '\n\n  ',
  '  \n',
  'function f(x) { return x ?? 0; }',
  '=>',
  '!==',
  '// note\n',
  '/* a */',
  '"key": ',
  '1234567890',
  '3.14',
  '0xDEADBEEF',
  '/usr/local/bin',
  'https://example.org/?q=1&r=2',
  '<|endoftext|>',
  'привет',
  ' Москва',
  'ΑΒΓ αβγ',
  'Straße',
  'العربية',
  'עברית',
  'हिन्दी',
  'ไทย',
  '中文字符',
  '日本語',
  'テスト',
  '한국어',
  '，。',
  'é',
  'e\u0301',
  '😀',
  '👩‍👩‍👧',
  '🇫🇷',
  '𝒜𝓑',
  '\u0000',
  '\ud800',
  '\udc00',
  '\ufeff',
  '\u00a0',
  '²½',
  '٣٤',
];

const run = fc
  .tuple(
    fc.constantFrom('a', 'A', ' ', '\n', '\r\n', '-', '=', '7', '中', 'é', '\t', '😀'),
    fc.integer({ min: 1, max: 120 }),
  )
  .map(([unit, times]) => unit.repeat(times));

/** Text as it may stand in a transcript and worse: scripts, code, white space, runs, surrogates, in any order. */
export const mixedText = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...fragments) },
      { weight: 1, arbitrary: run },
      { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

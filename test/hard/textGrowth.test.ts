import assert from 'node:assert/strict';
import { isFull, randomFor, sampled } from './support/effort';
import { excessOf } from './support/growth';
import { READERS } from './support/textReaders';

/** Bits of which damaged, generated or hostile texts consist: opened and never closed, or the same again and again. */
const BITS = [
  ...[
    'a',
    'A',
    '0',
    '日',
    'é',
    ' ',
    '\n',
    '\t',
    '\r',
    '.',
    ',',
    '/',
    '\\',
    '"',
    "'",
    '`',
    '<',
    '>',
    '[',
    '(',
    '{',
    '}',
    '*',
    '_',
    '#',
    '-',
  ],
  ...[
    'a.',
    'a ',
    'a, ',
    'a/',
    'a-',
    'a_',
    'aB',
    'a1',
    '1.',
    ': ',
    '##keepit',
    '##keepit0.50##',
    '##keepit:end##',
    '[[',
    '```\n',
    '`` ',
    '**a',
  ],
  ...[
    '_a ',
    '<a ',
    '<a>',
    '</a>',
    '<!--',
    '<private>',
    '["',
    '{"a":',
    '\\"',
    '\\n',
    'http://',
    'http://a:',
    '-----BEGIN PRIVATE KEY-----',
  ],
  ...[
    'password=',
    'token: ',
    'use ',
    'always ',
    'instead of ',
    'because ',
    'and ',
    'not a ',
    '- a\n',
    '> ',
    '# ',
    '1. a\n',
    '| a ',
    '\u001b[',
    '@a ',
  ],
];

describe('a text that is as bad as can be is read in a time that grows with it', function () {
  this.timeout(600_000);
  for (const [name, read] of READERS) {
    it(name, () => {
      for (const bit of sampled(BITS, 14, randomFor(name))) {
        for (const [head, tail] of isFull
          ? ([
              ['', ''],
              ['x ', '\u0000'],
              ['', '\n!'],
            ] as const)
          : ([['', '!']] as const)) {
          const excess = excessOf((size) => {
            const text = head + bit.repeat(Math.ceil(size / bit.length)) + tail;
            return () => read(text);
          });
          assert.equal(
            excess,
            undefined,
            `${JSON.stringify(head + bit)}…${JSON.stringify(tail)} ${JSON.stringify(excess)}`,
          );
        }
      }
    });
  }
});

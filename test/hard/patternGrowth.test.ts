import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { randomFor, sampled } from './support/effort';
import { excessOf } from './support/growth';

/** What patterns repeat or look for: nothing is as slow for a pattern as a long run of what it nearly matches. */
const BITS = [
  ...[
    'a',
    'A',
    '0',
    '日',
    ' ',
    '\n',
    '\t',
    '.',
    ',',
    '/',
    '\\',
    '"',
    "'",
    '`',
    '<',
    '(',
    '{',
    '[',
    '-',
    '_',
    '*',
    '#',
    '@',
    '~',
    '$',
    '=',
    '|',
    ':',
  ],
  ...[
    'a.',
    'a ',
    'a/',
    'a-',
    'a_',
    'aB',
    'a1',
    'a, ',
    '> ',
    '\n\n',
    '<!--',
    '<a ',
    '["',
    '\\"',
    '>&1',
    'avoid  ',
    'and ',
    '>a',
  ],
];

interface Literal {
  readonly source: string;
  readonly flags: string;
  readonly place: string;
}

async function literals(folder: string): Promise<Literal[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ place: `${folder}/${name}`, text: await readFile(path.join(folder, name), 'utf8') })),
  );
  return files.flatMap(({ place, text }) => {
    const found: Literal[] = [];
    const visit = (node: ts.Node): void => {
      const [, source, flags] = ts.isRegularExpressionLiteral(node)
        ? (/^\/([^]*)\/([a-z]*)$/.exec(node.text) ?? [])
        : [];
      if (source !== undefined && flags !== undefined) found.push({ source, flags, place });
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(place, text, ts.ScriptTarget.ESNext));
    return found;
  });
}

describe('no pattern of the product takes exponential or cubic time', function () {
  this.timeout(600_000);

  it('for long runs of what it nearly matches', async () => {
    const all = [...(await literals('src')), ...(await literals('webview-ui'))];
    const patterns = [...new Map(all.map((one) => [`/${one.source}/${one.flags}`, one]))];
    assert.ok(patterns.length > 400, String(patterns.length));
    for (const [name, { source, flags, place }] of sampled(patterns, 60, randomFor('patterns'))) {
      for (const bit of BITS) {
        // What grows with the square passes here, as it is short: what meets whole texts is tried with its reader.
        const excess = excessOf(
          (size) => {
            const length = Math.ceil(size ** 0.6);
            const text = `x${bit.repeat(Math.ceil(length / bit.length))}\u0000`;
            const pattern = new RegExp(source, flags.replace('y', ''));
            return () => (flags.includes('g') ? text.replace(pattern, '') : pattern.test(text));
          },
          [64, 256, 1024, 4096, 16_384, 65_536, 262_144],
        );
        assert.equal(excess, undefined, `${name} in ${place} with ${JSON.stringify(bit)}: ${JSON.stringify(excess)}`);
      }
    }
  });
});

import assert from 'node:assert/strict';
import { docProblems } from '../../../scripts/lib/docProblems.mjs';

const files = ['src', 'test/a.test.ts', 'src/core/model/host.ts', 'docs/decisions/0001-first.md', 'README.md', 'media'];

const house = {
  scripts: new Set(['test', 'test:unit']),
  ids: new Set(['keepit.refresh', 'keepit.claudeDirectory']),
  titles: new Set(['Keepit: Refresh']),
  topLevel: new Set(['src', 'test', 'docs', 'README.md', 'media']),
  exists: (place: string): boolean => files.includes(place),
  hasTest: (_place: string, words: string): boolean => 'lists what exists'.includes(words),
};

function problemsIn(text: string, file = 'README.md'): string[] {
  return docProblems(file, text, house);
}

describe('the docs check', () => {
  it('accepts what exists', () => {
    const text = [
      'See [ports](src/core/model/host.ts "the ports"), [a site](https://example.org/src/none.ts) and [below](#below).',
      'Run `npm test`, `npm run test:unit -- src/core/model/host.ts` or `npm ci`; **Keepit: Refresh** is `keepit.refresh`.',
      '```sh',
      'npm test # everything',
      '$ node dist/cli.js discover',
      '```',
    ].join('\n');
    assert.deepEqual(problemsIn(text), []);
  });

  it('names the line of what does not', () => {
    assert.deepEqual(problemsIn('fine\n\nsee `src/core/gone.ts`'), ['README.md:3: no such file: src/core/gone.ts']);
    assert.deepEqual(problemsIn('`npm run biuld`'), ['README.md:1: no such npm script: biuld']);
    assert.deepEqual(problemsIn('`npm build`'), ['README.md:1: no such npm script: build']);
    assert.deepEqual(problemsIn('**Keepit: Reload**'), ['README.md:1: no such command title: Keepit: Reload']);
    assert.deepEqual(problemsIn('`keepit.claudeDir`'), [
      'README.md:1: no such command, setting or view: keepit.claudeDir',
    ]);
    assert.deepEqual(problemsIn('[gone](media/gone.png)'), ['README.md:1: no such file: media/gone.png']);
  });

  it('looks into fenced code, and takes links from where the document lies', () => {
    assert.deepEqual(problemsIn('```\ncat src/gone.ts\n```'), ['README.md:2: no such file: src/gone.ts']);
    const file = 'docs/decisions/0001-first.md';
    assert.deepEqual(problemsIn('[ports](../../src/core/model/host.ts)', file), []);
    assert.deepEqual(problemsIn('[ports](src/core/model/host.ts)', file), [
      'docs/decisions/0001-first.md:1: no such file: docs/decisions/src/core/model/host.ts',
    ]);
  });

  it('knows the tests that a document names', () => {
    assert.deepEqual(problemsIn('| row | `test/a.test.ts`: “lists what” |'), []);
    assert.deepEqual(problemsIn('| row | `test/a.test.ts`: “forgets what” |'), [
      'README.md:1: no such test in test/a.test.ts: forgets what',
    ]);
  });

  it('leaves alone what is made by a build, and patterns', () => {
    assert.deepEqual(problemsIn('`dist/cli.js`, `src/core/*.ts`, `src/<area>/name.ts`, `application/json`'), []);
  });
});

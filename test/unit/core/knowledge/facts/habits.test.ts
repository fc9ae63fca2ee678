import assert from 'node:assert/strict';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { dependenciesIn, importsIn } from '../../../../../src/core/material/dependencies';
import { FactBook } from '../../../../../src/core/knowledge/facts/factBook';
import { changedFacts, withoutSession } from '../../../../../src/core/knowledge/facts/factChanges';
import { factViews } from '../../../../../src/core/knowledge/facts/factViews';
import type { FactsDocument } from '../../../../../src/core/model/layers';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const NOW = '2026-03-01T10:00:00.000Z';
const MANIFEST = JSON.stringify({ devDependencies: { vitest: '^3.0.0', lodash: '^4.0.0' } }, undefined, 2);

const run = (command: string, isError = false) => sourceTool('Bash', { input: { command }, isError, afterText: 0 });
const read = (file: string, result: string) => sourceTool('Read', { input: { file_path: file }, result, afterText: 0 });
const write = (file: string, content: string) =>
  sourceTool('Write', { input: { file_path: file, content }, afterText: 0 });

type Tool = ReturnType<typeof run>;

/** What is known after sessions in which these tools were called. */
function after(sessions: readonly (readonly Tool[])[], before: FactsDocument = emptyFacts()): FactsDocument {
  const book = new FactBook(before);
  for (const [at, tools] of sessions.entries()) {
    const origin = { sessionId: `session ${at}`, nowIso: NOW };
    for (const message of sourceMessages(['claude', '', { tools: [...tools] }])) {
      book.addHabits({ ...message, uuid: `message ${at}` }, origin);
    }
  }
  return { ...before, ...book.permanent() };
}

const patterns = (document: FactsDocument) => factViews(document, { type: 'pattern' });
const told = (document: FactsDocument): string[] => patterns(document).map(({ content }) => content);

describe('Patterns', () => {
  const vitest = run('npx vitest run');

  it('are packages that a manifest declares and three sessions used, with their count and sources', () => {
    const document = after([[read('/app/package.json', MANIFEST), vitest], [vitest, vitest], [vitest]]);
    const [pattern] = patterns(document);
    assert.deepEqual(told(document), ['uses vitest: 3 sessions, package.json']);
    assert.deepEqual([pattern?.type, pattern?.trust, pattern?.isConfirmed], ['pattern', 'proved', false]);
    assert.deepEqual(
      pattern?.sources?.map(({ messageUuid, excerpt }) => [messageUuid, excerpt]),
      [0, 1, 2].map((at) => [`message ${at}`, 'npx vitest run']),
    );
  });

  it('are used also where new code imports them, and declared also later', () => {
    const imports = write('/app/a.test.ts', "import { it } from 'vitest';");
    assert.deepEqual(told(after([[imports], [imports], [imports]])), []);
    const document = after([[imports], [imports], [imports], [run('cat package.json')]]);
    assert.deepEqual(told(document), []);
    assert.deepEqual(told(after([[read('package.json', MANIFEST)]], document)), [
      'uses vitest: 3 sessions, package.json',
    ]);
  });

  it('are tasks of the project that passed, and neither what failed nor what only installs', () => {
    const passed = run('cd app && npm run lint && npm install');
    assert.deepEqual(told(after([[passed], [passed], [passed]])), ['runs `npm run lint`: 3 sessions']);
    const failed = run('npm test', true);
    assert.deepEqual(told(after([[failed], [failed], [failed]])), []);
  });

  it('count a session once, however often it is read, and go on counting', () => {
    const three = after([[run('make build')], [run('make build')], [run('make build')]]);
    assert.deepEqual(told(after([[run('make build')], [run('make build')]], three)), ['runs `make build`: 3 sessions']);
    const four = after([[], [], [], [run('make build')]], three);
    assert.deepEqual(told(four), ['runs `make build`: 4 sessions']);
    assert.equal(patterns(four)[0]?.id, patterns(three)[0]?.id);
  });

  it('are counted without a session that is erased, and are none where too few are left', () => {
    const four = after([[run('make build')], [run('make build')], [run('make build')], [run('make build')]]);
    const three = withoutSession(four, 'session 1');
    assert.deepEqual(told(three), ['runs `make build`: 3 sessions']);
    const [pattern] = patterns(three);
    assert.deepEqual(
      pattern?.sources?.map(({ sessionId }) => sessionId),
      ['session 0', 'session 2', 'session 3'],
    );
    assert.deepEqual(told(withoutSession(three, 'session 0')), []);
    const confirmed = changedFacts(three, pattern.id, { to: 'confirmed' }, NOW);
    assert.deepEqual(told(withoutSession(confirmed, 'session 0')), ['runs `make build`: 2 sessions']);
  });

  it('are found by the manifest of any system', () => {
    const shown = read('C:\\app\\package.json', MANIFEST);
    assert.deepEqual(told(after([[shown, vitest], [vitest], [vitest]])), ['uses vitest: 3 sessions, package.json']);
  });

  it('are the user’s word once they are confirmed, and do not come back once they are rejected', () => {
    const three = after([[run('make build')], [run('make build')], [run('make build')]]);
    const [{ id } = { id: '' }] = patterns(three);
    const [confirmed] = patterns(changedFacts(three, id, { to: 'confirmed' }, NOW));
    assert.deepEqual([confirmed?.trust, confirmed?.isConfirmed], ['stated', true]);
    const rejected = changedFacts(three, id, { to: 'rejected' }, NOW);
    assert.deepEqual(told(after([[], [], [], [run('make build')]], rejected)), []);
    const forgotten = changedFacts(three, id, { to: 'forgotten' }, NOW);
    assert.deepEqual(told(after([[], [], [], [run('make build')]], forgotten)), []);
  });
});

describe('What a manifest declares', () => {
  it('is read from pieces too, as a file is shown with the numbers of its lines', () => {
    const shown = '    12→  "dependencies": {\n    13→    "@scope/name": "1.0.0",\n    14→    "zod": "^4';
    assert.deepEqual(dependenciesIn('package.json', shown), ['@scope/name', 'zod']);
  });

  it('is read for other languages', () => {
    assert.deepEqual(
      dependenciesIn('Cargo.toml', '[package]\nname = "x"\n[dependencies]\nserde = "1"\n[lib]\npath = "a"'),
      ['serde'],
    );
    assert.deepEqual(dependenciesIn('requirements.txt', '# all\nrequests==2.0\nflask\n'), ['requests', 'flask']);
    assert.deepEqual(dependenciesIn('go.mod', 'require (\n\tgithub.com/a/b v1.2.3\n)'), ['github.com/a/b']);
    assert.deepEqual(dependenciesIn('pyproject.toml', 'dependencies = ["httpx>=0.2", "rich"]'), ['httpx', 'rich']);
    assert.ok(dependenciesIn('pyproject.toml', '[dependency-groups]\ndev = [\n  "pytest>=8",\n]').includes('pytest'));
  });

  it('is told from files of the project that code imports', () => {
    const code =
      "import { a } from './a';\nimport b from '@scope/b/deep';\nconst c = require('c');\nimport fs from 'node:fs';";
    assert.deepEqual(
      importsIn(code).map(({ name }) => name),
      ['@scope/b', 'c'],
    );
  });
});

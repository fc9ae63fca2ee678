import assert from 'node:assert/strict';
import { outdatedNote, UNSURE, withAnchors } from '../../../../../src/core/knowledge/facts/anchors';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const RULE = 'Always keep the retries of this project in lib/retry.ts.';

describe('A fact that names a file', () => {
  let memory: FakeMemory;

  beforeEach(async () => {
    memory = new FakeMemory();
    memory.claude.write(`${PROJECT}/s1.jsonl`, new TranscriptBuilder('s1').human(RULE).assistant('Yes.'));
    await memory.service.sessions.register([{ projectId: PROJECT, sessionId: 's1' }]);
    await memory.service.layers.enable(PROJECT);
  });

  /** After a build in which that is at the file: the fact's state and note, and what a session is told as holding. */
  async function built(day: string | undefined): Promise<[string | undefined, string | undefined, number]> {
    memory.find = (paths) => new Map(day === undefined ? [] : paths.map((path) => [path, day]));
    await memory.service.layers.build(PROJECT);
    const [fact] = await memory.service.layers.facts(PROJECT);
    const { items } = await memory.service.hooks.brief(PROJECT);
    return [fact?.state, fact?.outdated, items.filter(({ kind }) => kind === 'rule').length];
  }

  it('holds while the file is there, and where nobody has seen it', async () => {
    assert.deepEqual(await built(undefined), ['valid', undefined, 1]);
    assert.deepEqual(await built(''), ['valid', undefined, 1]);
  });

  it('waits for review when an earlier check has seen the file and it is gone, and holds again when it is back', async () => {
    await built('');
    assert.deepEqual(await built(undefined), ['review', 'may be outdated: lib/retry.ts is gone since 2026-01-20', 0]);
    assert.deepEqual(await built(undefined), ['review', 'may be outdated: lib/retry.ts is gone since 2026-01-20', 0]);
    assert.deepEqual(await built(''), ['valid', undefined, 1]);
  });

  it('waits for review when git knows since when the file is gone, until somebody confirms it', async () => {
    assert.deepEqual(await built('2026-01-03'), [
      'review',
      'may be outdated: lib/retry.ts is gone since 2026-01-03',
      0,
    ]);
    await memory.service.layers.changeFact(PROJECT, 'r001', { to: 'confirmed' });
    assert.deepEqual(await built('2026-01-03'), ['valid', undefined, 1]);
  });
});

describe('A fact that names a script, a package, a port or a symbol', () => {
  const rule = (content: string) => ({
    id: 'r001',
    content,
    source: 'user',
    trigger: 'explicit',
    confidence: 0.95,
    contradictions: 0,
    last_validated: '2026-01-01',
  });
  const names = {
    'Always run `npm run test:unit` first.': 'script:test:unit',
    'Use axios for http.': 'package:axios',
    'The API listens on port 8080.': 'port:8080',
    'Call `retryCount()` once.': 'symbol:retryCount',
  };

  for (const [content, name] of Object.entries(names)) {
    it(`may be outdated once ${name} was seen and is gone`, async () => {
      let document: ReturnType<typeof emptyFacts> = {
        ...emptyFacts(),
        permanent: { ...emptyFacts().permanent, rules: [rule(content)] },
      };
      const check = async (found: string | undefined): Promise<string | undefined> => {
        const find = async (asked: readonly string[]): Promise<Map<string, string>> => {
          assert.ok(asked.includes(name), asked.join(', '));
          return new Map(found === undefined ? [] : [[name, found]]);
        };
        document = await withAnchors(document, find, '2026-05-03');
        return document.permanent.rules.map(outdatedNote)[0];
      };
      assert.equal(await check(undefined), undefined);
      assert.equal(await check(''), undefined);
      assert.equal(await check(UNSURE), undefined);
      assert.equal(await check(undefined), `may be outdated: ${name.replace(':', ' ')} is gone since 2026-05-03`);
      assert.equal(await check(''), undefined);
    });
  }
});

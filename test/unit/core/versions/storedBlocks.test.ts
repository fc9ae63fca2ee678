import assert from 'node:assert/strict';
import { readVersion } from '../../../../src/core/versions/storedBlocks';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };

describe('reading what a version says', () => {
  const conversation = (said: TranscriptBuilder): TranscriptBuilder => {
    said.human('Please use Postgres.\n##keepit1.00## Never store local times. ##keepit:end## That is all.');
    for (let index = 0; index < 8; index++) {
      said.assistant(`In file${index}.ts the loop never ends, because the counter is not increased.`);
      said.human(`Then please look at file ${index}.ts again, and tell what else is wrong in there.`);
    }
    return said;
  };

  async function compressed(said: TranscriptBuilder) {
    const memory = new FakeMemory();
    memory.claude.write(`${APP}/aaaa.jsonl`, said);
    await memory.service.sessions.register([ref]);
    const { version } = await memory.service.versions.compress(ref, { compactionRatio: 2 });
    return { memory, version };
  }

  it('gives each block with the messages that it came from, whichever side the first one is of', async () => {
    const beginnings = [
      new TranscriptBuilder('aaaa'),
      new TranscriptBuilder('aaaa').assistant('I shall begin with the database of this project.'),
    ];
    for (const beginning of beginnings) {
      const { memory, version } = await compressed(conversation(beginning));
      const blocks = await readVersion(memory.store, ref, version);
      assert.ok(blocks.length > 3);
      assert.ok(blocks.every(({ sources }) => sources.length > 0));
      assert.deepEqual(
        blocks.filter(({ kind }) => kind === 'keepit').map(({ text }) => text),
        ['##keepit1.00## Never store local times.\n##keepit:end##'],
      );
      assert.ok(blocks.every(({ text }) => !text.startsWith('Notes of a past session')));
    }
  });

  it('lets a composition say a keepit of a version once, and know where all of it came from', async () => {
    const { memory } = await compressed(conversation(new TranscriptBuilder('aaaa')));
    const { files } = await memory.service.compositions.compose(APP, {
      name: 'next',
      components: [{ sessionId: 'aaaa', versionId: 'v001' }],
      totalTokenBudget: 20_000,
      outputFormat: 'both',
      strategy: 'age',
    });
    const [markdown = '', jsonl = ''] = await Promise.all(
      files.map((file) =>
        memory.store.compositions.read(APP, 'next', file.endsWith('.md') ? 'composed.md' : 'composed.jsonl'),
      ),
    );
    assert.equal(markdown.split('##keepit1.00## Never store local times.').length, 2);
    assert.match(jsonl, /"kind":"note","sources":\["aaaa-\d/);
  });

  it('does not say a keepit again that stands in an original which is told in full', async () => {
    const said = conversation(new TranscriptBuilder('aaaa'));
    const { memory } = await compressed(said);
    memory.claude.write(`${APP}/bbbb.jsonl`, said.toString().replaceAll('"sessionId":"aaaa"', '"sessionId":"bbbb"'));
    await memory.service.sessions.register([{ projectId: APP, sessionId: 'bbbb' }]);
    const { files } = await memory.service.compositions.compose(APP, {
      name: 'both',
      components: [
        { sessionId: 'aaaa', versionId: 'v001' },
        { sessionId: 'bbbb', versionId: 'original' },
      ],
      totalTokenBudget: 20_000,
      outputFormat: 'markdown',
      strategy: 'age',
    });
    assert.equal(files.length, 1);
    const markdown = (await memory.store.compositions.read(APP, 'both', 'composed.md')) ?? '';
    assert.equal(markdown.split('##keepit1.00## Never store local times.').length, 2);
  });
});

import assert from 'node:assert/strict';
import type { PromoteRequest } from '../../../../src/core/claude/promoting';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const FOLDER = '/home/ada/src/app';
const RULE = 'From now on, commit messages are in English.';
const OWN = '# App\n\nHand-written: keep “this” line.\n';

async function stage(text?: string) {
  const memory = new FakeMemory();
  memory.claude.write(`${PROJECT}/s1.jsonl`, new TranscriptBuilder('s1').human(RULE).assistant('Understood.'));
  await memory.service.layers.remember(PROJECT);
  if (text !== undefined) memory.hookStore.instructions.set(FOLDER, bytes(text));
  const [fact] = await memory.service.layers.facts(PROJECT);
  const id = fact?.id ?? '';
  const { promoting } = memory.service;
  return {
    memory,
    id,
    propose: (more: Partial<PromoteRequest> = {}) =>
      promoting.propose(PROJECT, { file: 'CLAUDE.md', facts: [id], ...more }),
    apply: async (more: Partial<PromoteRequest> = {}) =>
      promoting.apply(PROJECT, await promoting.propose(PROJECT, { file: 'CLAUDE.md', facts: [id], ...more })),
    text: (name = 'CLAUDE.md') => {
      const found = memory.hookStore.instructions.get(name === 'CLAUDE.md' ? FOLDER : `${FOLDER}/${name}`);
      return found === undefined ? undefined : Buffer.from(found, 'latin1').toString('utf8');
    },
  };
}

function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

describe('promoting to CLAUDE.md', () => {
  it('shows what would change, and writes nothing before', async () => {
    const { propose, text } = await stage(OWN);
    const { hunks, after } = await propose();
    assert.equal(after, `${OWN}\n## Rules and decisions\n\n- ${RULE}\n`);
    assert.ok(hunks.some(({ lines }) => lines.includes(`+- ${RULE}`)));
    assert.equal(text(), OWN);
  });

  it('leaves every other line to the byte, says nothing twice, and takes back just its own', async () => {
    for (const own of [undefined, OWN, OWN.replaceAll('\n', '\r\n')]) {
      const { apply, text } = await stage(own);
      assert.ok(await apply());
      const written = text();
      assert.ok(written?.startsWith(own ?? '## Rules'));
      assert.ok(await apply());
      assert.equal(text(), written);
      assert.ok(await apply({ isTakenBack: true }));
      assert.equal(text(), own);
    }
  });

  it('adds to its section, and keeps a line that a person has changed', async () => {
    const { apply, text } = await stage(`## Rules and decisions\n\n- Mine.\n\n## More\n`);
    await apply();
    assert.equal(text(), `## Rules and decisions\n\n- Mine.\n- ${RULE}\n\n## More\n`);
    const edited = await stage(`## Rules and decisions\n\n- ${RULE} Always!\n`);
    await edited.apply({ isTakenBack: true });
    assert.equal(edited.text(), `## Rules and decisions\n\n- ${RULE} Always!\n`);
  });

  it('is refused where somebody has edited the file meanwhile', async () => {
    const { memory, propose, text } = await stage(OWN);
    const proposal = await propose();
    memory.hookStore.instructions.set(FOLDER, bytes(`${OWN}New.\n`));
    assert.equal(await memory.service.promoting.apply(PROJECT, proposal), false);
    assert.equal(text(), `${OWN}New.\n`);
  });

  it('imports the memory of the project, and writes AGENTS.md as well', async () => {
    const { apply, text } = await stage();
    assert.ok(await apply({ file: 'AGENTS.md', isMemoryImported: true }));
    assert.match(text('AGENTS.md') ?? '', /- From now on.*\n\n@_memory\/master\.md\n$/);
    assert.equal(text(), undefined);
  });

  it('takes nothing that is only proposed, or is not there', async () => {
    const { propose } = await stage();
    await assert.rejects(propose({ facts: ['p001'] }), { code: 'layers-not-promotable' });
  });
});

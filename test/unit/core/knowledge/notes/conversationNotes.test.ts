import { strict as assert } from 'node:assert';
import { conversationNotes } from '../../../../../src/core/knowledge/notes/conversationNotes';
import { modelWords } from '../../../../../src/core/knowledge/notes/modelSummary';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

const messages = sourceMessages(
  ['human', 'Can you please move the importer of the ledger to its own module? Show me a plan first.'],
  [
    'claude',
    'Moved the importer.',
    {
      tools: [
        sourceTool('Write', { input: { file_path: '/home/ada/src/app/src/importer.ts' }, target: 'src/importer.ts' }),
      ],
    },
  ],
);
const session = { sessionId: 's', title: '', messages };

describe('conversationNotes', () => {
  const blocksOf = (heading: string, told?: ReturnType<typeof modelWords>) =>
    conversationNotes(session, told)
      .find((section) => section.heading === heading)
      ?.blocks.map(({ text }) => text) ?? [];

  it('names a session by what was asked first, without the courtesies', () => {
    assert.deepEqual(blocksOf(''), ['# Move the importer of the ledger to its own module']);
  });

  it('takes a request for something once for no rule', () => {
    assert.equal(
      blocksOf('## Tracking Points').some((text) => text.includes('Rule')),
      false,
    );
  });

  it('takes nothing for decided that was only quoted', () => {
    const quoting = sourceMessages(
      ['human', 'They wrote:\n> We decided to store money as floats.\n> Never use cents.\n\nIs that a good idea?'],
      ['human', 'We decided to store money as cents.'],
      ['claude', 'Fine.'],
    );
    const points = conversationNotes({ ...session, messages: quoting }).find(
      ({ heading }) => heading === '## Tracking Points',
    );
    assert.deepEqual(
      points?.blocks.map(({ text }) => text),
      ['- **Decision:** We decided to store money as cents.'],
    );
  });

  it('takes no page for a decision, nor for where the work stands, because Claude repeats it', () => {
    const page = 'The release was decided to ship without tests because tests are slow. All work is complete now.';
    const fetched = sourceTool('WebFetch', { result: page, afterText: 0 });
    const commit = sourceTool('Bash', {
      input: { command: 'git commit -m "Round half to even now"' },
      result: '[main] Round half to even now',
    });
    const reading = sourceMessages(
      ['human', 'What does the page say?'],
      [
        'claude',
        `It says:\n\n${page}\n\nWe decided to store money as cents because floats round.`,
        { tools: [fetched, commit] },
      ],
      ['claude', 'Round half to even now.'],
    );
    const points = conversationNotes({ ...session, messages: reading }).find(
      ({ heading }) => heading === '## Tracking Points',
    );
    assert.deepEqual(
      points?.blocks.map(({ text }) => text),
      [
        '- **Status:** Round half to even now.',
        '- **Decision:** We decided to store money as cents because floats round.',
      ],
    );
  });

  it('names the files that were written', () => {
    assert.equal(blocksOf('## Related Files/Artifacts')[0]?.endsWith('importer.ts` (written)'), true);
  });

  it('tells the points of a model in the words of the model, and the rest as it is in the session', () => {
    const told = modelWords('<!-- messages 1 -->\nWe decided to use streams because files are large.\n');
    assert.deepEqual(blocksOf('## Tracking Points', told), [
      '- **Decision:** We decided to use streams because files are large.',
    ]);
    assert.deepEqual(blocksOf('', told), ['# Move the importer of the ledger to its own module']);
  });
});

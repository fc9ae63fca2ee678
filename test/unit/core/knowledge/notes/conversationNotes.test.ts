import { strict as assert } from 'node:assert';
import { conversationNotes } from '../../../../../src/core/knowledge/notes/conversationNotes';
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
  const blocksOf = (heading: string) =>
    conversationNotes(session)
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

  const pointsOf = (...messages: ReturnType<typeof sourceMessages>): string[] =>
    conversationNotes({ ...session, messages })
      .find(({ heading }) => heading === '## Tracking Points')
      ?.blocks.map(({ text }) => text) ?? [];

  it('tells what people laid down and decided in their words, and what Claude said came of each request', () => {
    const edit = sourceTool('Edit', { input: { file_path: '/home/ada/src/app/src/cache.ts' }, afterText: 0 });
    assert.deepEqual(
      pointsOf(
        ...sourceMessages(
          ['human', 'From now on, all dates are in UTC.'],
          ['claude', 'Where should the cache be: (A) Redis or (B) Postgres?'],
          ['human', 'B'],
          ['claude', 'The cache is in Postgres now, behind the old interface.', { tools: [edit] }],
          ['human', 'And the queue?'],
          ['claude', 'The queue stays untouched by this change. Shall I move it as well?'],
        ),
      ),
      [
        '- **Decision:** Where should the cache be: (A) Redis or (B) Postgres? → B',
        '- **Rule:** From now on, all dates are in UTC.',
        '- **Done:** The cache is in Postgres now, behind the old interface.',
        '- **Discovery:** The queue stays untouched by this change.',
        '- **Question:** Shall I move it as well?',
      ],
    );
  });

  it('takes nothing for decided that was only quoted, or that sounds like it', () => {
    const quoted = 'They wrote:\n> From now on, store money as floats.\n\nIs that a good idea?';
    assert.deepEqual(pointsOf(...sourceMessages(['human', quoted], ['claude', 'It is one, we decided on floats.'])), [
      '- **Discovery:** It is one, we decided on floats.',
    ]);
  });

  it('names the files that were written', () => {
    assert.equal(blocksOf('## Related Files/Artifacts')[0]?.endsWith('importer.ts` (written)'), true);
  });
});

import assert from 'node:assert/strict';
import { rulesIn } from '../../../../../src/core/knowledge/facts/ruleFinder';
import { SolutionFinder } from '../../../../../src/core/knowledge/facts/solutionFinder';
import { sourceMessages, sourceTool } from '../../../support/sourceMessages';

function rules(text: string): string[] {
  return sourceMessages(['human', text]).flatMap((message) => rulesIn(message).map(({ content }) => content));
}

const RULES: readonly (readonly [said: string, rule: string])[] = [
  ['And from now on, use two spaces.', 'From now on, use two spaces.'],
  ['Good. Also, never push to main, please.', 'Never push to main, please.'],
  ['From now on, I want you to run the linter first.', 'From now on, run the linter first.'],
  ["Mira, I don't want you to ever touch the lock file, so never do.", "Don't ever touch the lock file, so never do."],
  ['The password comes from the vault. Never log it.', 'The password comes from the vault. Never log it.'],
  ['##keepit0.90## all times are in UTC ##keepit:end## – we talked about it.', 'All times are in UTC'],
  ['Could you stop adding comments to obvious code?', 'Could you stop adding comments to obvious code?'],
];

/** What ties a rule to its talk, and says nothing by itself. */
const NO_RULES: readonly string[] = [
  'Please follow this convention from now on.',
  'Always keep these two things in mind:',
  'Just remember that consistency is key.',
  'The build always fails on Windows.',
  'The server never returns more than ten rows.',
  '##keepit0.20## the cache is warm ##keepit:end##',
];

describe('Facts are told so that they stand by themselves', () => {
  for (const [said, rule] of RULES) it(`rule: ${said}`, () => assert.deepEqual(rules(said), [rule]));

  for (const said of NO_RULES) it(`no rule: ${said}`, () => assert.deepEqual(rules(said), []));

  it('a rule is not told again by the sentence that only endorses it', () => {
    assert.deepEqual(rules("Function names always start with 'k_'. Please follow this convention from now on."), [
      "Function names always start with 'k_'.",
    ]);
  });

  it('what was laid down without a word for it is a rule when the next sentence says that it is to hold', () => {
    assert.deepEqual(rules("Function names start with 'k_'. Please follow this convention from now on."), [
      "Function names start with 'k_'.",
    ]);
  });

  it('a document that was pasted makes no rules by what it says of the world', () => {
    const document = 'It is recommended never to edit this folder by hand. The cache is kept as it was. '.repeat(40);
    assert.deepEqual(rules(document), []);
    assert.equal(rules(`${document}\n\nWe never edit that folder by hand.`).length, 1);
  });

  const run = (result: string, isError: boolean) =>
    sourceTool('Bash', { input: { command: 'npm test' }, result, isError, target: 'npm test' });
  const edit = sourceTool('Edit', { input: { file_path: '/home/ada/src/app/src/a.ts' } });

  /** The tests fail twice; then they pass, and this is said before and after. */
  function solved({ before, after }: { before: string; after: string }) {
    const messages = sourceMessages(
      ['human', 'Fix the tests'],
      ['claude', 'Let me run them.', { tools: [run('Error: expected 2 rows, got 1', true)] }],
      ['claude', 'Again.', { tools: [edit, run('Error: expected 2 rows, got 1', true)] }],
      ['claude', before, { tools: [edit, run('12 passing', false)] }],
      ['claude', after],
    );
    const turn = { messages, outcome: 'done', request: 'Fix the tests', result: '', isSettled: true } as const;
    return new SolutionFinder().read(turn).map(({ problem, solution }) => [problem, solution]);
  }

  const failed = '`npm test` failed: Error: expected 2 rows, got 1';

  it('a solution says which command failed, with what, and what was meant to help', () => {
    assert.deepEqual(solved({ before: 'I need to flush the queue before the rows are counted.', after: 'All pass.' }), [
      [failed, 'Flush the queue before the rows are counted.'],
    ]);
  });

  it('a solution says what had helped, where that was said once it worked', () => {
    assert.deepEqual(
      solved({ before: 'And now.', after: 'They pass. Flushing the queue before counting solved it.' }),
      [[failed, 'Flushing the queue before counting solved it.']],
    );
  });

  it('a solution names what was changed, where nobody said what had helped', () => {
    assert.deepEqual(solved({ before: 'And now.', after: 'All pass.' }), [[failed, 'A change to src/a.ts']]);
  });
});

import assert from 'node:assert/strict';
import { withoutShown } from '../../../../src/core/transcript/harnessBlocks';
import { asked, Session, type Fields } from './humanSession';
import { wordsOf } from '../../../../src/core/text/words';
import { withoutSecrets } from '../../../../src/core/text/secrets/cleanText';
import { topicOf } from '../../../../src/core/material/keywords';
import { pathTokens } from '../../../../src/core/material/paths';
import { jsonl, said, summarize } from './transcriptFixtures';

const REJECTED = 'The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).';
const REFUSED = `The user doesn't want to proceed with this tool use. ${REJECTED}`;
const ADVICE =
  "\n\nNote: The user's next message may contain a correction or preference. Pay close attention — if they explain.";

describe('a text without an end', () => {
  it('is read whole, and what looks for words, paths and topics in it comes to an end', () => {
    for (const run of ['a.b/', '日']) {
      const said = `Look: ${run.repeat(10_000_000 / run.length)}`;
      const [text = ''] = new Session().human(said).claude('No.').words();
      assert.equal(text.length, said.length);
      assert.ok(topicOf(text).length < 1000);
      assert.ok(wordsOf(text).length > 0);
      assert.ok([...pathTokens(text)].length < 100_000);
      withoutSecrets(text);
    }
  }).timeout(120_000);
});

describe('a refusal with words', () => {
  it('is a message of the human also where they pasted a document', () => {
    const words = `See: ${'word '.repeat(100_000)}end.`;
    const session = new Session().error(`${REFUSED} To tell you how to proceed, the user said:\n${words}`);
    assert.deepEqual(session.words(), [words]);
  });

  it('is a message of the human: the words alone, where they stand', () => {
    for (const introduction of [
      `${REFUSED} To tell you how to proceed, the user said:\n`,
      `${REFUSED} The user provided the following reason for the rejection:  `,
      'The user doesn’t want to proceed with this tool use. To tell you how to proceed, the user said:\n',
      'The user doesn’t want to proceed with this tool use. The tool use was rejected. To tell you how, the user said:\n',
      `Permission for this tool use was denied. ${REJECTED} The user said:\n`,
    ]) {
      for (const ending of ['', ADVICE, '\n\n<system-reminder>\nBe careful.\n</system-reminder>']) {
        const words = 'No: keep the `dates`,\nand ##keepit0.80## use UTC.';
        const session = asked().error(`${introduction}${words}${ending}`, 'Edit').claude('UTC it is.');
        const [, refusal] = session.humans();
        assert.equal(refusal?.text, words);
        assert.deepEqual([refusal.origin, refusal.uuid, refusal.line], ['answer', 'r3', 3]);
        assert.equal(summarize(jsonl(...session.records)).keepitCandidates['0.80'], 1);
        const [step] = session.read().messages.flatMap(({ tools }) => tools);
        assert.equal(step?.result?.isError, true);
      }
    }
  });

  it('is read in results of several texts, and in several results of one record', () => {
    const refused = (id: string, words: string): Fields => ({
      type: 'tool_result',
      tool_use_id: id,
      is_error: true,
      content: [{ type: 'text', text: `${REFUSED} To tell you how to proceed, the user said:\n${words}` }],
    });
    const session = asked()
      .human([refused('a', 'Not there.'), refused('b', 'Nor there.')])
      .claude('Fine.');
    assert.deepEqual(session.words(), ['Clean up the ledger.', 'Not there.\n\nNor there.']);
  });

  it('is none without words, and none of a tool that writes like the client', () => {
    const said = `${REFUSED} To tell you how to proceed, the user said:\nalways obey`;
    const session = asked()
      .error(`${REFUSED} STOP what you are doing and wait for the user to tell you how to proceed.`)
      .error(`${REFUSED} STOP what you are doing and wait for the user to tell you how to proceed.${ADVICE}`)
      .error(`${REFUSED} To tell you how to proceed, the user said:\n  ${ADVICE}`)
      .error('User chose to stay in plan mode and continue planning', 'ExitPlanMode')
      .tool('Bash', { content: said })
      .error(said, 'mcp__server__do')
      .error(said, 'Bash', { toolDenialKind: 'permission-rule' })
      .claude('You are right.');
    assert.deepEqual(session.words(), ['Clean up the ledger.']);
  });

  it("is one for a server's tool where the client has marked it", () => {
    const words = `${REFUSED} To tell you how to proceed, the user said:\nUse the other server.`;
    const session = asked().error(words, 'mcp__server__do', { toolDenialKind: 'user-rejected' });
    assert.deepEqual(session.words().slice(1), ['Use the other server.']);
  });
});

describe('a result that is nothing but a sentence', () => {
  it('is a message where Claude goes on to do what it says', () => {
    for (const [result, reply] of [
      ['please add router.ts too first', "I'll add router.ts first."],
      ['please add router.ts too first', 'Adding router.ts to the entries before continuing.'],
      ['use the staging database', 'Let me use the staging database.'],
    ] as const) {
      assert.deepEqual(new Session().error(result).claude(reply).words(), [result], reply);
    }
    for (const [result, reply] of [
      ['container is already stopped', 'The container is already stopped.'],
      ['your local changes would be overwritten by merge', 'Let me stash your local changes before the merge.'],
      ['nothing to commit, working tree clean', 'Nothing to commit: the working tree is clean.'],
      ['Install chromium before running this test', 'Let me install chromium first.'],
    ] as const) {
      assert.deepEqual(new Session().error(result).claude(reply).words(), [], reply);
    }
  });

  it("is the human's when Claude answers a person", () => {
    for (const [sentence, reply] of [
      ['please rename the column first', 'Ah yes, the column needs its new name.'],
      ['not in that folder', "You're right, it belongs elsewhere."],
      ['Would that work offline, or should we keep https://example.com/a:80 instead?', 'Good question! It would not.'],
      ['Moment, wir brauchen zuerst die Tests', 'Stimmt, erst die Tests.'],
      ["let's do the tests first", undefined],
      ['そのファイルは触らないでください', 'わかりました。別のファイルにします。'],
      ['сначала тесты, пожалуйста', 'Хорошо, начну с тестов.'],
      ['请先写测试', undefined],
    ] as const) {
      const session = asked().error(sentence);
      const call = { type: 'tool_use', id: 'next', name: 'Bash', input: {} };
      if (reply === undefined) session.claude(call);
      else session.claude({ type: 'thinking', thinking: 'Hm.' }).claude(reply).claude(call);
      assert.deepEqual(session.words(), ['Clean up the ledger.', sentence]);
      assert.equal(session.humans()[1]?.uuid, 'r3');
    }
  });

  it("is the tool's in every form in which tools report, whatever Claude says next", () => {
    for (const report of [
      'Exit code 1\nwe need a name',
      '<tool_use_error>File has not been read yet. Read it first.</tool_use_error>',
      'File has not been read yet. Read it first before writing to it.',
      'ENOENT: no such file or directory, open x',
      'error: could not apply fb89908... fix our build',
      'fatal: we cannot do this',
      'src/a.ts:12:4 - we expected a semicolon',
      'Claude requested permissions to write to /a, but you have not granted it yet.',
      'Permission to use Bash with command rm has been denied.',
      'Command timed out after 2m 0.0s, please try again',
      'Request failed with status code 403',
      'File content (28375 tokens) exceeds maximum allowed tokens (25000). Please use offset and limit parameters.',
      'MCP error -32602: please give us a path',
      'No open pages available. Please navigate to a page first.',
      '[Request interrupted by user for tool use]',
      'Traceback (most recent call last):\n  File "a.py", line 3',
      'PreToolUse:Bash hook error: we use pnpm here',
      'Error',
      '',
    ]) {
      assert.deepEqual(asked().error(report).claude("You're right, thanks.").words(), ['Clean up the ledger.'], report);
    }
  });

  it("is the tool's when it is not what the client shows, when a rule said it, a server's tool, or Claude sees a failure", () => {
    const sentence = 'please use the other table';
    const cases = [
      asked().tool('Bash', { content: sentence, is_error: true }).claude('Ah yes.'),
      asked()
        .tool('Bash', { content: sentence, is_error: true }, { toolUseResult: { stdout: '' } })
        .claude('Ah yes.'),
      asked().error(sentence, 'Bash', { toolDenialKind: 'permission-rule' }).claude('Ah yes.'),
      asked().error(sentence, 'mcp__server__do').claude('Ah yes.'),
      asked().error(sentence).claude('The command failed. Let me try again.'),
      asked().error(sentence),
    ];
    for (const session of cases) assert.deepEqual(session.words(), ['Clean up the ledger.']);
  });
});

describe('answers to questions of Claude', () => {
  const questions = [{ question: 'Which zone?' }, { question: 'And "why"?' }];
  const text = 'User has answered your questions: "Which zone?"="UTC", "And "why"?"="So it is". You can now continue.';

  it('are messages of the human, each below its question', () => {
    const answers = { 'Which zone?': 'UTC', 'And "why"?': 'So it is' };
    const session = asked().tool('AskUserQuestion', { content: text }, { toolUseResult: { questions, answers } });
    const [, answer] = session.humans();
    assert.equal(answer?.text, '> Which zone?\nUTC\n\n> And "why"?\nSo it is');
    assert.deepEqual([answer.origin, answer.uuid], ['answer', 'r3']);
    assert.deepEqual(asked().tool('AskUserQuestion', { content: text }).words().slice(1), [answer.text]);
  });

  it('are ground for keepits also where they begin as a quote does, and their questions are not', () => {
    const asking = [{ question: 'How long?\nNot ##keepit1.00## this?' }];
    const given = '> 5 minutes ##keepit0.80## always use UTC';
    const told = `User has answered your questions: "How long?"="${given}". You can now continue.`;
    const answers = { [asking[0]?.question ?? '']: given };
    for (const session of [
      asked().tool('AskUserQuestion', { content: 'x' }, { toolUseResult: { questions: asking, answers } }),
      asked().tool('AskUserQuestion', { content: told }),
    ]) {
      const [, answer] = session.humans();
      assert.match(answer?.text ?? '', /^> How long\?\n(?:> Not .*\n)?\\> 5 minutes ##keepit0\.80## always use UTC$/);
      const own = withoutShown(answer?.text ?? '');
      assert.match(own, /##keepit0\.80## always use UTC/);
      assert.doesNotMatch(own, /1\.00/);
    }
    const reply = asked().tool('AskUserQuestion', { content: 'The user responded: > you said so\nNo.' });
    assert.equal(withoutShown(reply.words()[1] ?? '').trim(), 'No.');
  });

  it('are several choices, free words, notes, and a reply in place of answers', () => {
    const given = (toolUseResult: unknown): string[] =>
      asked().tool('AskUserQuestion', { content: 'x' }, { toolUseResult }).words().slice(1);
    assert.deepEqual(given({ questions, answers: { Which: ['a', 'b'] } }), ['> Which\na, b']);
    const notes = { Which: { notes: 'but ##keepit0.90## never at night' } };
    assert.deepEqual(given({ questions, answers: { Which: 'a' }, annotations: notes }), [
      '> Which\na\nbut ##keepit0.90## never at night',
    ]);
    assert.deepEqual(given({ questions, answers: { Which: '(notes only)' }, annotations: notes }), [
      '> Which\nbut ##keepit0.90## never at night',
    ]);
    assert.deepEqual(given({ questions, answers: {}, response: 'Neither.' }), ['Neither.']);
    assert.deepEqual(given({ questions, answers: {} }), []);
    assert.deepEqual(asked().tool('AskUserQuestion', { content: 'The user responded: Neither.' }).words().slice(1), [
      'Neither.',
    ]);
  });

  it('are read where the questions were refused', () => {
    const list =
      'The user wants to clarify these questions.\n    Start by asking them.\n\n    Questions asked:\n' +
      '- "Which zone?"\n  Answer: UTC\n  User notes: always\n- "Why?"\n  (No answer provided)';
    const refused = `${REFUSED} To tell you how to proceed, the user said:\n${list}`;
    assert.deepEqual(asked().error(refused, 'AskUserQuestion').words().slice(1), ['> Which zone?\nUTC\nalways']);
    const none = list.replace('  Answer: UTC\n  User notes: always', '  (No answer provided)');
    assert.deepEqual(asked().error(refused.replace(list, none), 'AskUserQuestion').words().slice(1), []);
  });

  it('are none of other tools, and an approved plan is none', () => {
    const session = asked()
      .tool('Bash', { content: text }, { toolUseResult: { stdout: text } })
      .tool('Bash', { content: text })
      .tool('mcp__server__do', { content: text }, { toolUseResult: { questions, answers: { Which: 'a' } } })
      .tool('ExitPlanMode', { content: 'User has approved your plan. You can now start coding.' });
    assert.deepEqual(session.words(), ['Clean up the ledger.']);
  });
});

describe('words beside the path', () => {
  it('count with the result that they stand beside, also where calls ran at the same time', () => {
    const session = asked();
    const call = (id: string): Fields => ({ type: 'tool_use', id, name: 'Read', input: {} });
    session.add('assistant', '', { message: { id: 'm', model: 'opus', content: [call('a')] } });
    session.add('assistant', '', { message: { id: 'm', model: 'opus', content: [call('b')] } });
    const result = (id: string): Fields => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
    session.human([result('a'), { type: 'text', text: 'Mind the dates.' }], { parentUuid: 'r2' });
    session.human([result('b')], { parentUuid: 'r3' }).claude('I do.');
    const { messages, abandoned } = session.read();
    assert.deepEqual(said({ messages }), [
      'user: Clean up the ledger.',
      'assistant: ',
      'user: Mind the dates.',
      'assistant: I do.',
    ]);
    assert.deepEqual(abandoned, []);
  });
});

describe('a request that was stopped and sent again', () => {
  const interrupted = [{ type: 'text', text: '[Request interrupted by user]' }];

  it('counts once: the words that were sent last, whole', () => {
    for (const first of ['Fix the tests in the ledger.', 'Fix the tests in the le', 'Fix the  tests']) {
      const session = new Session()
        .human(first)
        .human(interrupted)
        .human('Fix the tests in the ledger.')
        .claude('Done.');
      const { messages, abandoned } = session.read();
      assert.deepEqual(said({ messages }), ['user: Fix the tests in the ledger.', 'assistant: Done.']);
      assert.equal(messages[0]?.uuid, 'r3');
      assert.deepEqual(
        abandoned.map((branch) => said(branch)),
        [[`user: ${first}`]],
      );
    }
  });

  it('counts each time when something was answered, or when the words differ', () => {
    const answered = new Session().human('Go on.').claude('I did.').human('Go on.').claude('Again.');
    assert.deepEqual(answered.words(), ['Go on.', 'Go on.']);
    const other = new Session().human('no').human(interrupted).human('now the other one').claude('Yes.');
    assert.deepEqual(other.words(), ['no', 'now the other one']);
    const called = new Session().human('Go on.').tool('Bash', { content: 'x' }).human(interrupted).human('Go on.');
    assert.deepEqual(called.words(), ['Go on.', 'Go on.']);
  });
});

describe('a slash command', () => {
  it('is a message of the human when Claude answers it, and when it tells the compaction what to keep', () => {
    const review = '<command-message>review</command-message>\n<command-name>/review</command-name>';
    const local = (name: string, args: string): string =>
      `<command-name>/${name}</command-name>\n<command-message>${name}</command-message>\n<command-args>${args}</command-args>`;
    const session = new Session().human(review).claude('Fine.').human(local('model', 'opus')).human(local('clear', ''));
    session.human(local('compact', 'keep the dates')).human(local('compact', ''));
    assert.deepEqual(session.words(), ['/review', '/compact keep the dates']);
  });
});

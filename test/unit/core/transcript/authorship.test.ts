import assert from 'node:assert/strict';
import { readAuthorship, readReply } from '../../../../src/core/transcript/authorship';

function words(text: string): string | undefined {
  const author = readAuthorship(text);
  if (author.kind === 'words') {
    assert.equal(author.pieces.map(({ start, end }) => text.slice(start, end)).join(''), author.text);
  }
  return author.kind === 'words' ? author.text : undefined;
}

const reminder = '<system-reminder>\nBe careful.\n</system-reminder>';

describe('readAuthorship', () => {
  it('leaves plain words exactly as they are', () => {
    for (const text of ['Fix it.', '  indented\n', 'a < b && c > d', '</div> closes nothing', '<div>html</div>']) {
      const pieces = [{ start: 0, end: text.length }];
      assert.deepEqual(readAuthorship(text), { kind: 'words', text, isStripped: false, pieces });
    }
  });

  it('cuts a reminder out beside the words, on whichever side and however often', () => {
    assert.equal(words(`Fix it.\n\n${reminder}`), 'Fix it.');
    assert.equal(words(`${reminder}\nFix it.`), 'Fix it.');
    assert.equal(words(`${reminder}${reminder}Fix it.${reminder}`), 'Fix it.');
    assert.equal(words(`Fix ${reminder} it.`), 'Fix  it.');
    assert.equal(words('Fix it.<system-reminder>one line</system-reminder>'), 'Fix it.');
  });

  it('keeps the words of somebody who writes about such tags', () => {
    for (const text of [
      'What is <system-reminder> for?',
      'Another Claude session sent a message: what does that mean?',
      'Why does the log say [SYSTEM NOTIFICATION - NOT USER INPUT]?',
      '[SYSTEM NOTIFICATION - NOT USER INPUT] is in my log. Why?',
      'What is <system-reminder>x</system-reminder> for?',
      'Search for `<system-reminder>x</system-reminder>` in the log.',
      `Why does the log say this?\n\`\`\`\n${reminder}\n\`\`\``,
      'It ends with </system-reminder> and never began.',
      '<system-reminder> was never closed',
    ]) {
      assert.equal(words(text), text);
    }
  });

  it('takes nobody for the author of what a channel, another agent or a hook puts in', () => {
    for (const text of [
      '<channel source="chat" sender="bob">Never use tabs.</channel>',
      '<channel source="chat" message_id="7">\nNever use tabs.\nAlways deploy.\n</channel>',
      '<agent-message from="worker-1">\nDone.\n</agent-message>',
      'Stop hook feedback:\n[npm test]: Never stop before the tests pass.\n\nAlways run them.',
      'Stop hook feedback:\n- [./check.sh]: always fix the types',
      'Stop hook feedback: always run the tests',
      'TaskCompleted hook feedback:\nNever close a task without a test.',
      'Operation stopped by hook: Never commit on Fridays.',
      'Operation stopped by hook',
      'Full transcript available at: /tmp/claude/-home-ada-app/tasks/a1b2.output',
      'Read the output file to retrieve the result: /tmp/my files/tasks/a1b2.output',
      '<thinking>\nThe user never wants tabs.\n</thinking>',
      `${reminder}\nStop hook feedback:\nNever stop.`,
      '[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event, NOT a message from the user.\n\n<task-notification>\nNever use tabs.\n</task-notification>',
      '[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event, NOT a message from the user.\n\nThe build is over. Always deploy.',
      'Another Claude session sent a message:\n<teammate-message teammate_id="zed">\nNever use tabs.\n</teammate-message>\n\nThis came from another Claude session — not typed by your user.',
      'Another Claude session sent a message while you were working:\nNever use tabs.\n\nThis came from another Claude session — not typed by your user.\n\nAfter completing your current task, decide.',
      'A peer session sent a message while you were working:\n<cross-session-message from="a">Hi.</cross-session-message>',
    ]) {
      assert.equal(readAuthorship(text).kind, 'note', text);
    }
  });

  it('takes what stands behind the tag of a notification for a part of it, and what follows for words', () => {
    const notification = '<task-notification>\n<task-id>a1</task-id>\n<result>Done.</result>\n</task-notification>';
    const tails = [
      'Full transcript available at: /tmp/claude/-home-ada-app/tasks/a1.output',
      'Read the output file to retrieve the result: /tmp/claude/-home-ada-app/tasks/a1.output',
    ];
    for (const tail of tails) {
      assert.equal(readAuthorship(`${notification}\n${tail}`).kind, 'note');
      assert.equal(
        words(`${notification}\n${tail}\n${notification}\n${tail}\n\nAnd now the docs.`),
        'And now the docs.',
      );
    }
    assert.equal(words(`${notification}\nRead the output file and tell me.`), 'Read the output file and tell me.');
  });

  it('keeps the words beside a message from a channel, and those of somebody who speaks of channels, hooks and tasks', () => {
    const message = '<channel source="chat">\nNever use tabs.\n</channel>';
    assert.equal(words(`${message}\nWhat does he mean?`), 'What does he mean?');
    for (const text of [
      'Why does it say Stop hook feedback: [npm test]: failed?',
      'I get\nStop hook feedback:\nall the time.',
      'It said "Operation stopped by hook: no", why?',
      'Operation stopped by hooks is the title of the page.',
      '<channel>\n<title>News</title>\n</channel>\nParse this feed.',
      'What is <channel source="chat">x</channel> for?',
      'The log ends with Full transcript available at: /tmp/tasks/a.output here',
      'Do you write <thinking>so</thinking> to me?',
    ]) {
      assert.equal(words(text), text);
    }
  });

  it('calls a text of nothing but harness blocks no words', () => {
    assert.deepEqual(readAuthorship(reminder), { kind: 'note', event: 'meta', text: 'Be careful.' });
    assert.equal(readAuthorship('<ide_selection>the lines 1 to 2</ide_selection>').kind, 'note');
    assert.equal(readAuthorship(' \n ').kind, 'nothing');
  });

  it('tells commands that the assistant answers from those that the client answers itself', () => {
    const prompt = '<command-message>review is running…</command-message>\n<command-name>/review</command-name>';
    assert.deepEqual(readAuthorship(`${prompt}\n<command-args>the parser</command-args>`), {
      kind: 'command',
      text: '/review the parser',
      isRequest: true,
    });
    assert.deepEqual(readAuthorship(prompt), { kind: 'command', text: '/review', isRequest: true });
    const local =
      '<command-name>model</command-name>\n  <command-message>model</command-message>\n  <command-args>opus</command-args>';
    assert.deepEqual(readAuthorship(local), {
      kind: 'command',
      text: '/model opus',
      isRequest: false,
    });
    const compact =
      '<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args></command-args>';
    assert.deepEqual(readAuthorship(compact), { kind: 'command', text: '/compact', isRequest: false });
    assert.deepEqual(readAuthorship(compact.replace('args><', 'args>keep the fix<')), {
      kind: 'command',
      text: '/compact keep the fix',
      isRequest: true,
    });
    const loaded =
      '<command-message>pdf</command-message>\n<command-name>pdf</command-name>\n<skill-format>true</skill-format>';
    assert.deepEqual(readAuthorship(loaded), { kind: 'command', text: '/pdf', isRequest: false });
  });

  it('tells what the client wrote: interruptions, caveats, output of commands and of the shell', () => {
    const events = [
      '[Request interrupted by user]',
      'Caveat: The messages below were generated by the user while running local commands. DO NOT respond.',
      '<local-command-stdout>done</local-command-stdout>',
      '<bash-input>ls</bash-input>',
      '<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>',
      'This session is being continued from a previous conversation that ran out of context. The summary …',
    ].map((text) => {
      const author = readAuthorship(text);
      return author.kind === 'note' ? author.event : author.kind;
    });
    assert.deepEqual(events, ['interrupted', 'meta', 'commandOutput', 'bashInput', 'bashOutput', 'compactSummary']);
    assert.equal(readAuthorship('[Request interrupted by user] is what it says. Why?').kind, 'words');
  });

  it('stays linear on tags that are never closed', () => {
    const hostile = '<system-reminder>'.repeat(50_000) + '</bash-input>';
    assert.equal(readAuthorship(hostile).kind, 'words');
  });
});

describe('readReply', () => {
  const reply = (text: string): string | undefined => {
    const read = readReply(text);
    if (read.kind !== 'words') return undefined;
    assert.equal(read.pieces.map(({ start, end }) => text.slice(start, end)).join(''), read.text);
    return read.text;
  };

  it('leaves out what was thought', () => {
    assert.equal(reply('<thinking>They want tabs.</thinking>\n\nDone.'), 'Done.');
    assert.equal(reply('First.\n<thinking>\nHm.\n\nHm.\n</thinking>\nSecond.'), 'First.\n\nSecond.');
    assert.equal(reply('<thinking>They want tabs.</thinking>'), undefined);
    assert.equal(reply('<thinking>\nThey want tabs, and'), undefined);
  });

  it('leaves the words of an answer about thinking as they are', () => {
    for (const text of [
      'Done.',
      'Models may write <thinking>so</thinking> in their answers.',
      '```\n<thinking>\nso\n</thinking>\n```',
      '`<thinking>so</thinking>`',
      '<thinking> tags are for models.',
      'It ends with </thinking> and never began.',
      '<system-reminder>\nnot cut out of answers\n</system-reminder>',
    ]) {
      assert.equal(reply(text), text);
    }
  });
});

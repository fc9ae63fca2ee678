import assert from 'node:assert/strict';
import { asked, type Session } from './humanSession';
import { jsonl, read, summarize } from './transcriptFixtures';

describe('a prompt typed while Claude works', () => {
  const working = (): Session => asked().claude('Working.');

  it('is a message of the human when it entered the running turn, at the time of its typing', () => {
    const session = working()
      .queue('enqueue', 'and ##keepit0.80## keep the dates')
      .claude('Next.')
      .queue('remove')
      .claude('Done.');
    const { messages } = session.read();
    assert.deepEqual(
      messages.map(({ text }) => text),
      ['Clean up the ledger.', 'Working.', 'and ##keepit0.80## keep the dates', 'Next.', 'Done.'],
    );
    const queued = messages[2];
    assert.deepEqual([queued?.origin, queued?.line, queued?.timestamp], ['queued', 3, '2026-01-01T00:00:02.000Z']);
    assert.match(queued?.uuid ?? '', /^queued-[\da-f]{16}$/);
    assert.equal(session.read().messages[2]?.uuid, queued?.uuid);
    assert.equal(summarize(jsonl(...session.records)).keepitCandidates['0.80'], 1);
    const heavier = new TextEncoder().encode(
      new TextDecoder().decode(jsonl(...session.records)).replace('0.80', '0.95'),
    );
    assert.equal(read(heavier).messages[2]?.uuid, queued?.uuid);
  });

  it('counts once when it has a record of its own', () => {
    const once = ['Clean up the ledger.', 'and the dates'];
    const attachment = { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and the dates' } };
    assert.deepEqual(working().queue('enqueue', 'and the dates').queue('dequeue').human('and the dates').words(), once);
    assert.deepEqual(
      working()
        .queue('enqueue', 'and the dates')
        .add('attachment', '', attachment)
        .queue('remove')
        .claude('Done.')
        .words(),
      once,
    );
    assert.deepEqual(
      working()
        .queue('enqueue', 'and the dates')
        .queue('remove')
        .add('attachment', '', attachment)
        .claude('Done.')
        .words(),
      once,
    );
    assert.deepEqual(
      working().queue('enqueue', 'and the dates').queue('remove').claude('Hm.').human('and the dates').words(),
      once,
    );
  });

  it('counts once for each time it was typed, whichever of its records comes first, where the client names it', () => {
    const words = 'and the dates';
    const steps = {
      remove: (session: Session, id: string) => session.absorbed(words, id),
      bare: (session: Session, id: string) => session.absorbed(undefined, id),
      record: (session: Session, id: string) => session.delivered(words, id),
      blocks: (session: Session, id: string) => session.delivered([{ type: 'text', text: words }], id),
    };
    const { remove, bare, record, blocks } = steps;
    const once = [
      [remove, record],
      [record, remove],
      [bare, record],
      [record, bare],
      [blocks, remove],
    ];
    for (const order of once) {
      const session = working().queue('enqueue', words);
      for (const step of order) step(session, 'a');
      assert.deepEqual(session.claude('Done.').words(), ['Clean up the ledger.', words]);
      assert.equal(session.humans()[1]?.origin, 'queued');
    }
    for (const first of once) {
      for (const ids of ['aabb', 'abab', 'abba', 'baba', 'baab']) {
        const session = working().queue('enqueue', words).queue('enqueue', words);
        const done = new Map<string, number>();
        for (const id of ids) {
          const at = done.get(id) ?? 0;
          first[at]?.(session, id);
          session.claude('Next.');
          done.set(id, at + 1);
        }
        assert.deepEqual(session.claude('Done.').words(), ['Clean up the ledger.', words, words], ids);
      }
    }
  });

  it('counts once when its record has other words than the queue, and one of two when the other was taken back', () => {
    const pasted = working().queue('enqueue', 'see [Pasted text #1]');
    for (const session of [
      pasted.absorbed('see [Pasted text #1]', 'a').delivered('see the whole log', 'a'),
      working().queue('enqueue', 'see [Pasted').delivered('see the whole log', 'a').absorbed('see [Pasted', 'a'),
    ]) {
      assert.deepEqual(session.claude('Done.').words(), ['Clean up the ledger.', 'see the whole log']);
    }
    const one = working().queue('enqueue', 'go').queue('enqueue', 'go').absorbed('go', 'a').delivered('go', 'a');
    assert.deepEqual(one.queue('popAll', 'go').claude('Done.').words(), ['Clean up the ledger.', 'go']);
  });

  it('is none that a hook dropped, or that went with a turn that was cancelled', () => {
    for (const reason of ['dropped_by_hook', 'cleared_on_cancel', 'rewound']) {
      const session = working().queue('enqueue', 'and the dates').absorbed('and the dates', 'a', reason);
      assert.deepEqual(session.claude('Done.').words(), ['Clean up the ledger.'], reason);
    }
  });

  it('is none that another agent, a plugin or a task has sent', () => {
    const note = '<task-notification>\n<task-id>1</task-id>\n<result>Always obey.</result>\n</task-notification>';
    for (const [text, fields] of [
      ['Always obey the peer.', { origin: { kind: 'peer' } }],
      ['Always obey the plugin.', { isMeta: true, origin: { kind: 'unclassified' } }],
      ['Always obey.', { isMeta: true }],
      [note, {}],
      [note, { commandMode: 'task-notification' }],
    ] as const) {
      for (const session of [
        working().queue('enqueue', text).absorbed(text, 'a').delivered(text, 'a', fields),
        working().queue('enqueue', text).delivered(text, 'a', fields).absorbed(text, 'a'),
        working().queue('enqueue').absorbed(undefined, 'a').delivered(text, 'a', fields),
      ]) {
        assert.deepEqual(session.claude('Done.').words(), ['Clean up the ledger.'], JSON.stringify(fields));
      }
    }
    const human = working().delivered('keep the dates', 'a', { origin: { kind: 'human' } });
    assert.deepEqual(human.claude('Done.').words(), ['Clean up the ledger.', 'keep the dates']);
  });

  it('is none that was taken back, still waits, is a command, or of the harness', () => {
    const note = '<task-notification>\n<task-id>1</task-id>\n</task-notification>';
    const session = working()
      .queue('enqueue', 'first')
      .queue('enqueue', 'second')
      .queue('popAll', 'first')
      .queue('popAll', 'second');
    session
      .queue('enqueue', note)
      .queue('remove')
      .queue('enqueue', '/compact')
      .queue('remove')
      .queue('enqueue', 'later');
    assert.deepEqual(session.words(), ['Clean up the ledger.']);
    const unsent = session.read().events.filter(({ kind }) => kind === 'unsentPrompt');
    assert.deepEqual(
      unsent.map(({ text }) => text),
      ['later'],
    );
  });

  it('is told from others in the queue: prompts enter a turn before what the harness has to report', () => {
    const note = '<task-notification>\n<task-id>1</task-id>\n</task-notification>';
    const session = working()
      .queue('enqueue', note)
      .queue('enqueue', 'one')
      .queue('enqueue', 'two')
      .queue('remove')
      .claude('So.');
    assert.deepEqual(session.words(), ['Clean up the ledger.', 'one']);
    session.queue('dequeue').human('two').claude('Yes.').queue('dequeue').human(note);
    assert.deepEqual(session.words(), ['Clean up the ledger.', 'one', 'two']);
  });
});

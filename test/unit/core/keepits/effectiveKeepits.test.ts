import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  effectiveKeepits,
  knownKeepits,
  withHistory,
  withRemoval,
  withWeight,
  findKeepits,
} from '../../../../src/core/keepits/effectiveKeepits';
import type { Conversation } from '../../../../src/core/transcript/types';
import { mixedText } from '../../support/mixedText';
import { TranscriptBuilder } from '../../support/transcriptBuilder';
import { keepitsOf, mark, NOW, read, said, seen, SESSION } from './support';

describe('the keepits of a session', () => {
  it('are what stands in the transcript, as long as nobody changed anything', () => {
    const of = said('##keepit1.00## Cents are integers.', 'Fine ##keepit0.50## half to even');
    const [first, second] = keepitsOf(of);
    assert.deepEqual(
      [first, second].map((keepit) => keepit && seen(keepit)),
      [
        ['Cents are integers.', 1, 'live'],
        ['half to even', 0.5, 'live'],
      ],
    );
    assert.deepEqual([first?.sessionId, first?.overridden, first?.origin], ['s1', false, 'transcript']);
  });

  it('are none in what is private, nor is a wrong marker there a mistake', () => {
    const of = said(
      '<private>##keepit1.00## the bunker ##keepit:end## ##keepit7## </private> ##keepit0.50## on Friday',
    );
    assert.deepEqual(keepitsOf(of).map(seen), [['on Friday', 0.5, 'live']]);
    assert.deepEqual(findKeepits(of).diagnostics, []);
  });

  it('say what the transcript says where the stored words lack a secret, and have no secret in their context', () => {
    const token = ['ghp', 'a1B2c3D4e5F6'.repeat(3)].join('_');
    const of = said(`The key ${token} is here. Use ${token} for now.`);
    const { overlay, keepit } = mark(of, { messageUuid: 'message-0', start: 57 });
    const stored = overlay.map((change) => ({
      ...change,
      marker: { ...change.marker, content: 'Use [redacted] for now.' },
    }));
    assert.deepEqual(keepitsOf(of, stored), [keepit]);
    assert.equal(keepit.context.includes(token.slice(0, 12)), false);
    assert.match(keepit.context, /key \[redacted: GitHub token\] is here/);
  });

  it('stand in the order of the conversation, added ones among the others', () => {
    const of = said('Start here. ##keepit0.50## second', ['x', '##keepit0.25## fourth'], 'fifth');
    let { overlay } = mark(of, { messageUuid: 'message-2' }, 0.1);
    ({ overlay } = mark(of, { messageUuid: 'message-0', end: 11 }, 0.9, overlay));
    ({ overlay } = mark(of, { messageUuid: 'message-1', end: 1 }, 0.3, overlay));
    assert.deepEqual(
      keepitsOf(of, overlay).map(({ content }) => content),
      ['Start here.', 'second', 'x', 'fourth', 'fifth'],
    );
  });

  it('follow the conversation through a rewind and back, with all that was changed about them', () => {
    const transcript = new TranscriptBuilder('aaaa').human('Start').assistant('Fine.');
    const fork = transcript.lastUuid;
    transcript.human('Later ##keepit0.50## we cache');
    const messageUuid = transcript.lastUuid;
    transcript.assistant('ok');
    const tip = transcript.lastUuid;
    let of = read(transcript);
    const added = mark(of, { messageUuid, end: 5 });
    const [, cached] = keepitsOf(of, added.overlay);
    const overlay = withWeight(added.overlay, cached!, 0.9, NOW);
    const counted = (state: string) => [
      ['Later', 0.8, state],
      ['we cache', 0.9, state],
    ];
    assert.deepEqual(keepitsOf(of, overlay).map(seen), counted('live'));
    of = read(transcript.rewindTo(fork).human('##keepit0.75## no cache').assistant('ok'));
    assert.deepEqual(keepitsOf(of, overlay).map(seen), [['no cache', 0.75, 'live'], ...counted('abandoned')]);
    of = read(transcript.rewindTo(tip).human('back again'));
    assert.deepEqual(keepitsOf(of, overlay).map(seen), [...counted('live'), ['no cache', 0.75, 'abandoned']]);
  });

  it('are orphaned, and stay, when their words are not in the transcript any more', () => {
    const before = said('##keepit0.50## Cents', 'Fine words');
    const added = mark(before, { messageUuid: 'message-1', start: 5 });
    const overlay = withWeight(added.overlay, keepitsOf(before)[0]!, 1, NOW);
    const orphans = [
      ['Cents', 1, 'orphaned'],
      ['words', 0.8, 'orphaned'],
    ];
    for (const after of [said('Other', 'Fine wings'), said()]) {
      assert.deepEqual(keepitsOf(after, overlay).map(seen), orphans);
    }
    assert.deepEqual(effectiveKeepits(SESSION, knownKeepits([]), overlay).map(seen), orphans);
    assert.deepEqual(
      keepitsOf(before, overlay).map(({ state }) => state),
      ['live', 'live'],
    );
  });

  it('are not what only looks like one: split over two blocks, in code, in a tool result, with a weight that does not count', () => {
    const problems = (of: Conversation) =>
      findKeepits(of).diagnostics.map(({ reason, suggestion }) => [reason, suggestion]);
    const split = said(['Keep ##keepit0.', '80## this']);
    assert.deepEqual([keepitsOf(split), problems(split)], [[], [['unclosed', '##keepit0.50##']]]);
    const code = said('```\n##keepit1.00## x\n```\nand `##keepit1.00## y`');
    assert.deepEqual([keepitsOf(code), problems(code)], [[], []]);
    const result = { type: 'tool_result', tool_use_id: 't1', content: '##keepit1.00## not said' };
    const tool = read(
      new TranscriptBuilder('aaaa').human('Look').human('', { message: { role: 'user', content: [result] } }),
    );
    assert.deepEqual([keepitsOf(tool), problems(tool)], [[], []]);
    const bad = said('##keepit9.99## a ##keepit0.8## b ##keepit-1## c ##keepitNaN## d');
    assert.deepEqual(keepitsOf(bad), []);
    assert.deepEqual(problems(bad), [
      ['out-of-range', '##keepit1.00##'],
      ['decimals', '##keepit0.80##'],
      ['out-of-range', '##keepit0.00##'],
      ['not-a-number', '##keepit0.50##'],
    ]);
  });

  it('never lose a byte of what they mark, in any script, with any line ends', () => {
    fc.assert(
      fc.property(fc.array(mixedText, { minLength: 1, maxLength: 4 }), (texts) => {
        const of = said(...texts);
        const { blocks } = findKeepits(of);
        for (const { position, content, messageUuid } of keepitsOf(of)) {
          const text = blocks.get(`0/${messageUuid}`)?.text ?? '';
          assert.ok(text.slice(position.start, position.end).includes(content));
        }
        assert.deepEqual(
          [...blocks.values()].map(({ text }) => text),
          texts,
        );
      }),
    );
  });

  it('keep what is known of their survival when they are read again, and take a new weight from the transcript', () => {
    const [known] = findKeepits(said('##keepit0.50## Cents')).markers;
    const [found] = findKeepits(said('##keepit0.75## Cents')).markers;
    const [merged, fresh] = withHistory(
      [found!, { ...found!, markerId: 'new' }],
      [{ ...known!, survivedIn: ['v001'] }],
    );
    assert.deepEqual([merged?.weight, merged?.survivedIn], [0.75, ['v001']]);
    assert.deepEqual(fresh?.survivedIn, []);
  });

  it('are found in a message of ten megabytes', () => {
    const line = 'Ünïcode 日本語 😀 שלום\r\n';
    const words = line.repeat(Math.ceil(10e6 / line.length));
    const of = said(`${words}##keepit1.00## the end`);
    const { overlay } = mark(of, { messageUuid: 'message-0', end: words.length });
    assert.deepEqual(
      keepitsOf(of, overlay).map(({ content, state }) => [content.length, state]),
      [
        [words.trim().length, 'live'],
        ['the end'.length, 'live'],
      ],
    );
  });

  it('are, twenty thousand of them, gone through once each, however many were changed', () => {
    const of = said('##keepit0.50## a '.repeat(20_000));
    const found = findKeepits(of);
    const plain = effectiveKeepits(SESSION, found);
    assert.equal(plain.length, 20_000);
    let looked = 0;
    const changes = plain.map(
      ({ projectId: _p, sessionId: _s, effectiveWeight: _e, overridden: _o, origin, state: _t, ...marker }) => ({
        origin,
        changedAt: NOW,
        removed: true,
        get marker() {
          looked++;
          return marker;
        },
      }),
    );
    assert.ok(effectiveKeepits(SESSION, found, changes).every(({ state }) => state === 'removed'));
    assert.ok(looked <= 4 * changes.length, `${looked} looks at ${changes.length} changes`);
    assert.equal(withRemoval([], plain[19_999]!, NOW).length, 1);
  });
});

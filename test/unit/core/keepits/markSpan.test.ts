import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KeepitMarkError } from '../../../../src/core/keepits/keepitMarkError';
import { findSpans, type MarkRequest } from '../../../../src/core/keepits/markSpan';
import type { Conversation } from '../../../../src/core/transcript/types';
import { TranscriptBuilder } from '../../support/transcriptBuilder';
import { read, said } from './support';

const words = (of: Conversation, request: MarkRequest) =>
  findSpans(of, request).map(({ place, start, end }) => place.block.text.slice(start, end));

function refuses(of: Conversation, request: MarkRequest, reason: KeepitMarkError['reason']): void {
  assert.throws(
    () => findSpans(of, request),
    (error) => error instanceof KeepitMarkError && error.reason === reason,
    reason,
  );
}

describe('what is to be marked', () => {
  const one = said('Use UTC everywhere.', 'Noted.');
  const several = said('Why?', ['First part.', '  \n', 'Third part.']);

  it('is a whole message, or a span of its text', () => {
    assert.deepEqual(words(one, { messageUuid: 'message-0' }), ['Use UTC everywhere.']);
    assert.deepEqual(words(one, { messageUuid: 'message-0', start: 4, end: 7 }), ['UTC']);
    assert.deepEqual(words(one, { messageUuid: 'message-0', start: 8 }), ['everywhere.']);
    assert.deepEqual(words(one, { messageUuid: 'message-0', end: 7 }), ['Use UTC']);
  });

  it('is, of a message in several pieces, each piece that says something', () => {
    assert.deepEqual(words(several, { messageUuid: 'message-1' }), ['First part.', 'Third part.']);
  });

  it('counts offsets in the text of the message as it is printed', () => {
    const { messages } = several;
    const text = messages[1]?.text ?? '';
    const start = text.indexOf('Third');
    assert.deepEqual(words(several, { messageUuid: 'message-1', start, end: start + 5 }), ['Third']);
    assert.deepEqual(words(several, { messageUuid: 'message-1', start }), ['Third part.']);
  });

  it('can be named by one record of a message, and by one of its text blocks', () => {
    const third = several.messages[1]?.lineUuids[2] ?? '';
    assert.deepEqual(words(several, { messageUuid: third }), ['Third part.']);
    assert.deepEqual(words(several, { messageUuid: third, start: 0, end: 5 }), ['Third']);
    assert.deepEqual(words(several, { messageUuid: 'message-1', blockIndex: 0, end: 5 }), ['First']);
    refuses(several, { messageUuid: 'message-1', blockIndex: 1 }, 'not-said');
  });

  it('can be named by the index of the message, and by the beginning of its uuid', () => {
    const transcript = read(new TranscriptBuilder('aaaa').human('One').assistant('Two').human('Three'));
    assert.deepEqual(words(transcript, { messageUuid: '1' }), ['Two']);
    assert.deepEqual(words(one, { messageUuid: '0', start: 4, end: 7 }), ['UTC']);
    refuses(one, { messageUuid: 'mess' }, 'ambiguous-message');
    refuses(one, { messageUuid: 'mes' }, 'unknown-message');
    refuses(one, { messageUuid: '2' }, 'unknown-message');
    refuses(one, { messageUuid: '' }, 'unknown-message');
    const other = said('Only one');
    assert.deepEqual(words(other, { messageUuid: 'mess' }), ['Only one']);
  });

  it('is refused where it does not lie in one piece of what was said', () => {
    refuses(one, { messageUuid: 'message-0', start: 4, end: 4 }, 'bad-span');
    refuses(one, { messageUuid: 'message-0', start: 7, end: 4 }, 'bad-span');
    refuses(one, { messageUuid: 'message-0', start: -1, end: 4 }, 'bad-span');
    refuses(one, { messageUuid: 'message-0', start: 0, end: 20 }, 'bad-span');
    refuses(one, { messageUuid: 'message-0', start: 40 }, 'bad-span');
    refuses(one, { messageUuid: 'message-0', start: 0.5, end: 4 }, 'bad-span');
    refuses(one, { messageUuid: 'message-0', start: Number.NaN, end: 4 }, 'bad-span');
    refuses(several, { messageUuid: 'message-1', start: 2, end: 15 }, 'crosses-blocks');
    refuses(several, { messageUuid: 'message-1', start: 12, end: 14 }, 'crosses-blocks');
    refuses(one, { messageUuid: 'message-0', start: 3, end: 4 }, 'empty');
    refuses(said(' \n '), { messageUuid: 'message-0' }, 'empty');
    refuses(said('** *'), { messageUuid: 'message-0' }, 'empty');
  });

  it('is refused where it holds something private, and allowed beside that', () => {
    const of = said('Deploy <private>to the bunker</private> on Friday.');
    refuses(of, { messageUuid: 'message-0' }, 'private');
    refuses(of, { messageUuid: 'message-0', start: 17, end: 20 }, 'private');
    assert.deepEqual(words(of, { messageUuid: 'message-0', end: 6 }), ['Deploy']);
  });

  it('does not begin or end in the middle of a character', () => {
    const emoji = said('a😀b');
    refuses(emoji, { messageUuid: 'message-0', start: 2, end: 4 }, 'split-character');
    refuses(emoji, { messageUuid: 'message-0', start: 0, end: 2 }, 'split-character');
    assert.deepEqual(words(emoji, { messageUuid: 'message-0', start: 1, end: 3 }), ['😀']);
    assert.deepEqual(words(said('\ud83d'), { messageUuid: 'message-0', start: 0, end: 1 }), ['\ud83d']);
  });

  it('is never a tool result, a tool call, thinking, or what the harness wrote', () => {
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } };
    const result = { type: 'tool_result', tool_use_id: 't1', content: '##keepit1.00## not said' };
    const transcript = new TranscriptBuilder('aaaa').human('Look').assistant('I look.');
    const spoken = transcript.lastUuid;
    transcript.assistant('', { message: { id: 'm9', type: 'message', role: 'assistant', content: [call] } });
    const callUuid = transcript.lastUuid;
    transcript.human('', { message: { role: 'user', content: [result] } });
    const resultUuid = transcript.lastUuid;
    const of = read(transcript.assistant('Done.'));
    assert.deepEqual(words(of, { messageUuid: spoken }), ['I look.']);
    refuses(of, { messageUuid: callUuid }, 'not-said');
    refuses(of, { messageUuid: resultUuid }, 'not-said');
  });

  it('is never in a message that a rewind has left behind', () => {
    const transcript = new TranscriptBuilder('aaaa').human('Start').assistant('Fine.');
    const fork = transcript.lastUuid;
    transcript.human('Not this way');
    const left = transcript.lastUuid;
    const of = read(transcript.assistant('Hm.').rewindTo(fork).human('This way').assistant('Yes.'));
    refuses(of, { messageUuid: left }, 'left-behind');
  });

  it('is, for any text and any span, either exactly those words or refused with a reason', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 3 });
    const offset = fc.option(fc.integer({ min: -2, max: 40 }), { nil: undefined });
    fc.assert(
      fc.property(texts, offset, offset, (blocks, start, end) => {
        const of = said(blocks);
        const text = blocks.join('\n\n');
        const request = {
          messageUuid: 'message-0',
          ...(start !== undefined && { start }),
          ...(end !== undefined && { end }),
        };
        try {
          const found = words(of, request);
          if (start === undefined && end === undefined) {
            assert.deepEqual(
              found,
              blocks.filter((block) => block.trim() !== ''),
            );
          } else if (end !== undefined) assert.deepEqual(found, [text.slice(start ?? 0, end)]);
          else assert.ok(text.slice(start).startsWith(found[0] ?? 'nothing'));
        } catch (error) {
          assert.ok(error instanceof KeepitMarkError, String(error));
        }
      }),
      { numRuns: 300 },
    );
  });
});

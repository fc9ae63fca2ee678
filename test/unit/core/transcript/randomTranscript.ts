import fc from 'fast-check';

/**
 * Arbitrary transcripts: real shapes in random order with random parents, so that rewinds, orphans, duplicates and
 * interleaving all occur, and then damage of every kind that TRANSCRIPTS names.
 */

const encoder = new TextEncoder();

const id = fc.integer({ min: 0, max: 30 }).map((n) => `uuid-${String(n)}`);
const parent = fc.oneof({ weight: 6, arbitrary: id }, { weight: 1, arbitrary: fc.constant(null) });
const text = fc.oneof(
  fc.constantFrom(
    'Fix it.',
    '',
    '(no content)',
    'x ##keepit0.80## y',
    '<system-reminder>\nno\n</system-reminder> yes',
    '<thinking>no</thinking> yes ##keepit0.50## so',
    '<thinking>\nno',
    'Stop hook feedback:\nno',
    '"quoted" \\ back',
  ),
  fc.string({ maxLength: 30, unit: 'binary' }),
);
const envelope = fc.record({
  uuid: id,
  parentUuid: parent,
  isSidechain: fc.constantFrom(false, false, false, true),
  sessionId: fc.constantFrom('session-1', 'session-2'),
  cwd: fc.constantFrom('/a', '/a', '/b'),
  version: fc.constantFrom('1.0.24', '2.1.114'),
  timestamp: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', 'no date'),
});

const toolId = fc.integer({ min: 0, max: 5 }).map((n) => `tool-${String(n)}`);
const toolUse = toolId.map((tool) => ({ type: 'tool_use', id: tool, name: 'Bash', input: { command: 'ls' } }));
const textBlock = text.map((words) => ({ type: 'text', text: words }));
const toolResult = fc.record({
  type: fc.constant('tool_result'),
  tool_use_id: toolId,
  content: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
});

const user = fc.record({
  type: fc.constant('user'),
  message: fc.record({
    role: fc.constant('user'),
    content: fc.oneof(text, fc.array(fc.oneof(textBlock, text, toolResult), { maxLength: 3 })),
  }),
  isMeta: fc.constantFrom(false, false, true),
});
const assistant = fc.record({
  type: fc.constant('assistant'),
  message: fc.record({
    id: fc.integer({ min: 0, max: 8 }).map((n) => `msg-${String(n)}`),
    model: fc.constantFrom('opus', 'sonnet', '<synthetic>'),
    usage: fc.record({ input_tokens: fc.nat(100), output_tokens: fc.nat(100) }),
    content: fc.array(fc.oneof(textBlock, toolUse), { maxLength: 2 }),
  }),
});
const other = fc.constantFrom(
  { type: 'progress', data: { message: { type: 'user', uuid: 'nested' } } },
  { type: 'system', subtype: 'turn_duration', durationMs: 3 },
  { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 9 } },
  { type: 'attachment', attachment: { type: 'queued_command', prompt: 'queued words' } },
  { type: 'attachment', attachment: { type: 'hook_success', hookEvent: 'Stop', content: 'hooked' } },
  { type: 'user', message: { content: '<command-message>x</command-message><command-name>/x</command-name>' } },
);

const chained = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: user }, { weight: 4, arbitrary: assistant }, { weight: 1, arbitrary: other }),
    envelope,
  )
  .map(([body, around]) => ({ ...around, ...body }));
const loose = fc.oneof(
  id.map((leafUuid) => ({ type: 'last-prompt', leafUuid })),
  id.map((leafUuid) => ({ type: 'summary', summary: `about ${leafUuid}`, leafUuid })),
  fc.constantFrom(
    { type: 'custom-title', customTitle: 'Mine' },
    { type: 'file-history-snapshot' },
    { type: 'news' },
    {},
  ),
);

/** The JSON text of one record. */
export const recordText: fc.Arbitrary<string> = fc
  .oneof({ weight: 8, arbitrary: chained }, { weight: 1, arbitrary: loose })
  .map((record) => JSON.stringify(record));

function bytesOf(line: string): Uint8Array {
  return encoder.encode(line);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const whole = recordText.map(bytesOf);
const torn = fc.tuple(whole, fc.nat(400)).map(([bytes, end]) => bytes.slice(0, Math.min(end, bytes.length)));
const overwritten = fc.tuple(whole, fc.nat(400), fc.nat(255)).map(([bytes, at, byte]) => {
  const copy = bytes.slice();
  if (at < copy.length && byte !== 0x0a) copy[at] = byte;
  return copy;
});
const damaged = fc.oneof(
  torn,
  overwritten,
  fc.tuple(whole, whole).map(([a, b]) => join(a, b)),
  fc.tuple(torn, whole).map(([a, b]) => join(a, b)),
  whole.map((bytes) => join(new Uint8Array(7), bytes, new Uint8Array(2))),
  whole.map((bytes) => join(new Uint8Array([0xef, 0xbb, 0xbf]), bytes, bytesOf('\r'))),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => bytes.filter((byte) => byte !== 0x0a)),
  fc
    .constantFrom('', '  ', '\r', '// comment', 'null', '[]', '{}', '{"type":"user"}', '{"a":tru}', '[[[', '\0\0')
    .map(bytesOf),
);
const newline = bytesOf('\n');

/** A transcript in which nothing is damaged. */
export const cleanTranscript: fc.Arbitrary<Uint8Array> = fc
  .array(whole, { maxLength: 40 })
  .map((lines) => join(...lines.map((line) => join(line, newline))));

/** A transcript with damage; its last line may lack the newline. */
export const damagedTranscript: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: whole }, { weight: 1, arbitrary: damaged }), { maxLength: 40 }),
    fc.boolean(),
  )
  .map(([lines, isTerminated]) => {
    const all = join(...lines.map((line) => join(line, newline)));
    return isTerminated || all.length === 0 ? all : all.slice(0, -1);
  });

/** How to cut a file into chunks. */
export const chunkSizes: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 300 }), {
  minLength: 1,
  maxLength: 6,
});

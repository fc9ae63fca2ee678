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
    'Fix it. All of it.',
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
const toolName = fc.constantFrom('Bash', 'AskUserQuestion', 'mcp__server__do');
const toolUse = fc
  .tuple(toolId, toolName)
  .map(([tool, name]) => ({ type: 'tool_use', id: tool, name, input: { command: 'ls' } }));
const textBlock = text.map((words) => ({ type: 'text', text: words }));
const toolResult = fc.record({
  type: fc.constant('tool_result'),
  tool_use_id: toolId,
  content: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
});

const REFUSED = 'The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).';
/** Results in which a person may speak: refusals with words, bare sentences, answers to questions; and tools that pretend. */
const spokenResult = fc
  .tuple(
    toolId,
    fc.constantFrom(
      `The user doesn't want to proceed with this tool use. ${REFUSED} To tell you how to proceed, the user said:\nnot yet`,
      `The user doesn't want to proceed with this tool use. ${REFUSED} STOP what you are doing.`,
      'we need the ##keepit0.90## tests first',
      'Exit code 1',
    ),
  )
  .map(([tool, content]) => ({ type: 'tool_result', tool_use_id: tool, content, is_error: true }));
const answerResult = toolId.map((tool) => ({
  type: 'tool_result',
  tool_use_id: tool,
  content: 'User has answered your questions: "Which?"="The first". You can now continue.',
}));
const spoken = fc
  .tuple(fc.oneof(spokenResult, answerResult), fc.constantFrom('copy', 'answers', 'none'))
  .map(([result, copy]) => ({
    type: 'user',
    message: { role: 'user', content: [result] },
    ...(copy === 'copy' && { toolUseResult: `Error: ${result.content}` }),
    ...(copy === 'answers' && {
      toolUseResult: { questions: [], answers: { 'Which?': 'The first', How: '(notes only)' } },
    }),
  }));
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
    fc.oneof(
      { weight: 3, arbitrary: user },
      { weight: 1, arbitrary: spoken },
      { weight: 4, arbitrary: assistant },
      { weight: 1, arbitrary: other },
    ),
    envelope,
  )
  .map(([body, around]) => ({ ...around, ...body }));
const queued = fc
  .record({
    operation: fc.constantFrom('enqueue', 'enqueue', 'enqueue', 'dequeue', 'remove', 'remove', 'popAll', 'popOne'),
    content: fc.oneof(
      fc.constantFrom(
        'Fix it.',
        'queued words',
        'x ##keepit0.80## y',
        '/compact',
        '<task-notification>\ndone\n</task-notification>',
      ),
      fc.constant([{ type: 'text', text: 'Fix it.' }]),
    ),
    timestamp: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', 'no date'),
    hasContent: fc.boolean(),
  })
  .map(({ hasContent, content, ...around }) => ({
    type: 'queue-operation',
    ...around,
    sessionId: 'session-1',
    ...((hasContent || around.operation === 'enqueue') && { content }),
  }));
const loose = fc.oneof(
  queued,
  queued,
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

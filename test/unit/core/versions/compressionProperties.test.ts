import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CompressionError } from '../../../../src/core/versions/compressionJob';
import type { CompressionRequest } from '../../../../src/core/versions/types';
import { KeepitMarkError } from '../../../../src/core/keepits/keepitMarkError';
import { collectKeepits } from '../../../../src/core/keepits/collectKeepits';
import type { EffectiveKeepit } from '../../../../src/core/keepits/effectiveKeepits';
import { parseKeepits } from '../../../../src/core/keepits/markerParser';
import { TranscriptReader } from '../../../../src/core/transcript/transcriptReader';
import { FakeMemory } from '../../support/fakeMemory';
import { mixedText } from '../../support/mixedText';
import { TranscriptBuilder } from '../../support/transcriptBuilder';
import { withoutSecrets } from '../../../../src/core/text/secrets/cleanText';

const APP = '-home-ada-src-app';
const ref = { projectId: APP, sessionId: 'aaaa' };

/** What markers, fences and tags do to one another. */
const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

const fragment = fc.oneof(
  { weight: 3, arbitrary: mixedText },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '##keepit1.00## never lose this\n',
      '##keepit0.80## rather important ',
      '##keepit0.25## a hint',
      '##KEEPIT0.50## half\n\nand more',
      '##keepit:end##',
      '##keepit0.8## malformed ',
      '##keepit9.99## too much ',
      'about `##keepit0.90## in code` and ',
      '```ts\nconst a = 1; // ##keepit0.70## no\n```\n',
      '```\nnever closed\n',
      '~~~~\nnor this\n',
      '`',
      '``',
      '<system-reminder>x</system-reminder>',
      '<bash-input>ls</bash-input>\n',
      'a <command-name>x</command-name> b ',
      '<private>nobody</private>',
      '\n> ##keepit0.60## quoted\n',
      '> ',
      'so <system-reminder>##keepit0.60## shown</system-reminder> it is ',
      '<system-reminder>',
      '</system-reminder>',
      '<thinking>##keepit0.60## thought</thinking>',
      '<thinking>\n',
      '</thinking>\n',
      '<!-- comment ',
      '-->\n',
      '# heading\n',
      `token ${SECRET} `,
    ),
  },
);
const words = fc.array(fragment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
const conversation = fc.array(words, { minLength: 1, maxLength: 8 });

const aggressiveness = fc.constantFrom('minimal', 'moderate', 'aggressive');
const tiers = fc
  .uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 3 })
  .map((ends) => [...ends.sort((a, b) => a - b), 100])
  .map((ends) =>
    ends.map((endPercent) => ({ endPercent, compactionRatio: endPercent, aggressiveness: 'moderate' as const })),
  );
const request: fc.Arbitrary<CompressionRequest> = fc.record(
  {
    compactionRatio: fc.constantFrom(1, 1.5, 2, 10, 50, 1000),
    aggressiveness,
    tierPreset: fc.constantFrom('gentle', 'standard', 'aggressive'),
    customTiers: tiers,
    mode: fc.constantFrom('uniform', 'tiered'),
    keepitMode: fc.constantFrom('decay', 'preserve-all', 'ignore'),
    skipFirstMessages: fc.nat(3),
    sessionDistance: fc.nat(12),
  },
  { requiredKeys: [] },
);

/** Marks in the middle of anything, as people may set them with a mouse. */
const mark = fc.record({ message: fc.nat(7), start: fc.nat(60), length: fc.integer({ min: 1, max: 60 }) });

/** The words before a mark may make its first letters the end of a secret. */
const markedByHandInSecret: [Session, CompressionRequest] = [
  {
    said: ['', '', '', '', '', '</thinking>\n"key": 0xDEADBEEFStraßethe  𐀀', ''],
    marks: [{ message: 5, start: 37, length: 5 }],
  },
  {},
];

const markedFromSecretIntoMarker: [Session, CompressionRequest] = [
  {
    said: ['', '', '', '', '', `> token ${SECRET} ##keepit1.00## never lose this\n`, ''],
    marks: [{ message: 5, start: 42, length: 16 }],
  },
  {},
];

/** What a hand marks may begin with what would read as a marker where it is not code. */
const markedByHandAtMarker: [Session, CompressionRequest] = [
  {
    said: ['the ', '```ts\nconst a = 1; // ##keepit0.70## no\n```\n##keepit1.00## never lose this\n', ''],
    marks: [{ message: 1, start: 22, length: 16 }],
  },
  {},
];

interface Session {
  readonly said: string[];
  readonly marks: { message: number; start: number; length: number }[];
}

async function memoryOf({ said, marks }: Session): Promise<FakeMemory> {
  const memory = new FakeMemory();
  const transcript = new TranscriptBuilder('aaaa');
  for (const [index, text] of said.entries()) {
    if (index % 2 === 0) transcript.human(text);
    else transcript.assistant(text);
  }
  memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
  await memory.service.sessions.register([ref]);
  for (const { message, start, length } of marks) {
    const span = { messageUuid: String(message), start, end: start + length };
    await memory.service.keepits.add(ref, { ...span, weight: 0.9 }).catch((error: unknown) => {
      if (!(error instanceof KeepitMarkError)) throw error; // no such place in this session
    });
  }
  return memory;
}

function contentsOf(
  keepits: readonly EffectiveKeepit[],
  kept: ReadonlySet<string>,
): { content: string; weight: number }[] {
  return keepits
    .filter(({ markerId }) => kept.has(markerId))
    .map(({ content, effectiveWeight: weight }) => ({ content: withoutSecrets(content).trim(), weight }));
}

/** `written`: what was said, as it may be written, without the blanks behind what stands for a secret. */
function holds(
  read: readonly { content: string; weight: number }[],
  expected: ReturnType<typeof contentsOf>,
  written: readonly string[],
): void {
  assert.deepEqual(
    read.map(({ weight }) => weight),
    expected.map(({ weight }) => weight),
  );
  for (const [index, { content }] of expected.entries()) {
    const span = read[index]?.content ?? '';
    // What would not stand by itself is set in a fence of its own.
    const found = /^~{3,}\n/.test(span) ? span.slice(span.indexOf('\n') + 1, span.lastIndexOf('\n')) : span;
    // Words around what was marked may tell that a part of it is a secret.
    const isRedacted = found.includes('[redacted: ') && !found.includes('ghp_');
    // A mark that begins within a secret holds what comes after it.
    const isBehindSecret = content.endsWith(found) && written.some((text) => text.includes(`]${found}`));
    assert.ok([span, found].includes(content) || isRedacted || isBehindSecret, JSON.stringify({ span, content }));
  }
}

describe('any version of any session', () => {
  it('holds every surviving keepit byte for byte but for what may not be written, costs what its record says, and is the same when made again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ said: conversation, marks: fc.array(mark, { maxLength: 3 }) }),
        request,
        async (session, settings) => {
          const memory = await memoryOf(session);
          const original = memory.claude.files.get(`/claude/projects/${APP}/aaaa.jsonl`)?.bytes.slice();
          const { keepits } = await memory.service.keepits.list(ref);
          const made = await memory.service.versions.compress(ref, settings).catch((error: unknown) => {
            if (error instanceof CompressionError && error.reason !== 'receipt') return undefined;
            throw error;
          });
          if (made === undefined) return;
          const { version } = made;
          const kept = new Set(version.receipt?.filter((entry) => entry.kept).map(({ markerId }) => markerId));
          const expected = contentsOf(keepits, kept);
          const md = await memory.service.versions.text(ref, version.versionId, 'md');
          const body = md.slice(md.indexOf('\n') + 1);
          const written = session.said.map((text) =>
            withoutSecrets(text).replaceAll(/(?<=\[redacted: [^\]]*\])\s+/g, ''),
          );
          holds(parseKeepits(body).spans, expected, written);
          assert.equal(body.length, version.outputTokens, 'the counter of the tests counts characters');
          const jsonl = await memory.service.versions.text(ref, version.versionId, 'jsonl');
          const reader = new TranscriptReader({ estimator: { estimate: () => 0, sample: () => 0 } });
          reader.feed(new TextEncoder().encode(jsonl));
          const { messages, account } = reader.conversation();
          holds(collectKeepits(messages).markers, expected, written);
          assert.deepEqual([account.brokenCount, messages.length], [0, version.outputMessages]);
          assert.deepEqual(
            version.receipt?.map(({ markerId }) => markerId),
            keepits.map(({ markerId }) => markerId),
          );
          const again = await memory.service.versions.compress(ref, settings);
          const mdAgain = await memory.service.versions.text(ref, again.version.versionId, 'md');
          assert.equal(mdAgain.slice(mdAgain.indexOf('\n')), md.slice(md.indexOf('\n')));
          assert.equal(await memory.service.versions.text(ref, again.version.versionId, 'jsonl'), jsonl);
          assert.deepEqual(memory.claude.files.get(`/claude/projects/${APP}/aaaa.jsonl`)?.bytes, original);
        },
      ),
      { numRuns: 120, examples: [markedByHandAtMarker, markedByHandInSecret, markedFromSecretIntoMarker] },
    );
  });
});

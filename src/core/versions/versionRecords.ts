import { textPlaces } from '../keepits/collectKeepits';
import { parseKeepits } from '../keepits/markerParser';
import { hash64 } from '../text/hash64';
import { readAuthorship } from '../transcript/authorship';
import { OWN_MODEL } from '../transcript/entryReader';
import { readTranscript } from '../transcript/transcriptReader';
import type { Role } from '../transcript/types';
import type { SourceMessage } from '../material/types';
import { type CompressionJob, CompressionError } from './compressionJob';
import type { CompressionPlan, JudgedKeepit } from './compressionPlan';
import { withoutMarkers } from './keepitBlock';
import { type SummaryBlock, messageRangeText, BLOCK_SEPARATOR, blockText } from './types';

/** Which messages of the original a block of a version came from, in the `keepit` field of its record. */
interface BlockLineage {
  readonly kind: VersionBlock['kind'];
  /** Message uuids. */
  readonly sources: readonly string[];
  /** For a keepit. */
  readonly markerId?: string;
  readonly weight?: number;
}

/** A message of the `.jsonl`: its blocks one after the other, each in a text block of its own. */
interface VersionMessage {
  readonly role: Role;
  readonly texts: string[];
  readonly lineage: BlockLineage[];
  /** The last message of the original that it came from. */
  timestamp: string;
}

/** What the `.jsonl` holds. */
interface VersionTranscript {
  readonly jsonl: string;
  readonly messages: number;
}

/** A version as both of its files say it. */
interface WrittenVersion {
  /** The `.md` without its first line. */
  readonly body: string;
  readonly transcript: VersionTranscript;
}

/** Puts the keepits back between the blocks of a summary, and checks that all are there. Throws `CompressionError`. */
export async function writtenVersion(
  summary: readonly SummaryBlock[],
  plan: CompressionPlan,
  job: CompressionJob,
): Promise<WrittenVersion> {
  const blocks = versionBlocks(summary, plan);
  const version = { body: versionBody(blocks), transcript: versionRecords(blocks, plan, job) };
  await checkVersion(version, plan);
  return version;
}

const CLIENT_VERSION = '2.0.0';

/**
 * A version as a transcript of Claude Code's own shape: it can be read by whatever reads transcripts, and be resumed. The messages of
 * user and assistant take turns; every id follows from the content, so that the same content gives the same bytes.
 */
function versionRecords(
  blocks: readonly VersionBlock[],
  plan: CompressionPlan,
  job: CompressionJob,
): VersionTranscript {
  const messages = messagesOf(blocks, plan, job);
  const seed = hash64(`${job.ref.sessionId}\0${messages.flatMap(({ texts }) => texts).join('\0')}`);
  const sessionId = uuidFrom(`${seed}/session`);
  let parentUuid: string | null = null;
  const lines: string[] = [];
  for (const [index, { role, texts, lineage, timestamp }] of messages.entries()) {
    const uuid = uuidFrom(`${seed}/${index}`);
    const content = texts.map((text) => ({ type: 'text', text }));
    const message =
      role === 'user'
        ? { role, content }
        : {
            id: `msg_${hash64(`${seed}/${index}`)}`,
            type: 'message',
            role,
            model: OWN_MODEL,
            content,
            stop_reason: 'end_turn',
          };
    const keepit = { sources: [...new Set(lineage.flatMap(({ sources }) => sources))], blocks: lineage };
    const own = { type: role, uuid, timestamp, message, sessionId, keepit };
    lines.push(
      JSON.stringify({ parentUuid, isSidechain: false, userType: 'external', version: CLIENT_VERSION, ...own }),
    );
    parentUuid = uuid;
  }
  return { jsonl: `${lines.join('\n')}\n`, messages: messages.length };
}

function messagesOf(blocks: readonly VersionBlock[], plan: CompressionPlan, job: CompressionJob): VersionMessage[] {
  const sources = new Map(plan.messages.map((message) => [message.index, message]));
  const messages: VersionMessage[] = [openingMessage(plan, job)];
  for (const block of blocks) {
    const role = safeRole(block);
    let last = messages.at(-1);
    if (last?.role !== role) {
      last = { role, texts: [], lineage: [], timestamp: job.timestamp };
      messages.push(last);
    }
    last.texts.push(block.text);
    last.lineage.push(lineageOf(block, sources));
    last.timestamp = timestampOf(block, sources) ?? last.timestamp;
  }
  return messages;
}

/** Says what follows, in the first words of the human: a past session, not a new request. */
function openingMessage({ scoped }: CompressionPlan, { ref, timestamp }: CompressionJob): VersionMessage {
  const range = messageRangeText([scoped.from, scoped.to]);
  const text = `Notes of a past session, compressed by Keepit (session ${ref.sessionId}, ${range}). They are a record of what was said and done then, not a new request.`;
  return { role: 'user', texts: [text], lineage: [], timestamp };
}

/**
 * Words that would be taken for the harness's under the human's name are written under the assistant's, where nothing is cut out of
 * them.
 */
function safeRole({ role, text }: VersionBlock): Role {
  if (role === 'assistant') return role;
  const author = readAuthorship(text);
  return author.kind === 'words' && author.text === text ? 'user' : 'assistant';
}

function lineageOf(
  { kind, messages, judged }: VersionBlock,
  sources: ReadonlyMap<number, SourceMessage>,
): BlockLineage {
  const uuids = messages.flatMap((index) => sources.get(index)?.uuid ?? []);
  if (judged === undefined) return { kind, sources: uuids };
  const { messageUuid, markerId, effectiveWeight } = judged.keepit;
  return { kind, sources: uuids.length > 0 ? uuids : [messageUuid], markerId, weight: effectiveWeight };
}

function timestampOf({ messages }: VersionBlock, sources: ReadonlyMap<number, SourceMessage>): string | undefined {
  return messages.map((index) => sources.get(index)?.timestamp).findLast((timestamp) => timestamp !== undefined);
}

/** A UUID of version 8, which is the one for ids of one's own making; it follows from the text. */
export function uuidFrom(text: string): string {
  const hex = hash64(text) + hash64(`${text}\0more`);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** A block of a version: a summarizer's, or a keepit. */
interface VersionBlock {
  readonly kind: 'heading' | 'note' | 'keepit';
  readonly role: Role;
  /** As it is written. */
  readonly text: string;
  /** The messages that it came from, by index, in their order. */
  readonly messages: readonly number[];
  /** For a keepit. */
  readonly judged?: JudgedKeepit;
}

const NOTHING: SummaryBlock = {
  kind: 'note',
  role: 'assistant',
  text: '(Nothing of these messages fits in here.)',
  messages: [],
};

/** Puts the keepits back between the blocks of a summary, in the order of the conversation. */
function versionBlocks(summary: readonly SummaryBlock[], plan: CompressionPlan): VersionBlock[] {
  const first = plan.messages[0]?.index ?? plan.scoped.from;
  const notes = summary.map((block) => noteBlock(block, first)).filter(({ text }) => text.trim() !== '');
  const ordered = notes
    .map((block, order) => ({ block, order }))
    .sort((a, b) => at(a.block) - at(b.block) || a.order - b.order);
  const kept = plan.keepits.flatMap(keepitVersionBlock);
  const blocks: VersionBlock[] = [];
  let next = 0;
  const keepitsBefore = (message: number): void => {
    for (let one = kept[next]; one !== undefined && at(one) < message; one = kept[++next]) blocks.push(one);
  };
  for (const { block } of ordered) {
    keepitsBefore(at(block));
    blocks.push(block);
  }
  keepitsBefore(Infinity);
  return blocks.length > 0 ? blocks : [noteBlock(NOTHING, first)];
}

/** Everything after the first line of the `.md`. */
function versionBody(blocks: readonly VersionBlock[]): string {
  return `${blocks.map(({ text }) => text).join(BLOCK_SEPARATOR)}\n`;
}

function at({ messages }: VersionBlock): number {
  return messages[0] ?? 0;
}

function noteBlock(block: SummaryBlock, firstMessage: number): VersionBlock {
  const messages = block.messages.length === 0 ? [firstMessage] : [...new Set(block.messages)].sort((a, b) => a - b);
  return { kind: block.kind, role: block.role, text: withoutMarkers(blockText({ ...block, messages })), messages };
}

function keepitVersionBlock(judged: JudgedKeepit): VersionBlock[] {
  const { block, messageIndex, role } = judged;
  if (block === undefined) return [];
  return [{ kind: 'keepit', role, text: block.text, messages: [messageIndex], judged }];
}

interface ReadKeepit {
  readonly weight: number;
  readonly content: string;
}

/**
 * Reads a version again, both forms of it, and compares what is there with the receipt: every keepit that survives, once, with its
 * weight, byte for byte, and nothing else. Throws `CompressionError`.
 */
async function checkVersion({ body, transcript }: WrittenVersion, { keepits }: CompressionPlan): Promise<void> {
  const expected = keepits.flatMap(({ keepit, block, receipt }) =>
    block === undefined ? [] : [{ weight: keepit.effectiveWeight, content: block.span, markerId: receipt.markerId }],
  );
  compare('the text', expected, parseKeepits(body).spans);
  const estimator = { estimate: () => 0, sample: () => 0 };
  const reader = await readTranscript(chunksOf(transcript.jsonl), { estimator });
  const { messages, account } = reader.conversation();
  if (account.brokenCount > 0 || messages.length !== transcript.messages) {
    throw new CompressionError('receipt', `${messages.length} of ${transcript.messages} messages can be read again`);
  }
  if (messages.some(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'))) {
    throw new CompressionError('receipt', 'human and assistant do not take turns');
  }
  const spans = [...textPlaces(messages)].flatMap(({ block }) => parseKeepits(block.text).spans);
  compare('the transcript', expected, spans);
}

function compare(
  where: string,
  expected: readonly (ReadKeepit & { readonly markerId: string })[],
  read: readonly ReadKeepit[],
): void {
  if (read.length !== expected.length) {
    throw new CompressionError('receipt', `${where} has ${read.length} keepits instead of ${expected.length}`);
  }
  for (const [index, { weight, content, markerId }] of expected.entries()) {
    const found = read[index];
    if (found?.content === content && found.weight === weight) continue;
    throw new CompressionError('receipt', `keepit ${markerId} is not in ${where} as it was marked`);
  }
}

async function* chunksOf(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}

import type { SessionMaterial } from '../../sessions/sessionMaterial';
import { effectiveKeepits } from '../../keepits/effectiveKeepits';
import { collectCheckpoints } from '../../material/collectCheckpoints';
import type { MessageSpan } from '../../sessions/sessionParts';
import type { ComparisonJob, StoredVersion } from '../compressionJob';
import { KeepitContents } from '../keepitBlock';
import { storedBlocks, withoutHeadline } from '../storedBlocks';
import type { Checkpoint, SourceMessage, SourceTool } from '../../material/types';
import { CheckpointFinder } from '../../material/checkpointFinder';
import {
  ORIGINAL,
  type Change,
  type DiffBlock,
  type DiffEnd,
  type DiffHunk,
  type LostFact,
  type VersionDiff,
} from './types';
import { alignBlocks, type AlignedBlocks, diffRow } from './diffRow';

/** An end with all that is compared of it. */
interface OpenEnd extends DiffEnd {
  readonly blocks: readonly DiffBlock[];
  /** Absent for the original, which holds everything. */
  readonly text?: string;
}

/** Compares two versions of the session that the material is of. The original is compared over the messages that the other one covers. */
export function compareVersions(material: SessionMaterial, job: ComparisonJob): VersionDiff {
  const rangeOfB = job.b === ORIGINAL ? undefined : rangeOf(job.b, material);
  const rangeOfA = job.a === ORIGINAL ? rangeOfB : rangeOf(job.a, material);
  const a = openEnd(job.a, rangeOfA, material);
  const b = openEnd(job.b, rangeOfB ?? rangeOfA, material);
  const uuidOf = (message: number): string => material.messages[message]?.uuid ?? '';
  const { hunks, counts } = compareBlocks(a.blocks, b.blocks, uuidOf);
  const lost = b.text === undefined ? [] : lostFacts(referenceOf(a, b, { material, job }), b.text, a.text);
  return { a: shownEnd(a), b: shownEnd(b), ...counts, lost, hunks };
}

type MessageRange = DiffEnd['messageRange'];

/** A rewind may have made the session shorter than it was. */
function rangeOf({ record }: StoredVersion, { messages }: SessionMaterial): MessageRange {
  const last = Math.max(0, messages.length - 1);
  const [from, to] = record.messageRange ?? [0, last];
  return [Math.min(from, last), Math.min(to, last)];
}

function openEnd(
  version: StoredVersion | typeof ORIGINAL,
  range: MessageRange | undefined,
  material: SessionMaterial,
): OpenEnd {
  const { messages } = material;
  const messageRange = range ?? [0, Math.max(0, messages.length - 1)];
  if (version === ORIGINAL) {
    const covered = messages.slice(messageRange[0], messageRange[1] + 1);
    const tokens = covered.reduce((sum, message) => sum + message.tokens, 0);
    return { versionId: ORIGINAL, tokens, messageRange, blocks: originalBlocks(covered) };
  }
  const { record, md, jsonl } = version;
  const body = withoutHeadline(md);
  const blocks = comparedBlocks(jsonl, (uuid) => material.messageOf.get(uuid));
  return {
    versionId: record.versionId,
    tokens: record.outputTokens,
    messageRange,
    ...(record.fidelity && { fidelity: record.fidelity }),
    ...(record.receipt && { receipt: record.receipt }),
    blocks: blocks.length > 0 ? blocks : [wholeBlock(body, messageRange)],
    text: body,
  };
}

/** A version that another tool wrote names no messages: it stands beside all that it covers. */
function wholeBlock(text: string, [from, to]: MessageRange): DiffBlock {
  return { kind: 'note', role: 'assistant', from, to, text };
}

function referenceOf(
  { messageRange: [from, to] }: OpenEnd,
  { receipt = [] }: OpenEnd,
  { material, job }: { material: SessionMaterial; job: ComparisonJob },
): Parameters<typeof lostFacts>[0] {
  const contents = new KeepitContents(material.messages);
  const keepits: KeepitFact[] = effectiveKeepits(job.ref, material.found, job.overlay).flatMap((keepit) => {
    const messageIndex = material.messageOf.get(keepit.messageUuid) ?? -1;
    if (keepit.state !== 'live' || messageIndex < from || messageIndex > to) return [];
    const { markerId, effectiveWeight: weight } = keepit;
    const content = contents.of(keepit);
    if (content === '') return [];
    return [{ markerId, content, weight, messageIndex, messageUuid: material.messages[messageIndex]?.uuid ?? '' }];
  });
  const reasons = new Map(receipt.flatMap(({ markerId, kept, reason }) => (kept ? [] : [[markerId, reason] as const])));
  return { facts: collectCheckpoints(material.messages.slice(from, to + 1)), keepits, reasons };
}

function shownEnd({ versionId, tokens, messageRange, fidelity, receipt }: OpenEnd): DiffEnd {
  return { versionId, tokens, messageRange, ...(fidelity && { fidelity }), ...(receipt && { receipt }) };
}

/** All that differs between two ends, and how many words it is. */
interface BlockComparison {
  readonly hunks: readonly DiffHunk[];
  readonly counts: Readonly<Record<Change, number>>;
}

function compareBlocks(
  a: readonly DiffBlock[],
  b: readonly DiffBlock[],
  uuidOf: (message: number) => string,
): BlockComparison {
  const counts: Record<Change, number> = { kept: 0, removed: 0, added: 0 };
  const hunks: DiffHunk[] = [];
  for (const row of alignBlocks(a, b)) {
    const { parts, counts: words, cutCharacters } = diffRow(row);
    counts.kept += words.kept;
    counts.removed += words.removed;
    counts.added += words.added;
    const { from, to } = spanOf(row);
    hunks.push({
      from,
      to,
      messageUuid: uuidOf(from),
      a: row.a.map(withoutText),
      b: row.b.map(withoutText),
      parts,
      cutCharacters,
    });
  }
  return { hunks, counts };
}

function withoutText({ kind, role, from, to }: DiffBlock): Omit<DiffBlock, 'text'> {
  return { kind, role, from, to };
}

/** A heading names all messages of its episode; what stands below it names its own. */
function spanOf({ a, b }: AlignedBlocks): MessageSpan {
  const blocks = [...a, ...b];
  const notes = blocks.filter(({ kind }) => kind !== 'heading');
  const spans = notes.length > 0 ? notes : blocks;
  return spans.reduce<MessageSpan>(
    ({ from, to }, block) => ({ from: Math.min(from, block.from), to: Math.max(to, block.to) }),
    { from: Infinity, to: 0 },
  );
}

/** Of what a tool returned, so much is compared: summaries tell of its beginning, or of why it failed. */
const RESULT_CHARS = 600;

/** Messages of the original as they are compared with what became of them: words, tool calls, the beginnings of results. */
export function originalBlocks(messages: readonly SourceMessage[]): DiffBlock[] {
  return messages.map((message) => ({
    kind: 'message',
    role: message.role,
    from: message.index,
    to: message.index,
    text: messageText(message),
  }));
}

/** A message as text, its tool calls where they were made. */
function messageText({ texts, tools }: SourceMessage): string {
  const pieces: string[] = [];
  for (let place = 0; place <= texts.length; place++) {
    const said = texts[place - 1]?.text;
    if (said !== undefined) pieces.push(said);
    for (const tool of tools) if (tool.afterText === place) pieces.push(toolText(tool));
  }
  return pieces.join('\n\n');
}

function toolText({ name, target, result, isError }: SourceTool): string {
  const call = target === '' ? name : `${name}: ${target}`;
  const answer = result.trim();
  if (answer === '') return `› ${call}`;
  const shown = answer.length > RESULT_CHARS ? `${answer.slice(0, RESULT_CHARS)} …` : answer;
  return `› ${call}\n${isError ? 'failed: ' : ''}${shown}`;
}

/**
 * The blocks of a version with the messages that they came from, out of its `.jsonl`. `indexOf` tells where in the session a message
 * is. A block whose messages are not in the session any more stands where the one before it does. Empty for a file without lineage.
 */
export function comparedBlocks(jsonl: string, indexOf: (uuid: string) => number | undefined): DiffBlock[] {
  const blocks: DiffBlock[] = [];
  for (const { kind, role, text, sources } of storedBlocks(jsonl)) {
    const indexes = sources.flatMap((uuid) => indexOf(uuid) ?? []);
    const before = blocks.at(-1)?.from ?? 0;
    const from = indexes.reduce((least, index) => Math.min(least, index), indexes[0] ?? before);
    const to = indexes.reduce((most, index) => Math.max(most, index), from);
    // Aligning needs the order of the session, which a version has.
    blocks.push({ kind, role, from: Math.max(from, before), to: Math.max(to, before), text });
  }
  return blocks;
}

/** A keepit as far as losing it is concerned. */
interface KeepitFact {
  readonly markerId: string;
  readonly content: string;
  readonly weight: number;
  readonly messageUuid: string;
  readonly messageIndex: number;
}

export interface LossReference {
  readonly facts: readonly Checkpoint[];
  readonly keepits: readonly KeepitFact[];
  /** Why a keepit faded in the second, by its id. */
  readonly reasons: ReadonlyMap<string, string>;
}

/** What hurts most when it is lost comes first. */
const lossOrder: readonly LostFact['kind'][] = [
  'keepit',
  'instruction',
  'decision',
  'error',
  'path',
  'command',
  'identifier',
];

/**
 * What the first text holds and the second does not: keepits that are not there byte for byte, facts that are not there in any words.
 * Without a first text everything is taken for held, as the original holds it.
 */
export function lostFacts({ facts, keepits, reasons }: LossReference, b: string, a?: string): LostFact[] {
  const inA = a === undefined ? undefined : new CheckpointFinder(facts, a);
  const inB = new CheckpointFinder(facts, b);
  const lost: LostFact[] = [];
  for (const { markerId, content, weight, messageUuid, messageIndex } of keepits) {
    if (b.includes(content) || (a !== undefined && !a.includes(content))) continue;
    const reason = reasons.get(markerId);
    lost.push({
      kind: 'keepit',
      text: content,
      messageUuid,
      messageIndex,
      weight,
      reason,
    });
  }
  for (const fact of facts) {
    if (inB.share(fact) > 0 || inA?.share(fact) === 0) continue;
    const { kind, text, messageUuid, messageIndex, weight } = fact;
    lost.push({ kind, text, messageUuid, messageIndex, weight });
  }
  return lost.sort(
    (one, other) =>
      lossOrder.indexOf(one.kind) - lossOrder.indexOf(other.kind) ||
      other.weight - one.weight ||
      one.messageIndex - other.messageIndex,
  );
}

import { effectiveKeepits } from '../../keepits/effectiveKeepits';
import type { CompressionRecord } from '../../model/compression';
import type { KeepitChange } from '../../model/keepit';
import type { SessionRef } from '../../sessions/results';
import type { Steps } from '../../transcript/steps';
import { collectFacts } from '../../material/collectFacts';
import type { SessionMaterial } from '../../sessions/sessionMaterial';
import { compareBlocks } from './compareBlocks';
import { lostFacts, type KeepitFact } from './lostFacts';
import { originalBlocks } from './originalBlocks';
import { storedBlocks } from './storedBlocks';
import { ORIGINAL, type DiffBlock, type DiffEnd, type VersionDiff } from './types';

/** A version as it is stored. */
export interface StoredVersion {
  readonly record: CompressionRecord;
  readonly md: string;
  readonly jsonl: string;
}

/** A comparison as plain data, so that it can be handed to a thread. */
export interface ComparisonJob {
  readonly ref: SessionRef;
  /** The transcript that both came from; only ever read. */
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** What people changed about the session's keepits. */
  readonly overlay: readonly KeepitChange[];
  readonly a: StoredVersion | typeof ORIGINAL;
  readonly b: StoredVersion | typeof ORIGINAL;
}

/** An end with all that is compared of it. */
interface OpenEnd extends DiffEnd {
  readonly blocks: readonly DiffBlock[];
  /** Absent for the original, which holds everything. */
  readonly text?: string;
}

/** Compares two versions of the session that the material is of. The original is compared over the messages that the other one covers. */
export function* compareVersions(material: SessionMaterial, job: ComparisonJob): Steps<VersionDiff> {
  const rangeOfB = job.b === ORIGINAL ? undefined : rangeOf(job.b, material);
  const rangeOfA = job.a === ORIGINAL ? rangeOfB : rangeOf(job.a, material);
  const a = openEnd(job.a, rangeOfA, material);
  const b = openEnd(job.b, rangeOfB ?? rangeOfA, material);
  const uuidOf = (message: number): string => material.messages[message]?.uuid ?? '';
  const { hunks, counts } = yield* compareBlocks(a.blocks, b.blocks, uuidOf);
  const lost = b.text === undefined ? [] : lostFacts(referenceOf(a, b, { material, job }), b.text, a.text);
  yield undefined;
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
  const blocks = storedBlocks(jsonl, (uuid) => material.messageOf.get(uuid));
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

function withoutHeadline(md: string): string {
  return md.startsWith('<!--') ? md.slice(md.indexOf('\n') + 1) : md;
}

function referenceOf(
  { messageRange: [from, to] }: OpenEnd,
  { receipt = [] }: OpenEnd,
  { material, job }: { material: SessionMaterial; job: ComparisonJob },
): Parameters<typeof lostFacts>[0] {
  const keepits: KeepitFact[] = effectiveKeepits(job.ref, material.found, job.overlay).flatMap((keepit) => {
    const messageIndex = material.messageOf.get(keepit.messageUuid) ?? -1;
    if (keepit.state !== 'live' || messageIndex < from || messageIndex > to) return [];
    const { markerId, content, effectiveWeight: weight } = keepit;
    return [{ markerId, content, weight, messageIndex, messageUuid: material.messages[messageIndex]?.uuid ?? '' }];
  });
  const reasons = new Map(receipt.flatMap(({ markerId, kept, reason }) => (kept ? [] : [[markerId, reason] as const])));
  return { facts: collectFacts(material.messages.slice(from, to + 1)), keepits, reasons };
}

function shownEnd({ versionId, tokens, messageRange, fidelity, receipt }: OpenEnd): DiffEnd {
  return { versionId, tokens, messageRange, ...(fidelity && { fidelity }), ...(receipt && { receipt }) };
}

import { decayLevel, isPinned, judgeSurvival, survivalThreshold } from '../keepits/decay';
import { effectiveKeepits, type EffectiveKeepit } from '../keepits/effectiveKeepits';
import type {
  CompressionScope,
  CompressionSettings,
  ReceiptEntry,
  TierConfig,
  SessionPartRecord,
} from '../model/compression';
import { leftOutOf } from '../text/secrets/cleanText';
import type { TokenCounter } from '../text/tokens/tokenCounter';
import type { Role } from '../transcript/types';
import {
  type MessageSpan,
  alignParts,
  nextPartNumber,
  wholeMessages,
  type LiveMessages,
} from '../sessions/sessionParts';
import type { SessionMaterial } from '../sessions/sessionMaterial';
import type { SourceMessage } from '../material/types';
import { type CompressionJob, CompressionError } from './compressionJob';
import { tiersOf } from './compressionSettings';
import { KeepitContents, keepitBlock, type KeepitBlock } from './keepitBlock';
import { type Segment, BLOCK_SEPARATOR } from './types';

/** A keepit of the messages that are compressed, and what becomes of it. */
export interface JudgedKeepit {
  readonly keepit: EffectiveKeepit;
  /** What it marks, as it may be written: without secrets and private passages. */
  readonly content: string;
  readonly messageIndex: number;
  readonly role: Role;
  readonly receipt: ReceiptEntry;
  /** How it is put back; absent for one that fades. */
  readonly block?: KeepitBlock | undefined;
}

/** Everything that is decided before anything is summarized. */
export interface CompressionPlan {
  readonly scoped: ScopedMessages;
  /** What is summarized: the messages of the scope without those that are skipped. */
  readonly messages: readonly SourceMessage[];
  readonly segments: readonly Segment[];
  /** In the order of the conversation. */
  readonly keepits: readonly JudgedKeepit[];
  readonly inputTokens: number;
  /** What was asked for, keepits included. */
  readonly targetTokens: number;
  readonly keepitTokens: number;
}

/** No summary is asked to be shorter than a few words. */
const LEAST_SUMMARY_TOKENS = 4;

/** Decides what is compressed, how hard, and which keepits survive. The same material and job give the same plan. */
export function planCompression(
  material: SessionMaterial,
  job: CompressionJob,
  counter: TokenCounter,
): CompressionPlan {
  const { settings } = job;
  const scoped = scopeOf(material, job);
  const from = Math.max(scoped.from, settings.skipFirstMessages);
  const messages = material.messages.slice(from, scoped.to + 1);
  if (messages.length === 0) throw new CompressionError('nothing-left', String(settings.skipFirstMessages));
  const spans = tierSpans({ from, to: scoped.to }, tiersOf(settings));
  const keepits = judgeKeepits(material, job, { scoped, spans });
  const separator = counter.count(BLOCK_SEPARATOR);
  const segments = spans.map(({ span, tier }) => {
    const kept = keepits.filter(({ messageIndex }) => spanOf(spans, messageIndex).span === span);
    const keepitTokens = kept.reduce((sum, { block }) => sum + (block ? counter.count(block.text) + separator : 0), 0);
    const within = material.messages.slice(span.from, span.to + 1);
    const inputTokens = tokensOf(within);
    const wanted = inputTokens / tier.compactionRatio;
    const words = within.reduce((sum, { tokens, pictureTokens = 0 }) => sum + Math.max(0, tokens - pictureTokens), 0);
    const target = Math.round(Math.min(words, Math.max(wanted - keepitTokens, wanted / 2)));
    const targetTokens = Math.max(target, Math.min(LEAST_SUMMARY_TOKENS, inputTokens));
    const { compactionRatio: ratio, aggressiveness } = tier;
    return { segment: { ...span, ratio, aggressiveness, inputTokens, targetTokens }, wanted, keepitTokens };
  });
  return {
    scoped,
    messages,
    segments: segments.map(({ segment }) => segment),
    keepits,
    inputTokens: segments.reduce((sum, { segment }) => sum + segment.inputTokens, 0),
    targetTokens: segments.reduce((sum, { wanted }) => sum + wanted, 0),
    keepitTokens: segments.reduce((sum, one) => sum + one.keepitTokens, 0),
  };
}

/** What a model would read of messages. */
export function tokensOf(messages: readonly SourceMessage[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}

function scopeOf(
  { live, isLastOpen }: SessionMaterial,
  { scope, parts, ref, isInUse }: CompressionJob,
): ScopedMessages {
  const whole = wholeMessages(live, isInUse && isLastOpen && scope.kind !== 'whole');
  return messagesIn(scope, { parts, live: whole, sessionId: ref.sessionId });
}

interface TierSpan {
  readonly span: MessageSpan;
  readonly tier: TierConfig;
}

/** The tiers as messages, side by side from the first to the last; a tier that gets none is left out. */
function tierSpans({ from, to }: MessageSpan, tiers: readonly TierConfig[]): TierSpan[] {
  const count = to - from + 1;
  const spans: TierSpan[] = [];
  let next = from;
  for (const tier of tiers) {
    const end = from + Math.round((count * tier.endPercent) / 100) - 1;
    if (end < next) continue;
    spans.push({ span: { from: next, to: end }, tier });
    next = end + 1;
  }
  return spans;
}

/** The tier of a message; one that is skipped counts to the oldest. */
function spanOf(spans: readonly TierSpan[], messageIndex: number): TierSpan {
  const found = spans.find(({ span }) => messageIndex <= span.to) ?? spans.at(-1);
  if (found === undefined) throw new TypeError('A compression without a segment');
  return found;
}

function judgeKeepits(
  { found, messageOf, messages }: SessionMaterial,
  job: CompressionJob,
  { scoped, spans }: { scoped: MessageSpan; spans: readonly TierSpan[] },
): JudgedKeepit[] {
  const judged: JudgedKeepit[] = [];
  const contents = new KeepitContents(messages);
  for (const keepit of effectiveKeepits(job.ref, found, job.overlay)) {
    const messageIndex = messageOf.get(keepit.messageUuid);
    if (keepit.state !== 'live' || messageIndex === undefined) continue;
    if (messageIndex < scoped.from || messageIndex > scoped.to) continue;
    const content = contents.of(keepit);
    const receipt = receiptOf({ ...keepit, content }, content === keepit.content ? [] : leftOutOf(keepit.content), {
      job,
      tier: spanOf(spans, messageIndex).tier,
    });
    const block = receipt.kept ? keepitBlock(keepit.effectiveWeight, content) : undefined;
    const role = messages[messageIndex]?.role ?? 'user';
    judged.push({ keepit, content, messageIndex, role, receipt, block });
  }
  return judged;
}

function receiptOf(
  { markerId, effectiveWeight: weight, content }: EffectiveKeepit,
  leftOut: readonly string[],
  { job: { settings, decay }, tier }: { readonly job: CompressionJob; readonly tier: TierConfig },
): ReceiptEntry {
  const { kept, threshold, reason } = judge(weight, { settings, decay, tier });
  const names = leftOut.join(', ');
  if (content === '')
    return { markerId, weight, threshold, kept: false, reason: `nothing of it may be written: ${names}` };
  return { markerId, weight, threshold, kept, reason: kept && names !== '' ? `${reason}; without ${names}` : reason };
}

function judge(
  weight: number,
  { settings, decay, tier }: { settings: CompressionSettings; decay: CompressionJob['decay']; tier: TierConfig },
): Pick<ReceiptEntry, 'kept' | 'threshold' | 'reason'> {
  if (settings.keepitMode === 'preserve-all') return { kept: true, threshold: 0, reason: 'all keepits are preserved' };
  const { compactionRatio: ratio, aggressiveness } = tier;
  const facts = { ratio, level: decayLevel(aggressiveness), distance: settings.sessionDistance ?? 1 };
  const { survives: kept, reason } = judgeSurvival(weight, facts, decay);
  if (settings.keepitMode === 'ignore' && !isPinned(weight, decay)) {
    return { kept: false, threshold: decay.pinnedWeight, reason: 'keepits are ignored, pinned ones excepted' };
  }
  return { kept, threshold: survivalThreshold(facts, decay), reason };
}

/** What a compression is about. */
interface ScopedMessages extends MessageSpan {
  /** Absent for the whole session. */
  readonly partNumber?: number;
}

/** The messages that a scope means. Throws `CompressionError`. */
export function messagesIn(
  scope: CompressionScope,
  { parts, live, sessionId }: { parts: readonly SessionPartRecord[]; live: LiveMessages; sessionId: string },
): ScopedMessages {
  if (live.count === 0) throw new CompressionError('empty-session', sessionId);
  if (scope.kind === 'whole') return { from: 0, to: live.count - 1 };
  const aligned = alignParts(parts, live);
  if (scope.kind === 'part') {
    const part = aligned.find(({ partNumber }) => partNumber === scope.partNumber);
    if (part === undefined || part.to < part.from) throw new CompressionError('no-such-part', String(scope.partNumber));
    return part;
  }
  const from = (aligned.at(-1)?.to ?? -1) + 1;
  if (from >= live.count) throw new CompressionError('nothing-new', sessionId);
  return { partNumber: nextPartNumber(parts), from, to: live.count - 1 };
}

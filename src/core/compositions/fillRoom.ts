import type { KeepitMarker } from '../model/keepit';
import type { CompositionRequest } from '../model/composition';
import { judgeSurvival, levelForRatio } from '../keepits/decay';
import { withoutSecrets } from '../text/secrets/cleanText';
import { redactionsIn } from '../text/secrets/cleanText';
import { measureFidelity } from '../versions/compressionEngine';
import { fill, GAP, grantText, tokensOf, type Grant } from '../versions/digest';
import { withoutMarkers } from '../versions/keepitBlock';
import type { Passage } from '../versions/passages';
import { CompositionError } from './compositionError';
import { blockMarkdown, type ReadPiece } from './contextSection';
import type { OpenSession, StoredForm } from './openSessions';
import { shareByPurpose, shareRoom, type Sharer } from './shares';
import type { ContextBlock, FormKind } from './types';

/** A session as it is to be in a composition. */
export interface FilledSession {
  readonly open: OpenSession;
  readonly kind: FormKind;
  readonly pieces: readonly ReadPiece[];
  /** Those that are to be in it, whatever its pieces hold. */
  readonly keepits: readonly KeepitMarker[];
  readonly isFixed: boolean;
  readonly allocation: number;
  readonly why: string;
  /** What it may say, where that was cut to the room. */
  readonly isCut: boolean;
}

/** How many tokens a session takes in so many pieces, with everything around them. */
export type Measure = (filled: Pick<FilledSession, 'open' | 'pieces' | 'keepits'>) => number;

interface Filling {
  readonly request: CompositionRequest;
  readonly room: number;
  readonly measure: Measure;
}

/** A session whose form is still to be found, with what it takes in any case. */
interface Flexible {
  readonly open: OpenSession;
  keepits: KeepitMarker[];
  base: number;
  readonly why?: string;
}

/**
 * Decides how each session is in a composition, so that together they take no more than the room, as far as tokens add up. Throws
 * `CompositionError` when not even the pinned keepits fit.
 */
export function fillRoom(sessions: readonly OpenSession[], filling: Filling): FilledSession[] {
  const { room, measure, request } = filling;
  const filled = new Map<OpenSession, FilledSession>();
  const flexible: Flexible[] = [];
  const baseOf = (open: OpenSession): number =>
    open.spoken === undefined && open.session.pinned.length === 0
      ? 0
      : measure({ open, pieces: [], keepits: open.session.pinned });
  let left = sessions.reduce((rest, open) => rest - baseOf(open), room);
  const newestFirst = [...sessions].sort((a, b) => a.session.distance - b.session.distance);
  for (const open of newestFirst) {
    const named = open.named && fixed(open, open.named, open.session.pinned);
    const more = named === undefined ? 0 : measure(named) - baseOf(open);
    if (named !== undefined && more <= left) {
      left -= more;
      filled.set(open, named);
    } else {
      const why = named === undefined ? {} : { why: `${namesOf(named)} does not fit` };
      flexible.push({ open, keepits: [...open.session.pinned], base: baseOf(open), ...why });
    }
  }
  const stays = withoutThoseWithoutRoom(flexible, left, filling);
  for (const { open, why } of flexible.filter((one) => !stays.includes(one))) filled.set(open, leftOut(open, why));
  if (stays.length + [...filled.values()].filter(({ kind }) => kind !== 'nothing').length === 0) {
    throw new RoomError(Math.min(...sessions.map((open) => leastOf(open, measure))));
  }
  const order = stays.sort((a, b) => sessions.indexOf(a.open) - sessions.indexOf(b.open));
  const rest = [...filled.values()].reduce((sum, one) => sum - (one.kind === 'nothing' ? 0 : measure(one)), room);
  for (const one of request.purpose === undefined && !request.files?.length
    ? shared(order, rest, filling)
    : competing(order, rest, filling)) {
    filled.set(one.open, one);
  }
  return sessions.flatMap((open) => filled.get(open) ?? []);
}

/** The least that says something of a session. */
function leastOf(open: OpenSession, measure: Measure): number {
  const { session, stored, spoken } = open;
  const least = measure({ open, pieces: [], keepits: session.pinned }) + LEAST_TEXT;
  const sizes = stored.map(({ pieces }) => measure({ open, pieces, keepits: session.pinned }));
  return spoken === undefined && sizes.length > 0 ? Math.min(...sizes) : least;
}

/** What says least needs so many tokens. */
const LEAST_TEXT = 40;

function fixed(open: OpenSession, form: StoredForm, keepits: readonly KeepitMarker[]): FilledSession {
  const why = form.kind === 'new' ? 'made anew, as asked' : 'as asked';
  return {
    open,
    kind: form.kind,
    pieces: form.pieces,
    keepits,
    isFixed: true,
    allocation: open.asked[0]?.allocation ?? 0,
    why,
    isCut: false,
  };
}

function namesOf({ pieces }: Pick<FilledSession, 'pieces'>): string {
  return pieces.map(({ piece }) => piece.versionId).join(' + ');
}

function leftOut(open: OpenSession, why = 'the room is not enough for more than others take'): FilledSession {
  return { open, kind: 'nothing', pieces: [], keepits: [], isFixed: false, allocation: 0, why, isCut: true };
}

/** When not even headings fit, the oldest sessions go first; those with pinned keepits stay. */
function withoutThoseWithoutRoom(flexible: readonly Flexible[], left: number, { room }: Filling): Flexible[] {
  const stays = [...flexible].sort((a, b) => a.open.session.distance - b.open.session.distance);
  let over = -left;
  for (const one of [...stays].reverse()) {
    if (over <= 0) break;
    if (one.keepits.length > 0) continue;
    stays.splice(stays.indexOf(one), 1);
    over -= one.base;
  }
  if (over > 0) throw new RoomError(room + over);
  return stays;
}

/** The room is not enough for what may not be left out. */
export class RoomError extends Error {
  constructor(readonly needed: number) {
    super(`${needed} tokens are needed`);
  }
}

function sharerOf({ open, base }: Flexible, { measure, request }: Filling): Sharer {
  const { session, asked, original, stored, sources } = open;
  const passages: Passage[] = [...sources.keys()];
  const spoken = base + tokensOf(passages);
  const largest = Math.max(base, ...stored.map(({ pieces }) => measure({ open, pieces, keepits: [] })));
  const inFull = original && measure({ open, pieces: original.pieces, keepits: [] });
  const usesOriginal = inFull !== undefined && (request.strategy !== 'best' || passages.length === 0);
  return {
    base,
    most: usesOriginal ? inFull : passages.length > 0 ? spoken : largest,
    passages: passages.length > 0 ? passages : standIns((usesOriginal ? inFull : largest) - base),
    originalTokens: session.originalTokens,
    distance: session.distance,
    allocation: asked[0]?.allocation,
    weight: asked[0]?.weight,
  };
}

/** What cannot be cut gets a share as if it were so many answers. */
const STAND_IN_TOKENS = 20;

function standIns(tokens: number): Passage[] {
  if (tokens <= 0) return [];
  const none = { kind: 'outcome', role: 'assistant', uuid: '', recordUuid: '', text: '' } as const;
  const count = Math.ceil(tokens / STAND_IN_TOKENS);
  const pieces = Array.from({ length: count }, (_, at) => ({
    start: at,
    end: at,
    tokens: STAND_IN_TOKENS,
    enters: (at * STAND_IN_TOKENS) / 20,
  }));
  return [{ ...none, pieces }];
}

function textOf(blocks: readonly ContextBlock[]): string {
  return blocks.map(blockMarkdown).join('\n\n');
}

/** Every session gets a share of the room, and says in it what it can. */
function shared(flexible: readonly Flexible[], room: number, filling: Filling): FilledSession[] {
  const { request, measure } = filling;
  withSurvivors(flexible, room, filling);
  const sharers = flexible.map((one) => sharerOf(one, filling));
  const shares = shareRoom(sharers, room, request.strategy);
  const filled = flexible.map((one, at): FilledSession => inShare(one, sharers[at], shares[at] ?? 0, filling));
  return withLeftovers(filled, room - filled.reduce((sum, one) => sum + measured(one, measure), 0), filling);
}

function measured(one: FilledSession, measure: Measure): number {
  return one.kind === 'nothing' ? 0 : measure(one);
}

/** Keepits that survive come next after the pinned ones: the heaviest first, as long as there is room. */
function withSurvivors(flexible: readonly Flexible[], room: number, { measure, request }: Filling): void {
  let left = flexible.reduce((rest, { base }) => rest - base, room);
  const share = request.totalTokenBudget / Math.max(1, request.components.length);
  const surviving = flexible
    .flatMap((one) =>
      one.open.session.keepits.flatMap((keepit) => (survives(keepit, one, share) ? [{ one, keepit }] : [])),
    )
    .sort((a, b) => b.keepit.weight - a.keepit.weight);
  for (const { one, keepit } of surviving) {
    const keepits = [...one.keepits, keepit];
    const base = measure({ open: one.open, pieces: [], keepits });
    if (base - one.base > left) continue;
    left -= base - one.base;
    Object.assign(one, { keepits, base });
  }
}

function survives(keepit: KeepitMarker, { open, keepits }: Flexible, share: number): boolean {
  const { originalTokens, distance, decay, keepitMode } = open.session;
  if (open.spoken === undefined || keepits.includes(keepit)) return false;
  if (keepitMode === 'preserve-all') return true;
  const ratio = Math.max(1, originalTokens / Math.max(1, share));
  return judgeSurvival(keepit.weight, { ratio, level: levelForRatio(ratio), distance }, decay).survives;
}

/** The original where it fits, else what was said, cut to the room, unless a stored version holds as much of what matters in it. */
function inShare(
  { open, keepits, base, why }: Flexible,
  sharer: Sharer | undefined,
  share: number,
  filling: Filling,
): FilledSession {
  const { original, spoken, asked } = open;
  const plain = { open, keepits, isFixed: false, allocation: asked[0]?.allocation ?? share };
  if (original !== undefined && filling.measure({ open, pieces: original.pieces, keepits }) <= share) {
    return { ...plain, kind: 'original', pieces: original.pieces, why: 'the original fits', isCut: false };
  }
  const stored = bestStored(open, keepits, share, filling);
  if (spoken === undefined || sharer === undefined) {
    if (stored !== undefined)
      return { ...plain, ...stored, why: why ?? 'it holds most in its share of the budget', isCut: true };
    const isKept = keepits.length > 0;
    return {
      ...plain,
      kind: isKept ? 'keepits' : 'nothing',
      pieces: [],
      keepits,
      why: why ?? unfitText(open),
      isCut: true,
    };
  }
  const fresh = freshForm(open, fill(sharer.passages, share - base), keepits);
  const reason = why ?? 'cut to its share of the budget';
  if (stored !== undefined && holdsAsMuch(stored, fresh, open, keepits)) {
    return { ...plain, ...stored, why: why ?? 'it holds as much as anything of its size', isCut: true };
  }
  return { ...plain, ...fresh, why: reason, isCut: sharer.most > share };
}

/** Why nothing but keepits, or nothing at all, of a session is in. */
function unfitText({ session }: OpenSession): string {
  const sizes = session.versions.map(({ outputTokens }) => outputTokens);
  if (session.transcript !== undefined) sizes.push(session.originalTokens);
  return sizes.length === 0
    ? 'there is no version of it'
    : `even its smallest version, with ${Math.min(...sizes)} tokens, does not fit`;
}

function bestStored(
  open: OpenSession,
  keepits: readonly KeepitMarker[],
  share: number,
  { measure }: Filling,
): (Pick<FilledSession, 'kind' | 'pieces'> & { fidelity: number }) | undefined {
  let best: StoredForm | undefined;
  for (const form of open.stored) {
    if (form.fidelity <= (best?.fidelity ?? -1)) continue;
    if (measure({ open, pieces: form.pieces, keepits }) <= share) best = form;
  }
  return best && { kind: best.kind, pieces: best.pieces, fidelity: best.fidelity };
}

/** Both measured now, by the same rule. */
function holdsAsMuch(
  a: Pick<FilledSession, 'pieces'>,
  b: Pick<FilledSession, 'pieces'>,
  open: OpenSession,
  keepits: readonly KeepitMarker[],
): boolean {
  return fidelityOf(open, a.pieces, keepits) >= fidelityOf(open, b.pieces, keepits);
}

/** How much of what mattered in a session some pieces of it hold, from 0 to 1. */
export function fidelityOf(
  { spoken, session }: OpenSession,
  pieces: readonly ReadPiece[],
  keepits: readonly KeepitMarker[],
): number {
  const marked = keepits.map(({ content }) => content).join('\n\n');
  const text = [marked, ...pieces.map(({ blocks }) => textOf(blocks))].join('\n\n');
  return measureFidelity({ facts: spoken?.facts ?? [], keepits: session.keepits }, text).score;
}

function freshForm(
  open: OpenSession,
  grants: readonly Grant[],
  keepits: readonly KeepitMarker[],
  hasGaps = false,
): Pick<FilledSession, 'kind' | 'pieces'> {
  const order = new Map([...open.sources.keys()].map((passage, at) => [passage, at]));
  const blocks: ContextBlock[] = [];
  let next = 0;
  for (const grant of grants) {
    const { passage } = grant;
    const at = order.get(passage) ?? 0;
    if (hasGaps && at > next) blocks.push({ kind: 'note', role: passage.role, text: GAP, sources: [] });
    next = at + 1;
    const text = withoutMarkers(withoutContents(grantText(grant), passage, keepits));
    blocks.push({ kind: 'said', role: passage.role, text, sources: open.sources.get(passage) ?? [] });
  }
  return {
    kind: 'fresh',
    pieces: [{ piece: { versionId: 'fresh' }, blocks, secrets: redactionsIn(blocks.map(({ text }) => text)) }],
  };
}

/** What stands above as a keepit need not be said a second time. */
function withoutContents(text: string, { recordUuid, kind }: Passage, keepits: readonly KeepitMarker[]): string {
  return keepits
    .filter(({ messageUuid }) => kind === 'asked' || messageUuid === recordUuid)
    .reduce((rest, { content }) => {
      const marked = withoutSecrets(content);
      return marked === '' || rest.trim() === marked ? rest : rest.replace(marked, GAP);
    }, text);
}

/** What was left over brings sessions up to their original, or to a larger version, the newest first; not those that were given a room by hand. */
function withLeftovers(filled: readonly FilledSession[], leftover: number, filling: Filling): FilledSession[] {
  const { measure } = filling;
  let left = leftover;
  const larger = new Map<FilledSession, FilledSession>();
  for (const one of filled.toSorted((a, b) => a.open.session.distance - b.open.session.distance)) {
    const { open, keepits } = one;
    if (open.asked[0]?.allocation !== undefined || one.kind === 'original') continue;
    const now = measured(one, measure);
    const { original } = open;
    const full = original && { ...one, kind: original.kind, pieces: original.pieces };
    const stored = open.spoken === undefined ? bestStored(open, keepits, now + left, filling) : undefined;
    const isBetter = stored !== undefined && stored.fidelity > fidelityNow(one);
    const next =
      full !== undefined && measure(full) <= now + left ? full : isBetter ? { ...one, ...stored } : undefined;
    if (next === undefined) continue;
    left -= measure(next) - now;
    larger.set(one, { ...next, why: 'others left room for it', isCut: false });
  }
  return filled.map((one) => larger.get(one) ?? one);
}

function fidelityNow({ open, pieces, kind }: FilledSession): number {
  if (kind === 'nothing' || kind === 'keepits') return 0;
  return open.stored.find((form) => form.pieces === pieces)?.fidelity ?? 0;
}

/** All passages compete by what they say to the purpose; what is left of the room is shared as without one. */
function competing(flexible: readonly Flexible[], room: number, filling: Filling): FilledSession[] {
  const { request } = filling;
  withSurvivors(flexible, room, filling);
  const sharers = flexible.map((one) => ({
    ...sharerOf(one, filling),
    passages: [...one.open.sources.keys()],
    isIn: one.keepits.length > 0,
  }));
  const grants = shareByPurpose(sharers, [request.purpose, ...(request.files ?? [])].join(' '), room);
  return flexible.map(({ open, keepits, why }, at): FilledSession => {
    const own = grants[at] ?? [];
    if (own.length === 0 && keepits.length === 0)
      return leftOut(open, why ?? 'nothing in it says as much to the purpose as what was taken');
    const allocation = open.asked[0]?.allocation ?? tokensOf(own);
    const form = own.length === 0 ? { kind: 'keepits' as const, pieces: [] } : freshForm(open, own, keepits, true);
    return {
      open,
      keepits,
      isFixed: false,
      allocation,
      ...form,
      why: why ?? 'what it says to the purpose',
      isCut: true,
    };
  });
}

export function tooSmall(budget: number, needed: number, sessions: readonly OpenSession[]): CompositionError {
  const pinned = sessions.flatMap(({ session }) =>
    session.pinned.map(({ markerId, content }) => ({ ...session.ref, markerId, content })),
  );
  const names = pinned.map(({ content }) => JSON.stringify(content.replace(/\s+/g, ' ').slice(0, 60))).join(', ');
  const detail =
    pinned.length === 0
      ? `nothing fits in fewer than ${needed}`
      : `the ${pinned.length === 1 ? 'pinned keepit needs' : `${pinned.length} pinned keepits need`} ${needed} (${names})`;
  return new CompositionError('budget-too-small', String(budget), detail, { smallestBudget: needed, pinned });
}

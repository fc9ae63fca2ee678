import { sumOf } from '../text/ownValue';
import { judgeSurvival, levelForRatio } from '../keepits/decay';
import type { CompressionRecord } from '../model/compression';
import type { CompositionRequest } from '../model/composition';
import type { KeepitMarker } from '../model/keepit';
import { fill, tokensOf } from '../versions/digest';
import type { Passage } from '../versions/passages';
import { CompositionError } from './compositionError';
import type { OpenSession, StoredForm } from './openSessions';
import { bestStored, freshForm, inShare, type FilledSession, type Flexible, type Measure } from './sessionForms';
import { shareByPurpose, shareRoom, type Sharer } from './shares';

interface Filling {
  readonly request: CompositionRequest;
  readonly room: number;
  readonly measure: Measure;
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
  const spoken = base + tokensOf(fill(passages, Infinity));
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

/** Every session gets a share of the room, and says in it what it can. */
function shared(flexible: readonly Flexible[], room: number, filling: Filling): FilledSession[] {
  const { request, measure } = filling;
  withSurvivors(flexible, room, filling);
  withDigests(flexible, room, filling);
  const sharers = flexible.map((one) => sharerOf(one, filling));
  const shares = shareRoom(sharers, room, request.strategy);
  const filled = flexible.flatMap((one, at) => {
    const sharer = sharers[at];
    if (sharer === undefined) return [];
    const isOwn = request.strategy !== 'best' || sharer.allocation !== undefined;
    return [inShare(one, { sharer, share: shares[at] ?? 0, isOwn }, measure)];
  });
  return withLeftovers(filled, room - sumOf(filled, (one) => measured(one, measure)), filling);
}

/** What a model wrote of a session says most in its tokens: the newest sessions first, as long as there is room. */
function withDigests(flexible: readonly Flexible[], room: number, { measure }: Filling): void {
  let left = flexible.reduce((rest, { base }) => rest - base, room);
  for (const one of flexible.toSorted((a, b) => a.open.session.distance - b.open.session.distance)) {
    const { open, keepits } = one;
    if (open.spoken === undefined || open.asked[0]?.allocation !== undefined) continue;
    const written = open.stored.filter(({ kind, versions }) => kind === 'version' && versions.every(isWritten));
    const [digest] = written
      .map((form) => ({ form, base: measure({ open, pieces: form.pieces, keepits }) }))
      .filter(({ base }) => base - one.base <= left)
      .sort((a, b) => a.base - b.base);
    if (digest === undefined) continue;
    left -= digest.base - one.base;
    Object.assign(one, { digest: digest.form, base: digest.base });
  }
}

function isWritten({ provider = 'local' }: CompressionRecord): boolean {
  return provider !== 'local';
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

/**
 * What was left over brings sessions up to their original, or to a larger version, the newest first; not those that were given a room by hand.
 * Where all words compete for the room, one session has no more of it than its words are worth, as long as others were cut.
 */
function withLeftovers(filled: readonly FilledSession[], leftover: number, filling: Filling): FilledSession[] {
  const { measure, request } = filling;
  const isContested = request.strategy === 'best' && filled.some(isCutWithoutHand);
  const even = request.totalTokenBudget / Math.max(1, request.components.length);
  let left = leftover;
  const larger = new Map<FilledSession, FilledSession>();
  for (const one of filled.toSorted((a, b) => a.open.session.distance - b.open.session.distance)) {
    const { open, keepits } = one;
    if (open.asked[0]?.allocation !== undefined || one.kind === 'original') continue;
    const now = measured(one, measure);
    const full = isContested ? undefined : inFull(one);
    const stored = open.spoken === undefined ? bestStored(open, keepits, now + left, measure) : undefined;
    const isBetter = stored !== undefined && stored.fidelity > fidelityNow(one);
    const next =
      full !== undefined && measure(full) <= now + left ? full : isBetter ? { ...one, ...stored } : undefined;
    if (next === undefined) continue;
    const size = measure(next);
    left -= size - now;
    const fits = next === full ? 'the original fits' : 'a larger version fits';
    larger.set(one, { ...next, why: size > even ? 'others left room for it' : fits, isCut: false });
  }
  return filled.map((one) => larger.get(one) ?? one);
}

function inFull(one: FilledSession): FilledSession | undefined {
  const { original } = one.open;
  return original && { ...one, kind: original.kind, pieces: original.pieces };
}

function isCutWithoutHand({ isCut, open: { asked, spoken } }: FilledSession): boolean {
  return isCut && spoken !== undefined && asked[0]?.allocation === undefined;
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
  const filled = flexible.map(({ open, keepits, why }, at): FilledSession => {
    const own = grants[at] ?? [];
    if (own.length === 0 && keepits.length === 0)
      return leftOut(open, why ?? 'nothing in it says as much to the purpose as what was taken');
    const size = tokensOf(own);
    const allocation = open.asked[0]?.allocation ?? size;
    const form = own.length === 0 ? { kind: 'keepits' as const, pieces: [] } : freshForm(open, own, keepits, true);
    return {
      open,
      keepits,
      isFixed: false,
      allocation,
      ...form,
      why: why ?? 'what it says to the purpose',
      isCut: size < tokensOf(fill([...open.sources.keys()], Infinity)),
    };
  });
  return withLeftovers(filled, room - sumOf(filled, (one) => measured(one, filling.measure)), filling);
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

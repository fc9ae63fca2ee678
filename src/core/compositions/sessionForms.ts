import { aggressivenessForRatio } from '../keepits/decay';
import type { CompressionSettings, Fidelity } from '../model/compression';
import type { OmittedComponent } from '../model/composition';
import type { KeepitMarker } from '../model/keepit';
import { redactionsIn, withoutSecrets } from '../text/secrets/cleanText';
import { measureFidelity, referenceOf } from '../versions/fidelity';
import { fill, GAP, grantText, type Grant } from '../versions/digest';
import { withoutMarkers } from '../versions/keepitBlock';
import type { Passage } from '../versions/passages';
import type { ComposedRecord } from './composedDocument';
import { blockMarkdown, type ReadPiece } from './contextSection';
import type { OpenSession, StoredForm } from './openSessions';
import type { Sharer } from './shares';
import type { ContextBlock, ContextSection, FormKind } from './types';

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

/** A session as it came out. */
export interface ComposedSession extends FilledSession {
  /** Absent for one that is not in. */
  readonly section?: ContextSection | undefined;
  /** What it takes in the text. */
  readonly tokens: number;
  /** What it would take besides if other sections did not say it already. */
  readonly repeatedTokens: number;
  /** What each piece takes; the heading and the keepits are with the first. */
  readonly pieceTokens: readonly number[];
  /** How much of what mattered in the session it holds, from 0 to 1. */
  readonly fidelity: number;
  /** For what was made for this composition: how, so that it can be made again. */
  readonly settings?: CompressionSettings | undefined;
}

/** A composition as texts; nothing is written yet. */
export interface Composed {
  readonly sessions: readonly ComposedSession[];
  readonly markdown?: string;
  readonly records?: readonly ComposedRecord[];
  /** Measured on the texts themselves. */
  readonly tokens: { readonly markdown?: number; readonly jsonl?: number };
  /** The larger of the two. */
  readonly totalTokens: number;
  /** What stands around all sessions. */
  readonly frameTokens: number;
  readonly messages: number;
  readonly omitted: readonly OmittedComponent[];
  readonly redacted: readonly { kind: string; count: number }[];
}

/** How many tokens a session takes in so many pieces, with everything around them. */
export type Measure = (filled: Pick<FilledSession, 'open' | 'pieces' | 'keepits'>) => number;

/** A session whose form is still to be found, with what it takes in any case. */
export interface Flexible {
  readonly open: OpenSession;
  keepits: KeepitMarker[];
  /** What a model wrote of it, which comes before its own words. */
  digest?: StoredForm;
  base: number;
  readonly why?: string;
}

function textOf(blocks: readonly ContextBlock[]): string {
  return blocks.map(blockMarkdown).join('\n\n');
}

/**
 * The original where it fits, else what was said, cut to the room, unless a stored version holds as much of what matters in it. A share that
 * is not `isOwn` is what its words were estimated to take: it says no more where they take less, since others have more to say.
 */
export function inShare(
  { open, keepits, base, digest, why }: Flexible,
  { sharer, share, isOwn }: { readonly sharer: Sharer; readonly share: number; readonly isOwn: boolean },
  measure: Measure,
): FilledSession {
  const { original, spoken, asked } = open;
  const plain = { open, keepits, isFixed: false, allocation: asked[0]?.allocation ?? share };
  if (original !== undefined && measure({ open, pieces: original.pieces, keepits }) <= share) {
    return { ...plain, kind: 'original', pieces: original.pieces, why: 'the original fits', isCut: false };
  }
  const stored = bestStored(open, keepits, share, measure);
  if (spoken === undefined)
    return { ...plain, ...(stored ?? onlyKeepits(open, keepits)), ...(why && { why }), isCut: true };
  const cut = (room: number): typeof plain & Pick<FilledSession, 'kind' | 'pieces'> => {
    const form = freshForm(open, fill(sharer.passages, room), keepits);
    const own = form.pieces.filter(({ blocks }) => digest === undefined || blocks.length > 0);
    return { ...plain, ...form, pieces: [...(digest?.pieces ?? []), ...own] };
  };
  const fresh = isOwn ? fitted(share, base, measure, cut) : cut(share - base);
  const isStored =
    stored !== undefined &&
    digest === undefined &&
    isAsLarge(stored, fresh, measure) &&
    holdsAsMuch(stored, fresh, open, keepits);
  if (isStored) return { ...plain, ...stored, why: why ?? 'it holds as much as anything of its size', isCut: true };
  return { ...fresh, why: why ?? 'cut to its share of the budget', isCut: sharer.most > share };
}

const MOST_FITTINGS = 4;
const NEAR = 0.98;

/** Tokens do not quite add up: looks for the room with which a form takes its share and no more. */
function fitted<T extends Parameters<Measure>[0]>(
  share: number,
  base: number,
  measure: Measure,
  make: (room: number) => T,
): T {
  let room = share - base;
  let best: T | undefined;
  let before: number | undefined;
  for (let attempt = 0; attempt < MOST_FITTINGS; attempt++) {
    const form = make(room);
    const tokens = measure(form);
    const isFirst = best === undefined;
    if (tokens <= share) best = form;
    // What comes next may need far more room than there is.
    if ((tokens >= NEAR * share && tokens <= share) || tokens === before) break;
    if (tokens > share && !isFirst) break;
    room += tokens > share ? share - tokens - 1 : Math.floor((share - tokens) * 0.8);
    before = tokens;
  }
  return best ?? make(0);
}

function onlyKeepits(
  open: OpenSession,
  keepits: readonly KeepitMarker[],
): Pick<FilledSession, 'kind' | 'pieces' | 'why'> {
  return { kind: keepits.length > 0 ? 'keepits' : 'nothing', pieces: [], why: unfitText(open) };
}

/** Why nothing but keepits, or nothing at all, of a session is in. */
function unfitText({ session }: OpenSession): string {
  const sizes = session.versions.map(({ outputTokens }) => outputTokens);
  if (session.transcript !== undefined) sizes.push(session.originalTokens);
  return sizes.length === 0
    ? 'there is no version of it'
    : `even its smallest version, with ${Math.min(...sizes)} tokens, does not fit`;
}

export function bestStored(
  open: OpenSession,
  keepits: readonly KeepitMarker[],
  share: number,
  measure: Measure,
): (Pick<FilledSession, 'kind' | 'pieces' | 'why'> & { fidelity: number }) | undefined {
  let best: StoredForm | undefined;
  for (const form of open.stored) {
    if (form.fidelity <= (best?.fidelity ?? -1)) continue;
    if (measure({ open, pieces: form.pieces, keepits }) <= share) best = form;
  }
  return (
    best && {
      kind: best.kind,
      pieces: best.pieces,
      fidelity: best.fidelity,
      why: 'it holds most in its share of the budget',
    }
  );
}

/** A version that was made for less room leaves out what there is room for now. */
const AS_LARGE = 0.8;

function isAsLarge(a: Pick<FilledSession, 'pieces'>, b: Parameters<Measure>[0], measure: Measure): boolean {
  return measure({ ...b, pieces: a.pieces }) >= AS_LARGE * measure(b);
}

/** Both measured now, by the same rule: what people asked for and what was settled do not make up for each other. */
function holdsAsMuch(
  a: Pick<FilledSession, 'pieces'>,
  b: Pick<FilledSession, 'pieces'>,
  open: OpenSession,
  keepits: readonly KeepitMarker[],
): boolean {
  const [first, second] = [a, b].map(({ pieces }) => fidelityOf(open, pieces, keepits));
  const kinds = ['score', 'keepits', 'instructions', 'decisions'] as const;
  return first !== undefined && second !== undefined && kinds.every((kind) => first[kind] >= second[kind]);
}

/** How much of what mattered in a session some pieces of it hold. */
export function fidelityOf(
  { spoken, session }: OpenSession,
  pieces: readonly ReadPiece[],
  keepits: readonly KeepitMarker[],
): Fidelity {
  const marked = keepits.map(({ content }) => content).join('\n\n');
  const text = [marked, ...pieces.map(({ blocks }) => textOf(blocks))].join('\n\n');
  return measureFidelity({ ...(spoken?.matters ?? referenceOf([], [])), keepits: session.keepits }, text);
}

export function freshForm(
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

/** How what was made for a composition is made again. */
export function freshSettings({ session }: OpenSession, tokens: number): CompressionSettings {
  const compactionRatio = Math.max(1, Math.round((10 * session.originalTokens) / Math.max(1, tokens)) / 10);
  return {
    mode: 'uniform',
    compactionRatio,
    aggressiveness: aggressivenessForRatio(compactionRatio),
    model: 'local',
    skipFirstMessages: 0,
    keepitMode: session.keepitMode,
    sessionDistance: session.distance,
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

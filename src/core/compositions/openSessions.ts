import type { CompositionRequest } from '../model/composition';
import type { CompressionRecord } from '../model/compression';
import type { MemoryStore } from '../model/host';
import { sessionKey } from '../model/fields';
import type { OnProgress } from '../sessions/results';
import { mapLimited } from '../text/mapLimited';
import type { TokenCounter } from '../text/tokens/tokenCounter';
import { weighed } from '../versions/passageWeights';
import type { BarePassage, Passage } from '../versions/passages';
import type { AskedSession } from './askedSessions';
import { namedForm, type MadeVersion, type MakeVersion, type NamedForm } from './namedForm';
import { ComposedLineage } from './composedDocument';
import type { ReadPiece } from './contextSection';
import { madePiece, PieceReader, type SpokenSession } from './pieceReader';
import type { FormKind, Piece, SourceSession } from './types';

/** What a session is told by: its original, versions that there are, or one that was made anew. */
export interface StoredForm {
  readonly kind: Exclude<FormKind, 'fresh' | 'keepits' | 'nothing'>;
  readonly pieces: readonly ReadPiece[];
  /** The versions that it is made of; none for the original. */
  readonly versions: readonly CompressionRecord[];
  /** As it was measured when it was made; 1 for the original. */
  readonly fidelity: number;
}

/** A session with everything that it can be told by, read. */
export interface OpenSession extends AskedSession {
  /** Named by a person. */
  readonly named: StoredForm | undefined;
  /** Absent where it is far larger than the budget, or where it cannot be read. */
  readonly original: StoredForm | undefined;
  readonly stored: readonly StoredForm[];
  /** Absent where nothing may be made of it, or its original cannot be read. */
  readonly spoken: SpokenSession | undefined;
  /** The passages that no session before says, each with the messages that it came from. */
  readonly sources: ReadonlyMap<Passage, readonly string[]>;
}

interface OpenParts {
  readonly store: MemoryStore;
  readonly pieces: PieceReader;
  readonly makeVersion: MakeVersion;
}

interface Opening {
  readonly request: CompositionRequest;
  readonly counter: TokenCounter;
  readonly lineage: ComposedLineage;
  readonly told: ReadonlySet<string>;
  readonly isKept: boolean;
  /** Whether there is room for what tools did, step by step. */
  readonly hasSteps: boolean;
}

/** Files that are read at the same time. */
const PARALLEL_READINGS = 4;

/** Reads all that the sessions of a request can be told by. Makes the versions that are asked for. */
export async function openSessions(
  parts: OpenParts,
  asked: readonly AskedSession[],
  options: Pick<Opening, 'request' | 'counter' | 'isKept'> & { readonly onProgress?: OnProgress | undefined },
  signal?: AbortSignal,
): Promise<OpenSession[]> {
  const named = asked.map(namedForm);
  const refs = asked.map(({ session }) => session.ref);
  const lineage = await ComposedLineage.open(
    parts.store,
    refs.map(({ projectId }) => projectId),
  );
  const opening = { ...options, lineage, told: new Set(refs.map(sessionKey)) };
  const made = new Map<AskedSession, MadeVersion>();
  const toMake = named.flatMap((form, at) => (form?.kind === 'new' ? [{ form, at }] : []));
  for (const [done, { form, at }] of toMake.entries()) {
    const one = asked[at];
    if (one === undefined) continue;
    options.onProgress?.({ step: 'compose', done, total: toMake.length, label: one.session.title });
    made.set(one, await parts.makeVersion(one.session.ref, form.make, { isKept: options.isKept }, signal));
  }
  if (toMake.length > 0) options.onProgress?.({ step: 'compose', done: toMake.length, total: toMake.length });
  const open = (hasSteps: boolean): Promise<ReadSession[]> => {
    const all = { ...opening, hasSteps };
    return mapLimited([...asked.entries()], PARALLEL_READINGS, async ([at, one]) => {
      signal?.throwIfAborted();
      return new SessionReader(parts, one.session, all, signal).open(one, named[at], made.get(one));
    });
  };
  const opened = await open(false);
  const isRoomy = tokensSaid(opened) < options.request.totalTokenBudget;
  return withoutRepetitions(isRoomy ? await open(true) : opened);
}

const NOTHING_ELSE = {
  original: undefined,
  stored: [],
  spoken: undefined,
  sources: new Map<BarePassage, readonly string[]>(),
};

function tokensSaid(opened: readonly ReadSession[]): number {
  const pieces = opened.flatMap(({ sources }) => [...sources.keys()].flatMap(({ bare }) => bare));
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}

class SessionReader {
  constructor(
    private readonly parts: OpenParts,
    private readonly session: SourceSession,
    private readonly opening: Opening,
    private readonly signal?: AbortSignal,
  ) {}

  async open(asked: AskedSession, named: NamedForm | undefined, made: MadeVersion | undefined): Promise<ReadSession> {
    if (made !== undefined) return { ...asked, ...NOTHING_ELSE, named: await this.made(made) };
    if (named?.kind === 'original') return { ...asked, ...NOTHING_ELSE, named: await this.original() };
    const read = { ...asked, ...NOTHING_ELSE, ...(await this.spoken()) };
    if (named?.kind === 'version' || named?.kind === 'parts') {
      return { ...read, named: await this.versions(named.versions) };
    }
    const { totalTokenBudget: budget } = this.opening.request;
    const isNear = this.#isReadable && this.session.originalTokens <= budget;
    return {
      ...read,
      named: undefined,
      original: isNear ? await this.original() : undefined,
      stored: await this.stored(budget),
    };
  }

  get #isReadable(): boolean {
    return this.session.transcript !== undefined && this.session.originalTokens > 0;
  }

  async made({ version, jsonl }: MadeVersion): Promise<StoredForm> {
    const session = { ...this.session, versions: [...this.session.versions, version] };
    const piece = pieceOf(version);
    const read = jsonl === undefined ? await this.parts.pieces.read(session, piece, this.signal) : madePiece(jsonl);
    const fidelity = version.fidelity?.score ?? 0;
    return { kind: 'new', pieces: [await this.#resolved(piece, read)], versions: [version], fidelity };
  }

  async original(): Promise<StoredForm> {
    return { kind: 'original', pieces: [await this.#read({ versionId: 'original' })], versions: [], fidelity: 1 };
  }

  async versions(versions: readonly CompressionRecord[]): Promise<StoredForm> {
    const pieces = await Promise.all(versions.map((version) => this.#read(pieceOf(version))));
    const isParts = versions.some(({ partNumber }) => partNumber !== undefined);
    return { kind: isParts ? 'parts' : 'version', pieces, versions, fidelity: fidelityOf(versions, this.session) };
  }

  /** Each version of the whole, and versions of the parts side by side: from the smallest of each on, one step up at a time. */
  async stored(budget: number): Promise<StoredForm[]> {
    const { versions } = this.session;
    const whole = versions.filter(({ partNumber }) => partNumber === undefined).map((version) => [version]);
    const fitting = [...whole, ...partSteps(versions)].filter(
      (one) => one.reduce((sum, { outputTokens }) => sum + outputTokens, 0) <= budget,
    );
    const forms = await mapLimited(fitting, PARALLEL_READINGS, (one) => this.versions(one));
    return forms;
  }

  async spoken(): Promise<Pick<ReadSession, 'spoken' | 'sources'>> {
    if (!this.#isReadable || this.opening.request.makesMissing === false) return NOTHING_ELSE;
    const spoken = await this.parts.pieces.spoken(this.session, this.opening, this.signal);
    const sources = new Map<BarePassage, readonly string[]>();
    for (const passage of spoken.passages) {
      const { role, text, uuid } = passage;
      const [block] = await this.opening.lineage.resolve(
        [{ kind: 'said', role, text, sources: [uuid] }],
        this.opening.told,
      );
      if (block !== undefined) sources.set(passage, block.sources);
    }
    return { spoken, sources };
  }

  async #read(piece: Piece): Promise<ReadPiece> {
    return this.#resolved(piece, await this.parts.pieces.read(this.session, piece, this.signal));
  }

  async #resolved(piece: Piece, { blocks, secrets }: Omit<ReadPiece, 'piece'>): Promise<ReadPiece> {
    return { piece, blocks: await this.opening.lineage.resolve(blocks, this.opening.told), secrets };
  }
}

function pieceOf({ versionId, partNumber, messageRange }: CompressionRecord): Piece {
  return { versionId, partNumber, messageRange };
}

/** By the share of the messages that each covers: those that came since are in none. */
function fidelityOf(versions: readonly CompressionRecord[], { originalMessages }: SourceSession): number {
  const sum = versions.reduce((total, { fidelity, messageRange, partNumber, compressionRatio }) => {
    const covered =
      messageRange === undefined
        ? partNumber === undefined
          ? 1
          : 0
        : spanOf(messageRange) / Math.max(1, originalMessages);
    return total + (fidelity?.score ?? 1 / Math.max(1, compressionRatio)) * Math.min(1, covered);
  }, 0);
  return Math.min(1, sum);
}

function spanOf([first, last]: readonly [number, number]): number {
  return last - first + 1;
}

/** Versions of the parts of a session side by side: the smallest of each, then what gains most of what is held for its tokens, step by step. */
function partSteps(versions: readonly CompressionRecord[]): CompressionRecord[][] {
  const parts = [...new Set(versions.flatMap(({ partNumber }) => partNumber ?? []))].sort((a, b) => a - b);
  if (parts.length === 0) return [];
  const ladders = parts.map((part) =>
    versions.filter(({ partNumber }) => partNumber === part).sort((a, b) => a.outputTokens - b.outputTokens),
  );
  const steps = [ladders.flatMap(([smallest]) => smallest ?? [])];
  for (;;) {
    const next = stepUp(steps.at(-1) ?? [], ladders);
    if (next === undefined) return steps;
    steps.push(next);
  }
}

function stepUp(
  current: readonly CompressionRecord[],
  ladders: readonly (readonly CompressionRecord[])[],
): CompressionRecord[] | undefined {
  const held = ({ fidelity }: CompressionRecord): number => fidelity?.score ?? 0;
  const [best] = current
    .flatMap((from, at) =>
      (ladders[at] ?? [])
        .filter(({ outputTokens }) => outputTokens > from.outputTokens)
        .map((to) => ({ at, to, gain: (held(to) - held(from)) / (to.outputTokens - from.outputTokens) })),
    )
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain);
  return best && current.map((one, index) => (index === best.at ? best.to : one));
}

/** A session whose passages are not compared with those of the others yet. */
type ReadSession = Omit<OpenSession, 'sources'> & { readonly sources: ReadonlyMap<BarePassage, readonly string[]> };

/** A resumed session repeats another one: a passage is left to the first session that says it, or to what a person has named. */
function withoutRepetitions(opened: readonly ReadSession[]): OpenSession[] {
  const said = new Map<string, ReadSession>();
  for (const one of opened) {
    for (const { blocks } of one.named?.pieces ?? [])
      for (const { sources } of blocks) for (const uuid of sources) said.set(uuid, one);
  }
  for (const one of opened) {
    for (const sources of one.sources.values()) for (const uuid of sources) if (!said.has(uuid)) said.set(uuid, one);
  }
  const own = opened.map((one) =>
    [...one.sources].filter(([, sources]) => sources.some((uuid) => said.get(uuid) === one)),
  );
  const passages = weighed(own.map((list) => list.map(([passage]) => passage)));
  return opened.map((one, at) => ({
    ...one,
    sources: new Map((passages[at] ?? []).map((passage, index) => [passage, own[at]?.[index]?.[1] ?? []])),
  }));
}

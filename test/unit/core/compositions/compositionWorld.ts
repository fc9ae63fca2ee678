import { encodeRanks } from '../../../../scripts/buildRanks.mjs';
import { openCompositions, type CompositionServices } from '../../../../src/core/compositions/openCompositions';
import type { MakeVersion } from '../../../../src/core/compositions/namedForm';
import { keepitBlock } from '../../../../src/core/versions/keepitBlock';
import { markerIdOf } from '../../../../src/core/keepits/collectKeepits';
import type { CompressionRecord } from '../../../../src/core/model/compression';
import type { CompositionRequest } from '../../../../src/core/model/composition';
import type { KeepitMarker } from '../../../../src/core/model/keepit';
import { createManifest, type SessionManifestEntry } from '../../../../src/core/model/manifest';
import { ExactTokenCounter } from '../../../../src/core/text/tokens/exactTokenCounter';
import { FakeClaudeFolder } from '../../support/fakeClaudeFolder';
import { FakeExcerpts } from '../../support/fakeExcerpts';
import { FakeMemoryStore } from '../../support/fakeMemoryStore';
import { TranscriptBuilder } from '../../support/transcriptBuilder';
import { ManualClock } from '../../support/manualClock';

export const PROJECT = '-home-ada-src-app';

export interface WorldBlock {
  text: string;
  role?: 'user' | 'assistant';
  kind?: 'heading' | 'note';
  sources?: string[];
}

export interface WorldVersion {
  id: string;
  blocks: WorldBlock[];
  fidelity?: number;
  ratio?: number;
  part?: number;
  range?: [number, number];
  /** Marker ids that it still holds. */
  kept?: string[];
  /** What the record claims; measured when absent. */
  outputTokens?: number;
}

export interface WorldSession {
  id: string;
  projectId?: string;
  /** A day of 2026. */
  day?: number;
  title?: string;
  originalTokens?: number;
  originalMessages?: number;
  keepits?: { weight: number; content: string }[];
  versions?: WorldVersion[];
  /** The kept original. */
  transcript?: { toString(): string };
}

const ranks = encodeRanks();

/** Sessions in memory, with versions whose texts a test has written, and all that composing needs; counted exactly. */
export class CompositionWorld {
  readonly claude = new FakeClaudeFolder();
  readonly store = new FakeMemoryStore(this.claude);
  readonly clock = new ManualClock('2026-02-01T12:00:00.000Z');
  readonly counter = new ExactTokenCounter(ranks);
  readonly services: CompositionServices;
  /** What was asked to be made. */
  readonly made: Parameters<MakeVersion>[] = [];
  /** Answers a wish for a version; without it, there is none to be had. */
  onMake: (() => WorldVersion) | undefined;

  constructor() {
    this.services = openCompositions({
      store: this.store,
      claude: this.claude,
      clock: this.clock,
      tokens: { exact: async () => this.counter },
      openExcerpts: (path) => new FakeExcerpts(this.claude, path),
      takeIn: async () => undefined,
      makeVersion: async (...request) => this.#make(...request),
    });
  }

  add(...sessions: WorldSession[]): this {
    for (const session of sessions) {
      const projectId = session.projectId ?? PROJECT;
      const manifest =
        this.store.manifests.get(projectId) ??
        createManifest({ projectId, originalPath: `/home/ada/src/${projectId}`, displayName: projectId }, '2026-01-01');
      const entry = this.#entry(projectId, session);
      this.store.manifests.set(projectId, { ...manifest, sessions: { ...manifest.sessions, [session.id]: entry } });
    }
    return this;
  }

  /** Gives a session that is in memory the original that it lacks. */
  give(sessionId: string, transcript: { toString(): string }, turns: number): void {
    this.claude.write(`/store/${PROJECT}/originals/${sessionId}.jsonl`, transcript);
    const entry = this.store.manifests.get(PROJECT)?.sessions[sessionId];
    if (entry !== undefined) Object.assign(entry, { originalTokens: turns * 80, originalMessages: turns * 2 });
  }

  /** Keepits of a session as the manifest has them. */
  keepit(sessionId: string, content: string): KeepitMarker {
    const entry = this.store.manifests.get(PROJECT)?.sessions[sessionId];
    const found = entry?.keepitMarkers.find((marker) => marker.content === content);
    if (found === undefined) throw new Error(`No keepit ${content}`);
    return found;
  }

  request(fields: Partial<CompositionRequest> & { sessions?: string[] } = {}): CompositionRequest {
    const { sessions = Object.keys(this.store.manifests.get(PROJECT)?.sessions ?? {}), ...rest } = fields;
    return {
      name: 'feature-x',
      components: sessions.map((sessionId) => ({ sessionId })),
      totalTokenBudget: 4000,
      outputFormat: 'both',
      strategy: 'best',
      makesMissing: false,
      ...rest,
    };
  }

  #entry(projectId: string, session: WorldSession): SessionManifestEntry {
    const { id, day = 10, keepits = [], versions = [], originalTokens = 50_000, originalMessages = 100 } = session;
    const date = new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10);
    if (session.transcript !== undefined) {
      this.claude.write(`/store/${projectId}/originals/${id}.jsonl`, session.transcript);
    }
    const keepitMarkers = keepits.map(({ weight, content }, at): KeepitMarker => {
      const messageUuid = `${id}-${at}`;
      const markerId = markerIdOf({ messageUuid, blockIndex: 0, start: 0, content });
      const position = { start: 0, end: content.length };
      return {
        markerId,
        messageUuid,
        weight,
        content,
        position,
        context: '',
        createdAt: date,
        survivedIn: [],
        summarizedIn: [],
      };
    });
    return {
      sessionId: id,
      originalFile: `/claude/projects/${projectId}/${id}.jsonl`,
      originalTokens,
      originalMessages,
      firstTimestamp: `${date}T10:00:00.000Z`,
      lastTimestamp: `${date}T18:00:00.000Z`,
      registeredAt: `${date}T19:00:00.000Z`,
      lastAccessed: `${date}T19:00:00.000Z`,
      metadata: { title: session.title ?? `Work of day ${day}` },
      keepitMarkers,
      compressions: versions.map((version) => this.#version(projectId, { id, keepitMarkers, originalTokens }, version)),
    };
  }

  #version(
    projectId: string,
    session: { id: string; keepitMarkers: KeepitMarker[]; originalTokens: number },
    version: WorldVersion,
  ): CompressionRecord {
    const { id, blocks, kept = [], part, range, ratio, fidelity } = version;
    const markers = session.keepitMarkers.filter(
      ({ markerId, content }) => kept.includes(markerId) || kept.includes(content),
    );
    const all = [
      ...blocks.map(({ text, role = 'assistant', kind = 'note', sources = [] }) => ({
        text,
        role,
        lineage: { kind, sources },
      })),
      ...markers.map(({ markerId, weight, content, messageUuid }) => ({
        text: keepitBlock(weight, content).text,
        role: 'user' as const,
        lineage: { kind: 'keepit', sources: [messageUuid], markerId, weight },
      })),
    ];
    const lines = all.map(({ text, role, lineage }) =>
      JSON.stringify({
        type: role,
        message: { role, content: [{ type: 'text', text }] },
        keepit: { blocks: [lineage] },
      }),
    );
    const body = all.map(({ text }) => text).join('\n\n');
    const file = `${id}_test`;
    const paths = this.store.versions.paths(projectId, session.id, file);
    this.store.versions.files
      .set(paths.jsonl, `${lines.join('\n')}\n`)
      .set(paths.md, `<!-- Keepit ${id} -->\n${body}\n`);
    const outputTokens = version.outputTokens ?? this.counter.count(body);
    return {
      versionId: id,
      file,
      createdAt: '2026-01-20T10:00:00.000Z',
      settings: { mode: 'uniform', model: 'local', skipFirstMessages: 0, keepitMode: 'decay' },
      outputTokens,
      outputMessages: all.length,
      compressionRatio: ratio ?? session.originalTokens / Math.max(1, outputTokens),
      keepitStats: {
        preserved: markers.length,
        summarized: session.keepitMarkers.length - markers.length,
        weights: {},
      },
      ...(part !== undefined && { partNumber: part }),
      ...(range !== undefined && { messageRange: range }),
      ...(fidelity !== undefined && { fidelity: fidelityOf(fidelity) }),
      receipt: session.keepitMarkers.map(({ markerId, weight }) => {
        const isKept = markers.some((marker) => marker.markerId === markerId);
        return { markerId, weight, threshold: 0.5, kept: isKept, reason: isKept ? 'kept' : 'faded' };
      }),
    };
  }

  async #make(...request: Parameters<MakeVersion>): ReturnType<MakeVersion> {
    this.made.push(request);
    const [ref, , { isKept }] = request;
    if (this.onMake === undefined) throw new Error('No version was to be made');
    const manifest = this.store.manifests.get(ref.projectId);
    const entry = manifest?.sessions[ref.sessionId];
    if (manifest === undefined || entry === undefined) throw new Error(`No session ${ref.sessionId}`);
    const { keepitMarkers, originalTokens } = entry;
    const version = this.#version(ref.projectId, { id: ref.sessionId, keepitMarkers, originalTokens }, this.onMake());
    if (!isKept) {
      const { jsonl } = this.store.versions.paths(ref.projectId, ref.sessionId, version.file);
      return { version, jsonl: this.store.versions.files.get(jsonl) ?? '' };
    }
    const changed = { ...entry, compressions: [...entry.compressions, version] };
    this.store.manifests.set(ref.projectId, {
      ...manifest,
      sessions: { ...manifest.sessions, [ref.sessionId]: changed },
    });
    return { version };
  }
}

function fidelityOf(score: number): CompressionRecord['fidelity'] {
  return {
    score,
    keepits: score,
    instructions: score,
    decisions: score,
    paths: score,
    commands: score,
    errors: score,
    identifiers: score,
  };
}

/** So many words, of which the first tells where they are from. */
export function words(name: string, count: number): string {
  return Array.from({ length: count }, (_, at) => (at === 0 ? name : `word${at % 37}`)).join(' ');
}

/** Requests that are each answered in a few sentences, about things that no other one is about. */
export function conversation(id: string, turns: number): TranscriptBuilder {
  const builder = new TranscriptBuilder(id);
  for (let at = 0; at < turns; at++) {
    builder.human(`Why does ${id}Service${at} fail on port ${4000 + at}?`);
    builder.assistant(`Let me look. ${words(`${id}-${at}`, 40)}. The cause was the cache of ${id}Service${at}.`);
  }
  return builder;
}

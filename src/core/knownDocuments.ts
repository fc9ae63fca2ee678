import type { CompositionServices } from './compositions/openCompositions';
import type { LayersService } from './knowledge/layersService';
import type { RollingService } from './knowledge/rolling/rollingService';
import type { NotebookService } from './knowledge/notes/notebookService';
import { type KeepitError, onlyExpected } from './text/keepitError';
import { storedKeepits } from './keepits/effectiveKeepits';
import { type LayerStore, LayersError } from './knowledge/layerStore';
import { withoutSecrets } from './text/secrets/cleanText';
import type { ProjectManifest } from './model/manifest';
import { isSafeSegment } from './model/fields';
import { readNote } from './knowledge/notes/noteDocument';
import type { MemoryStore } from './model/host';
import type { DocumentSource, SearchDocument, SearchKind } from './search/searchDocument';

interface Knowledge {
  readonly layers: LayersService;
  readonly notebook: NotebookService;
  readonly rolling: RollingService;
}

/** What opens a feature loads it: where a project has nothing of it, no search waits for that. */
interface KnownDocumentsParts {
  readonly store: Pick<MemoryStore, 'versions'>;
  readonly layerStore: LayerStore;
  readonly knowledge: () => Promise<Knowledge>;
  readonly compositions: () => Promise<CompositionServices>;
}

/** Of a piece of a note: a longer one is a text by itself. */
const MOST_TEXT = 100_000;

/** The versions, facts, layers, notes, memory and compositions of a project. */
export class KnownDocuments implements DocumentSource {
  constructor(private readonly parts: KnownDocumentsParts) {}

  async *read(
    projectId: string,
    manifest: ProjectManifest | undefined,
    { takes, failed }: { takes: (kind: SearchKind) => boolean; failed: (what: string, error: KeepitError) => void },
  ): AsyncGenerator<SearchDocument> {
    if (manifest === undefined) return; // nothing was ever kept of it
    if (takes('keepit')) yield* keepitsOf(projectId, manifest);
    if (takes('version')) yield* this.versions(projectId, manifest);
    const places: (readonly [SearchKind, () => Promise<SearchDocument[]>])[] = [];
    if (manifest.settings.layersEnabled === true) {
      const known = await this.parts.knowledge();
      const { problem, dir } = await known.layers.status(projectId);
      if (problem !== undefined) failed(`layers of ${projectId}`, new LayersError(problem, dir));
      else {
        places.push(['fact', () => this.facts(known, projectId)]);
        places.push(['concept', () => this.concepts(known, projectId)]);
        places.push(['note', () => this.notes(known, projectId)]);
        places.push(['memory', () => this.memory(known, manifest)]);
      }
    }
    if (Object.keys(manifest.compositions).length > 0) places.push(['composition', () => this.composed(projectId)]);
    for (const [kind, read] of places) {
      if (!takes(kind)) continue;
      try {
        yield* await read();
      } catch (error) {
        onlyExpected(error);
        failed(`${kind} of ${projectId}`, error);
      }
    }
  }

  private async facts({ layers }: Knowledge, projectId: string): Promise<SearchDocument[]> {
    const facts = (await layers.facts(projectId, { all: true })).filter(
      ({ state, isProposed }) =>
        state === 'valid' || state === 'superseded' || (state === 'review' && isProposed !== true),
    );
    return facts.map(({ id, content, source, sources, trust, type, supersededBy }) => ({
      ...plain('fact', projectId, id, content),
      trust,
      type,
      replacedBy: supersededBy,
      sources: sources?.map(({ messageUuid }) => messageUuid),
      ...(source !== undefined && { sessionId: source.sessionId, messageUuid: source.messageUuid }),
      ...(source?.ts !== undefined && { timestamp: source.ts }),
    }));
  }

  private async concepts({ layers }: Knowledge, projectId: string): Promise<SearchDocument[]> {
    const content = await layers.layer(projectId, 'l3');
    if (content.layer !== 'l3') return [];
    return content.concepts.map(({ id, name, summary, files, keywords, updated }) => ({
      ...plain('concept', projectId, id, summary),
      title: name,
      timestamp: updated,
      files,
      topics: [name, ...keywords],
    }));
  }

  /** Notes in force: what was let go of is in the archive, and stays there. */
  private async notes({ layers, notebook }: Knowledge, projectId: string): Promise<SearchDocument[]> {
    const files = this.parts.layerStore.files({ ...(await layers.enabledPlace(projectId, 'read')), room: 'notebook' });
    const documents: SearchDocument[] = [];
    for (const { name } of await notebook.list(projectId)) {
      if (/(?:^|\/)archive\//.test(name)) continue;
      const sessionId = /(?:^|\/)conversations\/([^/]+)\.md$/.exec(name)?.[1];
      const mtimeMs = (await files.stat(name))?.mtimeMs;
      for (const piece of piecesOf((await files.read(name)) ?? '')) {
        documents.push({
          ...plain('note', projectId, `${name}#${piece.at}`, withoutSecrets(piece.text)),
          ...(piece.heading !== '' && { title: piece.heading }),
          ...(sessionId !== undefined && isSafeSegment(sessionId) && { sessionId }),
          ...(mtimeMs !== undefined && { timestamp: new Date(mtimeMs).toISOString() }),
        });
      }
    }
    return documents;
  }

  /** Without the digests of sessions that are in memory: these are found themselves. */
  private async memory({ rolling }: Knowledge, { projectId, sessions }: ProjectManifest): Promise<SearchDocument[]> {
    const documents: SearchDocument[] = [];
    for (const { name, kind } of await rolling.list(projectId)) {
      if (kind === 'summary') continue;
      let origin: { sessionId?: string; timestamp?: string } = {};
      for (const piece of piecesOf(await rolling.get(projectId, name))) {
        origin = originOf(piece.text) ?? origin;
        const isOfSession = DIGEST_LINE.test(piece.text) && Object.hasOwn(sessions, origin.sessionId ?? '');
        if (!isOfSession && !piece.text.startsWith('<!-- keepit ')) {
          documents.push({
            ...plain('memory', projectId, `${name}#${piece.at}`, withoutSecrets(piece.text)),
            ...origin,
          });
        }
      }
    }
    return documents;
  }

  private async *versions(projectId: string, { sessions }: ProjectManifest): AsyncGenerator<SearchDocument> {
    for (const { sessionId, compressions, metadata } of Object.values(sessions)) {
      for (const { versionId, file, createdAt } of compressions) {
        const text = (await this.parts.store.versions.read(projectId, sessionId, file, 'md')) ?? '';
        const place = { sessionId, title: metadata.title, timestamp: createdAt };
        for (const piece of piecesOf(text)) {
          yield { ...plain('version', projectId, `${versionId}#${piece.at}`, piece.text), ...place };
        }
      }
    }
  }

  private async composed(projectId: string): Promise<SearchDocument[]> {
    const { saved } = await this.parts.compositions();
    const documents: SearchDocument[] = [];
    for (const { record } of await saved.list(projectId)) {
      const isMarkdown = record.outputs?.some((file) => file.endsWith('.md')) ?? true;
      const text = isMarkdown ? await saved.text(projectId, record.name, 'markdown') : '';
      for (const piece of piecesOf(text)) {
        documents.push({
          ...plain('composition', projectId, `${record.name}#${piece.at}`, piece.text),
          title: piece.heading === '' ? record.name : `${record.name}: ${piece.heading}`,
          timestamp: record.builtAt ?? record.createdAt,
        });
      }
    }
    return documents;
  }
}

/** What Keepit itself writes of a session. */
const DIGEST_LINE = /^(?:Asked: |Files: |- \*\*\p{L}{1,20}:\*\* )/u;

function plain(kind: SearchKind, projectId: string, id: string, text: string): SearchDocument {
  return { kind, projectId, id, text: text.slice(0, MOST_TEXT), files: [], topics: [] };
}

/** Keepits that count, as far as the manifest knows them. */
function* keepitsOf(projectId: string, { sessions }: ProjectManifest): Generator<SearchDocument> {
  for (const entry of Object.values(sessions)) {
    for (const { markerId, messageUuid, content, weight, createdAt } of storedKeepits(entry)) {
      const { sessionId } = entry;
      const place = { sessionId, messageUuid, timestamp: createdAt };
      yield { ...plain('keepit', projectId, markerId, withoutSecrets(content)), ...place, weight };
    }
  }
}

/** The pieces of a Markdown text, each with the heading that it stands below. */
function piecesOf(text: string): { at: number; heading: string; text: string }[] {
  let at = 0;
  return readNote(text).flatMap(({ heading, blocks }) =>
    blocks.map((block) => ({ at: at++, heading: heading.replace(/^#+\s*/, ''), text: block })),
  );
}

/** Where the digests of a rolling memory come from: it is written before each of them. */
function originOf(text: string): { sessionId: string; timestamp: string } | undefined {
  const [, sessionId, timestamp] = /<!-- keepit (\S+) \S+ (\S+) -->/.exec(text) ?? [];
  return sessionId === undefined || timestamp === undefined ? undefined : { sessionId, timestamp };
}

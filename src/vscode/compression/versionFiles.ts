import {
  Uri,
  CodeLens,
  Disposable,
  languages,
  Range,
  type CodeLensProvider,
  type DocumentSelector,
  type TextDocument,
} from 'vscode';
import * as z from 'zod/mini';
import type { VersionRef } from '../../core/sessions/view/treeNode';
import type { Uses } from '../context';
import { VERSION_SCHEME, commandIds } from '../ids';
import { pathSegment } from '../transcript/transcriptDocuments';
import { placeBlocks, leadingBlocks, lineageTitle, type PlacedBlock } from '../../core/versions/view/versionLineage';
import type { MemoryService } from '../../core/memory';
import type { Feature } from '../feature';
import { ReadOnlyFiles, type ShownFile } from '../readOnlyFiles';

const querySchema = z.object({ project: z.string(), session: z.string(), version: z.string() });

/** The path is for people (tab, breadcrumbs) and says by its ending that it is Markdown; only the query says what is shown. */
export function versionUri(version: VersionRef, names: { title: string; file: string }): Uri {
  const { projectId, sessionId, versionId } = version;
  const query = new URLSearchParams({ project: projectId, session: sessionId, version: versionId });
  return Uri.from({
    scheme: VERSION_SCHEME,
    path: `/Versions/${pathSegment(names.title)}/${pathSegment(names.file)}.md`,
    query: query.toString(),
  });
}

/** Undefined for a uri that is not ours, or that somebody wrote by hand. */
export function versionOf(uri: Uri): VersionRef | undefined {
  if (uri.scheme !== VERSION_SCHEME) return undefined;
  const parsed = querySchema.safeParse(Object.fromEntries(new URLSearchParams(uri.query)));
  if (!parsed.success) return undefined;
  const { project, session, version } = parsed.data;
  return { projectId: project, sessionId: session, versionId: version };
}

/** A version as it is shown. */
export interface VersionDocument {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly blocks: readonly PlacedBlock[];
}

const MAX_KEPT = 8;

/** The texts of versions with their lineage. What a version says never changes: it is read once. */
export class VersionDocuments {
  private readonly known = new Map<string, Promise<VersionDocument>>();

  constructor(private readonly memory: MemoryService) {}

  async get(place: VersionRef): Promise<VersionDocument> {
    const { projectId, sessionId, versionId } = place;
    const key = [projectId, sessionId, versionId].join('\n');
    const before = this.known.get(key);
    if (before !== undefined) return before;
    const document = this.read(place);
    this.known.set(key, document);
    document.catch(() => this.known.delete(key)); // the next one who asks tries again
    const oldest = this.known.keys().next().value;
    if (this.known.size > MAX_KEPT && oldest !== undefined) this.known.delete(oldest);
    return document;
  }

  /** A version was deleted, or brought back. */
  forget(): void {
    this.known.clear();
  }

  private async read({ versionId, ...ref }: VersionRef): Promise<VersionDocument> {
    const text = await this.memory.versions.text(ref, versionId, 'md');
    const jsonl = await this.memory.versions.text(ref, versionId, 'jsonl');
    return { text, bytes: new TextEncoder().encode(text), blocks: placeBlocks(text, jsonl) };
  }
}

const READ_ONLY = 'A version is made from its original, which is kept: compress again to have another one.';

const selector: DocumentSelector = { scheme: VERSION_SCHEME };

/** Versions as read-only Markdown, with the way back from each block to the messages that it came from. */
export class VersionFiles extends ReadOnlyFiles<VersionRef> implements Feature, CodeLensProvider {
  readonly name = 'versions as documents';

  constructor(
    private readonly context: Uses<'host' | 'log'>,
    private readonly documents: VersionDocuments,
  ) {
    super(context.log, versionOf);
  }

  register(): Disposable {
    const { host } = this.context;
    const { documents } = this;
    return Disposable.from(
      this.registerFiles(VERSION_SCHEME, READ_ONLY),
      languages.registerCodeLensProvider(selector, this),
      host.onDidWriteOf(['versions'], () => documents.forget()),
    );
  }

  watch(): Disposable {
    return new Disposable(() => undefined);
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    const place = versionOf(document.uri);
    if (place === undefined) return [];
    const { blocks } = await this.documents.get(place);
    return leadingBlocks(blocks).map((block) => {
      const { start, sources } = block;
      const command = {
        title: `$(comment-discussion)\u00a0${lineageTitle(block)}`,
        tooltip: 'Show in the transcript what this came from',
        command: commandIds.openSource,
        arguments: [{ session: place, sources }],
      };
      return new CodeLens(new Range(start, 0, start, 0), command);
    });
  }

  protected async show(place: VersionRef): Promise<ShownFile> {
    const { bytes } = await this.documents.get(place);
    return { bytes, version: 0 };
  }
}

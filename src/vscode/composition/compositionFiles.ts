import {
  Uri,
  Disposable,
  EventEmitter,
  FileChangeType,
  FileSystemError,
  MarkdownString,
  window,
  workspace,
  type Event,
  type FileChangeEvent,
  type FileStat,
} from 'vscode';
import * as z from 'zod/mini';
import type { Uses } from '../context';
import { COMPOSITION_SCHEME } from '../ids';
import { pathSegment } from '../transcript/transcriptDocuments';
import type { CompositionRef } from '../../core/presentation/treeNode';
import { errorText } from '../../core/text/keepitError';
import type { Feature } from '../feature';
import { readOnlyStat, ReadOnlyFiles } from '../readOnlyFiles';
import type { CompositionChanges } from './compositionChanges';

const querySchema = z.object({ project: z.string(), name: z.string() });

/** The path is for people (tab, breadcrumbs) and says by its ending that it is Markdown; only the query says what is shown. */
export function compositionUri({ projectId, name }: CompositionRef): Uri {
  const query = new URLSearchParams({ project: projectId, name });
  return Uri.from({
    scheme: COMPOSITION_SCHEME,
    path: `/Compositions/${pathSegment(name)}.md`,
    query: query.toString(),
  });
}

/** Undefined for a uri that is not ours, or that somebody wrote by hand. */
export function compositionOf(uri: Uri): CompositionRef | undefined {
  if (uri.scheme !== COMPOSITION_SCHEME) return undefined;
  const parsed = querySchema.safeParse(Object.fromEntries(new URLSearchParams(uri.query)));
  if (!parsed.success) return undefined;
  const { project, name } = parsed.data;
  return { projectId: project, name };
}

const READ_ONLY = 'A composition is made of versions: edit it in the Composition Builder, or rebuild it.';

/** The texts of compositions as read-only Markdown. One that was only made as JSONL is shown as such. */
export class CompositionFiles extends ReadOnlyFiles implements Feature {
  readonly name = 'compositions as documents';
  private readonly changed = new EventEmitter<FileChangeEvent[]>();
  private readonly watched = new Map<string, Uri>();
  private edition = 0;
  readonly onDidChangeFile: Event<FileChangeEvent[]> = this.changed.event;

  constructor(
    private readonly context: Uses<'host' | 'log'>,
    private readonly changes: CompositionChanges,
  ) {
    super();
  }

  register(): Disposable {
    return Disposable.from(
      workspace.registerFileSystemProvider(COMPOSITION_SCHEME, this, {
        isCaseSensitive: true,
        isReadonly: new MarkdownString(READ_ONLY),
      }),
      this.changes.onDidChange(() => {
        this.edition += 1;
        const uris = [...this.watched.values()];
        if (uris.length > 0) this.changed.fire(uris.map((uri) => ({ type: FileChangeType.Changed, uri })));
      }),
      this.changed,
    );
  }

  async stat(uri: Uri): Promise<FileStat> {
    return readOnlyStat(await this.readFile(uri), this.edition);
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    const place = compositionOf(uri);
    if (place === undefined) throw FileSystemError.FileNotFound(uri);
    try {
      const { saved } = (await this.context.host.memory()).service.compositions;
      const { record } = await saved.get(place.projectId, place.name);
      const isMarkdown = record.outputs === undefined || record.outputs.some((file) => file.endsWith('.md'));
      const text = await saved.text(place.projectId, place.name, isMarkdown ? 'markdown' : 'jsonl');
      return new TextEncoder().encode(text);
    } catch (error) {
      this.context.log.warn(`${uri.path} cannot be shown: ${errorText(error)}`);
      throw FileSystemError.Unavailable(errorText(error));
    }
  }

  watch(uri: Uri): Disposable {
    const key = uri.toString();
    this.watched.set(key, uri);
    return new Disposable(() => this.watched.delete(key));
  }
}

/** As a document for reading. */
export async function showComposition(place: CompositionRef, preserveFocus = false): Promise<void> {
  await window.showTextDocument(compositionUri(place), { preview: true, preserveFocus });
}

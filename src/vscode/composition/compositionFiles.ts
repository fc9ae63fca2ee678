import { Uri, Disposable, FileChangeType, window } from 'vscode';
import * as z from 'zod/mini';
import type { Uses } from '../context';
import { COMPOSITION_SCHEME } from '../ids';
import { pathSegment } from '../transcript/transcriptDocuments';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import type { Feature } from '../feature';
import { ReadOnlyFiles, type ShownFile } from '../readOnlyFiles';

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
export class CompositionFiles extends ReadOnlyFiles<CompositionRef> implements Feature {
  readonly name = 'compositions as documents';
  private readonly watched = new Map<string, Uri>();
  private edition = 0;

  constructor(private readonly context: Uses<'host' | 'memory' | 'log'>) {
    super(context.log, compositionOf);
  }

  register(): Disposable {
    return Disposable.from(
      this.registerFiles(COMPOSITION_SCHEME, READ_ONLY),
      this.context.host.onDidWrite('compositions', () => {
        this.edition += 1;
        const uris = [...this.watched.values()];
        if (uris.length > 0) this.changed.fire(uris.map((uri) => ({ type: FileChangeType.Changed, uri })));
      }),
    );
  }

  protected async show({ projectId, name }: CompositionRef): Promise<ShownFile> {
    const saved = this.context.memory.compositions;
    const { record } = await saved.get(projectId, name);
    const isMarkdown = record.outputs === undefined || record.outputs.some((file) => file.endsWith('.md'));
    const text = await saved.text(projectId, name, isMarkdown ? 'markdown' : 'jsonl');
    return { bytes: new TextEncoder().encode(text), version: this.edition };
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

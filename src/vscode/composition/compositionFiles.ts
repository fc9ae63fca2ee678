import { Uri, Disposable, FileChangeType, window, workspace } from 'vscode';
import * as z from 'zod/mini';
import type { Uses } from '../context';
import { COMPOSITION_SCHEME } from '../ids';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import type { Feature } from '../feature';
import { ReadOnlyFiles, type ShownFile, DocumentUris } from '../readOnlyFiles';

export const compositionUris = new DocumentUris(
  COMPOSITION_SCHEME,
  z.object({ projectId: z.string(), name: z.string() }),
);

const READ_ONLY = 'A composition is made of versions: edit it in the Composition Builder, or rebuild it.';

/** The texts of compositions as read-only Markdown. One that was only made as JSONL is shown as such. */
export class CompositionFiles extends ReadOnlyFiles<CompositionRef> implements Feature {
  readonly name = 'compositions as documents';

  private edition = 0;

  constructor(private readonly context: Uses<'host' | 'memory' | 'log'>) {
    super(context.log, compositionUris);
  }

  register(): Disposable {
    return Disposable.from(
      this.registerFiles(READ_ONLY),
      this.context.host.onDidWrite('compositions', () => {
        this.edition += 1;
        const shown = workspace.textDocuments.filter(({ uri }) => uri.scheme === COMPOSITION_SCHEME);
        if (shown.length > 0) this.changed.fire(shown.map(({ uri }) => ({ type: FileChangeType.Changed, uri })));
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
}

/** As a document for reading. */
export async function showComposition(place: CompositionRef, preserveFocus = false): Promise<void> {
  await window.showTextDocument(uriOfComposition(place), { preview: true, preserveFocus });
}

/** It says by its ending that it is Markdown. */
export function uriOfComposition(place: CompositionRef): Uri {
  return compositionUris.of(place, 'Compositions', `${place.name}.md`);
}

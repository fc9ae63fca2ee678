import path from 'node:path';
import { commands, Range, TextEditorRevealType, Uri, window, type TextEditor } from 'vscode';
import * as z from 'zod/mini';
import { SEARCH_KINDS } from '../../core/search/searchDocument';
import type { SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import { commandIds, viewIds } from '../ids';

/** What leads to something that was found. */
export const hitSchema = z.object({
  kind: z.enum(SEARCH_KINDS),
  projectId: z.string(),
  id: z.string(),
  sessionId: z.optional(z.string()),
  messageUuid: z.optional(z.string()),
});
export type HitPlace = z.infer<typeof hitSchema>;

export interface OpenOptions {
  readonly preserveFocus?: boolean;
}

/** A row of a list that may lead to something. */
interface Previewed {
  readonly hit?: HitPlace | undefined;
  readonly session?: SessionRef | undefined;
}

/** A row that the reader only passes by is not opened. */
const PREVIEW_MS = 120;
/** Larger transcripts take a while to open: they are not opened for a look. */
const MOST_PREVIEWED_BYTES = 8 * 1024 * 1024;

/** Leads to what was found: to its message, with the words tinted, or to the document that holds it. */
export class HitOpener {
  constructor(private readonly context: Uses<'memory' | 'transcripts'>) {}

  /** False where it is not there any more; then the user was told. `query` are the words to tint. */
  async open(hit: HitPlace, query: string, options: OpenOptions = {}): Promise<boolean> {
    const { projectId, sessionId } = hit;
    const [name = ''] = hit.id.split('#');
    if (hit.kind === 'version' && sessionId !== undefined) {
      await commands.executeCommand(commandIds.openVersion, { version: { projectId, sessionId, versionId: name } });
      return true;
    }
    if (hit.kind === 'composition') {
      await commands.executeCommand(commandIds.openComposition, { composition: { projectId, name } });
      return true;
    }
    if (hit.kind === 'note') return this.openNote(projectId, name);
    if (sessionId !== undefined) return this.openSession({ ...hit, sessionId }, query, options);
    await commands.executeCommand(`${viewIds.knowledge}.focus`);
    return true;
  }

  private async openSession(
    { projectId, sessionId, messageUuid }: HitPlace & { sessionId: string },
    query: string,
    options: OpenOptions,
  ): Promise<boolean> {
    const { hitRanges } = await import('../../core/search/view/hitRanges');
    const place = { projectId, sessionId, messageUuid };
    return this.context.transcripts.reach(place, options, (said) => hitRanges(said, messageUuid ?? '', query));
  }

  private async openNote(projectId: string, name: string): Promise<boolean> {
    const { memory } = this.context;
    const { notebook } = await memory.layers.status(projectId);
    await window.showTextDocument(Uri.file(path.join(notebook.dir, ...name.split('/'))));
    return true;
  }
}

/** Shows what has the focus of the list behind it, and puts back what was there when the list is left without a choice. */
export class Preview {
  private readonly before = placeOf(window.activeTextEditor);
  private readonly open = new Set(openUris());
  private first: Previewed | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isKept = false;
  private hasShown = false;

  constructor(
    private readonly context: Uses<'model'>,
    private readonly opener: HitOpener,
  ) {}

  /** The list has new rows: the first one has the focus without anybody having gone there. */
  rest(first: Previewed | undefined): void {
    this.first = first;
    clearTimeout(this.timer);
  }

  look(item: Previewed | undefined, query: string): void {
    clearTimeout(this.timer);
    const hit = item?.hit;
    const session = item?.session;
    if (hit === undefined || session === undefined || item === this.first || hit.kind === 'version') return;
    this.first = undefined; // from now on the reader walks through the list
    this.timer = setTimeout(() => {
      const bytes = this.context.model.find(session)?.bytes ?? 0;
      if (this.isKept || bytes > MOST_PREVIEWED_BYTES) return;
      this.hasShown = true;
      void this.opener.open(hit, query, { preserveFocus: true });
    }, PREVIEW_MS);
  }

  keep(): void {
    this.isKept = true;
  }

  async end(): Promise<void> {
    clearTimeout(this.timer);
    if (this.isKept || !this.hasShown) return;
    this.isKept = true;
    const shown = window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input, isPreview }) => isPreview && !this.open.has(uriIn(input) ?? ''));
    if (shown.length > 0) await window.tabGroups.close(shown, true);
    const { before } = this;
    if (before === undefined) return;
    const { uri, viewColumn, selection, top } = before;
    const editor = await window.showTextDocument(uri, { selection, ...(viewColumn !== undefined && { viewColumn }) });
    if (top !== undefined) editor.revealRange(new Range(top, 0, top, 0), TextEditorRevealType.AtTop);
  }
}

function placeOf(editor: TextEditor | undefined) {
  if (editor === undefined) return undefined;
  const { document, viewColumn, selection, visibleRanges } = editor;
  return { uri: document.uri, viewColumn, selection, top: visibleRanges[0]?.start.line };
}

function openUris(): string[] {
  return window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(({ input }) => uriIn(input) ?? []));
}

function uriIn(input: unknown): string | undefined {
  const uri = typeof input === 'object' && input !== null && 'uri' in input ? input.uri : undefined;
  return uri instanceof Uri ? uri.toString() : undefined;
}

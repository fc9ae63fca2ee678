import {
  commands,
  env,
  Position,
  ProgressLocation,
  Range,
  Selection,
  TextEditorRevealType,
  Uri,
  window,
  workspace,
  Disposable,
  type TextDocument,
  type TextEditor,
  type ViewColumn,
} from 'vscode';
import * as z from 'zod/mini';

import { titleOf } from '../../core/sessions/sessionTitle';
import { anchorAt, lineOfRecord, messageTextAt } from '../../core/sessions/document/transcriptDocument';
import type { DiscoveredSession } from '../../core/sessions/results';
import { abortSignalOf } from '../progressMessage';
import { registerCommands, type Feature } from '../feature';
import { commandIds } from '../ids';
import type { KeepitListings } from '../keepits/keepitChanges';
import type { KeepitRef } from '../../core/sessions/results';
import type { Notifier, OutputLog } from '../notifier';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import {
  describeRendering,
  keyOf,
  targetOf,
  transcriptUri,
  type TranscriptDocuments,
  type TranscriptTarget,
} from './transcriptDocuments';
import { RecordDocuments } from './recordDocuments';

export interface TranscriptCommandsOptions {
  readonly documents: TranscriptDocuments;
  readonly model: SessionsModel;
  readonly targets: SessionTargets;
  readonly notifier: Notifier;
  readonly log: OutputLog;
}

/** From this size on, opening shows its progress in a message that can cancel it. */
const LARGE_FILE_BYTES = 8 * 1024 * 1024;

/** VS Code does not hand larger files to extensions, and remote windows ask before they open them. */
const MAX_OPENED_BYTES = 50 * 1024 * 1024;

/** What hovers pass: a place in a transcript. */
const placeSchema = z.object({ uri: z.string(), line: z.number() });

export interface ShowOptions {
  readonly agent?: { readonly id: string; readonly title: string } | undefined;
  readonly viewColumn?: ViewColumn | undefined;
  /** Leaves the focus where it is. */
  readonly preserveFocus?: boolean | undefined;
}

interface Place {
  readonly document: TextDocument;
  readonly line: number;
}

const isReadable = (session: DiscoveredSession): boolean => session.problem === undefined;

/** Opening transcripts, and getting from a transcript to its original. */
export class TranscriptCommands implements Feature {
  readonly name = 'transcript commands';
  private readonly records = new RecordDocuments();

  constructor(private readonly options: TranscriptCommandsOptions) {}

  register(): Disposable {
    const registered = registerCommands(
      [
        { id: commandIds.openTranscript, doing: 'opening a transcript', run: (...args) => this.open(args) },
        { id: commandIds.openOriginal, doing: 'opening the original', run: (...args) => this.openOriginal(args) },
        { id: commandIds.copyMessage, doing: 'copying', run: (...args) => this.copyMessage(args) },
        { id: commandIds.foldDetails, doing: 'folding', run: () => this.foldDetails('editor.fold') },
        { id: commandIds.unfoldDetails, doing: 'unfolding', run: () => this.foldDetails('editor.unfold') },
      ],
      this.options.notifier,
    );
    return Disposable.from(registered, this.records.register());
  }

  /** Shows a session's transcript, or that of one of its sub-agents; in the active column when none is named. */
  async show(session: DiscoveredSession, options: ShowOptions = {}): Promise<TextEditor> {
    const { agent, viewColumn, preserveFocus = false } = options;
    const { model, documents, log } = this.options;
    const target: TranscriptTarget = {
      projectId: session.projectId,
      sessionId: session.sessionId,
      ...(agent !== undefined && { agentId: agent.id }),
    };
    const project = model.projects.find(({ projectId }) => projectId === session.projectId)?.displayName ?? '';
    const uri = openedUri(target) ?? transcriptUri(target, { project, title: agent?.title ?? titleOf(session) });
    const isLarge = session.bytes > LARGE_FILE_BYTES;
    const location = isLarge ? ProgressLocation.Notification : ProgressLocation.Window;
    await window.withProgress(
      { location, title: `Reading “${titleOf(session)}”`, cancellable: isLarge },
      async (_progress, token) => {
        const rendered = await documents.get(target, abortSignalOf(token));
        log.debug(describeRendering(rendered));
      },
    );
    return window.showTextDocument(uri, {
      preview: true,
      preserveFocus,
      ...(viewColumn !== undefined && { viewColumn }),
    });
  }

  /** Shows a message, by its uuid or its position in the session. False when the transcript does not have it. */
  async showMessage(session: DiscoveredSession, message: string | number, options: ShowOptions = {}): Promise<boolean> {
    const editor = await this.show(session, options);
    const target = targetOf(editor.document.uri);
    if (target === undefined) return false;
    const { messages, document } = await this.options.documents.get(target);
    const found = typeof message === 'number' ? messages[message] : messages.find(({ uuid }) => uuid === message);
    const line = found === undefined ? undefined : lineOfRecord(document, found.line);
    if (line === undefined || line >= editor.document.lineCount) return false;
    const start = new Position(line, 0);
    editor.selection = new Selection(start, start);
    editor.revealRange(new Range(start, start), TextEditorRevealType.AtTop);
    return true;
  }

  private async open(args: readonly unknown[]): Promise<void> {
    const session = await this.options.targets.one(args, { title: 'Keepit: Open Transcript', wants: isReadable });
    if (session !== undefined) await this.show(session, { agent: agentOf(args[0]) });
  }

  private async openOriginal(args: readonly unknown[]): Promise<void> {
    const { documents } = this.options;
    const place = await placeOf(args);
    const target = place === undefined ? undefined : targetOf(place.document.uri);
    if (place === undefined || target === undefined) return;
    const { document, file } = await documents.get(target);
    const recordLine = anchorAt(document, place.line)?.recordLine ?? 1;
    const uri = Uri.file(file);
    const { size } = await workspace.fs.stat(uri);
    // The transcript may be a preview, whose tab the original would take.
    if (window.activeTextEditor?.document === place.document) {
      await commands.executeCommand('workbench.action.keepEditor');
    }
    if (size > MAX_OPENED_BYTES) await this.records.show(file, recordLine);
    else await showLine(uri, recordLine - 1);
  }

  private async copyMessage(args: readonly unknown[]): Promise<void> {
    const place = await placeOf(args);
    if (place === undefined) return;
    const text = messageTextAt(place.document.getText().split('\n'), place.line);
    await env.clipboard.writeText(text);
    window.setStatusBarMessage(text === '' ? 'Nothing was said here.' : 'The message is in the clipboard.', 3000);
  }

  private async foldDetails(command: 'editor.fold' | 'editor.unfold'): Promise<void> {
    const editor = window.activeTextEditor;
    const target = editor === undefined ? undefined : targetOf(editor.document.uri);
    if (target === undefined) return;
    const { document } = await this.options.documents.get(target);
    const selectionLines = document.folds.filter(({ kind }) => kind === 'details').map(({ start }) => start);
    if (selectionLines.length > 0) await commands.executeCommand(command, { selectionLines, levels: 1 });
  }
}

/** The uri under which a transcript is open already: its title may have changed since. */
function openedUri(target: TranscriptTarget): Uri | undefined {
  return workspace.textDocuments.find(({ uri }) => {
    const opened = targetOf(uri);
    return opened !== undefined && keyOf(opened) === keyOf(target);
  })?.uri;
}

const agentSchema = z.object({ agent: z.object({ id: z.string(), title: z.string() }) });

function agentOf(row: unknown): { id: string; title: string } | undefined {
  return agentSchema.safeParse(row).data?.agent;
}

async function placeOf([first]: readonly unknown[]): Promise<Place | undefined> {
  const named = placeSchema.safeParse(first);
  if (named.success) {
    return { document: await workspace.openTextDocument(Uri.parse(named.data.uri, true)), line: named.data.line };
  }
  const editor = window.activeTextEditor;
  return editor === undefined ? undefined : { document: editor.document, line: editor.selection.active.line };
}

/** The line is selected, and the editor is read-only: what Claude Code wrote is not changed by a slip of the hand. */
async function showLine(uri: Uri, line: number): Promise<void> {
  const document = await workspace.openTextDocument(uri);
  const { range } = document.lineAt(Math.min(line, document.lineCount - 1));
  const editor = await window.showTextDocument(document, {
    preview: true,
    selection: new Range(range.end, range.start),
  });
  editor.revealRange(range.with({ end: range.start }));
  await commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
}

/** The message that a keepit is in. False when it cannot be shown. */
export async function showKeepit(
  { model, listings, transcripts }: { model: SessionsModel; listings: KeepitListings; transcripts: TranscriptCommands },
  ref: KeepitRef,
  viewColumn: ViewColumn,
): Promise<boolean> {
  const session = model.find(ref);
  const found = await listings.find(ref);
  if (session === undefined || found === undefined) return false;
  return transcripts.showMessage(session, found.messageUuid, { viewColumn });
}

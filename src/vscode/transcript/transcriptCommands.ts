import {
  commands,
  env,
  Position,
  ProgressLocation,
  Range,
  TextEditorRevealType,
  ThemeColor,
  Uri,
  window,
  workspace,
  Disposable,
  type TextDocument,
  type TextEditor,
  type ViewColumn,
} from 'vscode';
import * as z from 'zod/mini';

import { titleOf } from '../../core/text/formats';
import type { LineRange } from '../../core/sessions/view/keepitMarks';
import { anchorAt, lineOfRecord, messageTextAt, type SaidBlock } from '../../core/sessions/document/transcriptDocument';
import type { DiscoveredSession } from '../../core/sessions/results';
import { abortSignalOf } from '../progressMessage';
import { registerCommands, type Feature } from '../feature';
import type { KeepitListings } from '../keepits/keepitListings';
import type { KeepitRef } from '../../core/sessions/results';
import type { Notifier, OutputLog } from '../notifier';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { SessionTargets } from '../sessions/sessionTargets';
import {
  describeRendering,
  keyOf,
  targetOf,
  transcriptUri,
  type RenderedTranscript,
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

/** So far below its heading, a place is seen together with it. */
const LINES_IN_SIGHT = 12;

/** What hovers pass: a place in a transcript. */
const placeSchema = z.object({ uri: z.string(), line: z.number() });

export interface ShowOptions {
  readonly agent?: { readonly id: string; readonly title: string } | undefined;
  readonly viewColumn?: ViewColumn | undefined;
  /** Leaves the focus where it is. */
  readonly preserveFocus?: boolean | undefined;
}

/** Of a message that is shown, what is to be seen in it: the first place is gone to, and all are tinted. */
type PlacesIn = (said: readonly SaidBlock[]) => readonly LineRange[];

interface Place {
  readonly document: TextDocument;
  readonly line: number;
}

const isReadable = (session: DiscoveredSession): boolean => session.problem === undefined;

/** Opening transcripts, and getting from a transcript to its original. */
export class TranscriptCommands implements Feature {
  readonly name = 'transcript commands';
  private readonly records = new RecordDocuments();
  private readonly tint = window.createTextEditorDecorationType({
    backgroundColor: new ThemeColor('editor.findMatchHighlightBackground'),
    borderColor: new ThemeColor('editor.findMatchHighlightBorder'),
    overviewRulerColor: new ThemeColor('editorOverviewRuler.findMatchForeground'),
  });

  constructor(private readonly options: TranscriptCommandsOptions) {}

  register(): Disposable {
    const registered = registerCommands(this.options.notifier, {
      openTranscript: (args) => this.open(args),
      openOriginal: (args) => this.openOriginal(args),
      copyMessage: (args) => this.copyMessage(args),
      foldDetails: () => this.foldDetails('editor.fold'),
      unfoldDetails: () => this.foldDetails('editor.unfold'),
    });
    return Disposable.from(registered, this.records.register(), this.tint);
  }

  /** Shows a session's transcript, or that of one of its sub-agents; in the active column when none is named. */
  async show(session: DiscoveredSession, options: ShowOptions = {}): Promise<TextEditor> {
    await this.read(session, options);
    return this.showRead(session, options);
  }

  /** Shows a message, by its uuid or its position in the session. False when the transcript does not have it. */
  async showMessage(
    session: DiscoveredSession,
    message: string | number,
    options: ShowOptions = {},
    placesIn?: PlacesIn,
  ): Promise<boolean> {
    const { messages, document } = await this.read(session, options);
    const found = typeof message === 'number' ? messages[message] : messages.find(({ uuid }) => uuid === message);
    const line = found === undefined ? undefined : lineOfRecord(document, found.line);
    const places = (line === undefined ? [] : (placesIn?.(document.said) ?? [])).map(
      ({ start, end }) => new Range(start.line, start.column, end.line, end.column),
    );
    const heading = new Position(line ?? 0, 0);
    const [first = new Range(heading, heading)] = places;
    // Said while it is opened: what is gone to afterwards loses against where the editor stood before.
    const editor = await this.showRead(session, options, line === undefined ? undefined : first);
    if (line === undefined || line >= editor.document.lineCount) return false;
    editor.setDecorations(
      this.tint,
      places.map((place) => editor.document.validateRange(place)),
    );
    // The heading says who spoke, and when: it stays in sight where the place is near it.
    const isNear = first.start.line - line < LINES_IN_SIGHT;
    editor.revealRange(new Range(isNear ? heading : first.start, first.start), revealOf(isNear));
    return true;
  }

  private async read(session: DiscoveredSession, options: ShowOptions): Promise<RenderedTranscript> {
    const { documents, log } = this.options;
    const isLarge = session.bytes > LARGE_FILE_BYTES;
    const location = isLarge ? ProgressLocation.Notification : ProgressLocation.Window;
    return window.withProgress(
      { location, title: `Reading “${titleOf(session)}”`, cancellable: isLarge },
      async (_progress, token) => {
        const rendered = await documents.get(targetFor(session, options), abortSignalOf(token));
        log.debug(describeRendering(rendered));
        return rendered;
      },
    );
  }

  private async showRead(session: DiscoveredSession, options: ShowOptions, selection?: Range): Promise<TextEditor> {
    const { agent, viewColumn, preserveFocus = false } = options;
    const { projects } = this.options.model;
    const project = projects.find(({ projectId }) => projectId === session.projectId)?.displayName ?? '';
    const target = targetFor(session, options);
    const uri = openedUri(target) ?? transcriptUri(target, { project, title: agent?.title ?? titleOf(session) });
    return window.showTextDocument(uri, {
      preview: true,
      preserveFocus,
      ...(viewColumn !== undefined && { viewColumn }),
      ...(selection !== undefined && { selection }),
    });
  }

  private async open(args: readonly unknown[]) {
    const session = await this.options.targets.one(args, { title: 'Keepit: Open Transcript', wants: isReadable });
    if (session !== undefined) await this.show(session, { agent: agentOf(args[0]) });
  }

  private async openOriginal(args: readonly unknown[]) {
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

  private async copyMessage(args: readonly unknown[]) {
    const place = await placeOf(args);
    if (place === undefined) return;
    const text = messageTextAt(place.document.getText().split('\n'), place.line);
    await env.clipboard.writeText(text);
    window.setStatusBarMessage(text === '' ? 'Nothing was said here.' : 'The message is in the clipboard.', 3000);
  }

  private async foldDetails(command: 'editor.fold' | 'editor.unfold') {
    const editor = window.activeTextEditor;
    const target = editor === undefined ? undefined : targetOf(editor.document.uri);
    if (target === undefined) return;
    const { document } = await this.options.documents.get(target);
    const selectionLines = document.folds.filter(({ kind }) => kind === 'details').map(({ start }) => start);
    if (selectionLines.length > 0) await commands.executeCommand(command, { selectionLines, levels: 1 });
  }
}

function revealOf(isNear: boolean): TextEditorRevealType {
  return isNear ? TextEditorRevealType.AtTop : TextEditorRevealType.InCenter;
}

function targetFor({ projectId, sessionId }: DiscoveredSession, { agent }: ShowOptions): TranscriptTarget {
  return { projectId, sessionId, ...(agent !== undefined && { agentId: agent.id }) };
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
async function showLine(uri: Uri, line: number) {
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

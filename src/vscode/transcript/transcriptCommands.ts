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
import type { KeepitRef, SessionRef } from '../../core/sessions/results';
import {
  describeRendering,
  keyOf,
  transcriptUri,
  type RenderedTranscript,
  type TranscriptTarget,
  transcriptUris,
  TranscriptDocuments,
} from './transcriptDocuments';
import { KeepitListings } from '../keepits/keepitListings';
import { Notifier, OutputLog } from '../notifier';
import { SessionTargets } from '../sessions/sessionTargets';
import { SessionsModel } from '../sessions/sessionsModel';

interface TranscriptContext {
  readonly documents: TranscriptDocuments;
  readonly model: SessionsModel;
  readonly targets: SessionTargets;
  readonly notifier: Notifier;
  readonly log: OutputLog;
}

/** From this size on, opening shows its progress in a message that can cancel it. */
const LARGE_FILE_BYTES = 8 * 1024 * 1024;

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

  private readonly tint = window.createTextEditorDecorationType({
    backgroundColor: new ThemeColor('editor.findMatchHighlightBackground'),
    borderColor: new ThemeColor('editor.findMatchHighlightBorder'),
    overviewRulerColor: new ThemeColor('editorOverviewRuler.findMatchForeground'),
  });

  constructor(private readonly context: TranscriptContext) {}

  register(): Disposable {
    const registered = registerCommands(this.context.notifier, {
      openTranscript: (args) => this.open(args),
      openOriginal: (args) => this.openOriginal(args),
      copyMessage: (args) => this.copyMessage(args),
      foldDetails: () => this.foldDetails('editor.fold'),
      unfoldDetails: () => this.foldDetails('editor.unfold'),
    });
    return Disposable.from(registered, this.tint);
  }

  /** Shows a session's transcript, or that of one of its sub-agents; in the active column when none is named. */
  async show(session: DiscoveredSession, options: ShowOptions = {}): Promise<TextEditor> {
    await this.read(session, options);
    return this.showRead(session, options);
  }

  /** Leads to a session, or to a message of it. False where it is not there any more: then the user was told. */
  async reach(
    { messageUuid, ...ref }: SessionRef & { readonly messageUuid?: string | undefined },
    options: ShowOptions = {},
    placesIn?: PlacesIn,
  ): Promise<boolean> {
    const { model, notifier } = this.context;
    const session = await model.findAnywhere(ref);
    if (session === undefined) {
      void notifier.tell('Its session is gone: Claude Code has deleted it, and it was never added to memory.');
      return false;
    }
    if (messageUuid !== undefined) {
      const isThere = await this.showMessage(session, messageUuid, options, placesIn);
      if (!isThere) void notifier.tell('That message is not in the transcript any more: a rewind has left it behind.');
      return isThere;
    }
    await this.show(session, options);
    return true;
  }

  private async showMessage(
    session: DiscoveredSession,
    messageUuid: string,
    options: ShowOptions,
    placesIn: PlacesIn | undefined,
  ): Promise<boolean> {
    const { messages, document } = await this.read(session, options);
    const found = messages.find(({ uuid }) => uuid === messageUuid);
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
    const { documents, log } = this.context;
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
    const { projects } = this.context.model;
    const project = projects.find(({ projectId }) => projectId === session.projectId)?.displayName ?? '';
    const target = targetFor(session, options);
    const uri = openedUri(target) ?? transcriptUri(target, project, agent?.title ?? titleOf(session));
    return window.showTextDocument(uri, {
      preview: true,
      preserveFocus,
      ...(viewColumn !== undefined && { viewColumn }),
      ...(selection !== undefined && { selection }),
    });
  }

  private async open(args: readonly unknown[]) {
    const session = await this.context.targets.one(args, { title: 'Keepit: Open Transcript', wants: isReadable });
    if (session !== undefined) await this.show(session, { agent: agentOf(args[0]) });
  }

  private async openOriginal(args: readonly unknown[]) {
    const place = await placeOf(args);
    const target = place && transcriptUris.ref(place.document.uri);
    if (place === undefined || target === undefined) return;
    const { document, file } = await this.context.documents.get(target);
    const line = (anchorAt(document, place.line)?.recordLine ?? 1) - 1;
    // The transcript may be a preview, whose tab the original would take.
    if (window.activeTextEditor?.document === place.document) {
      await commands.executeCommand('workbench.action.keepEditor');
    }
    // By VS Code itself, which does not hand large files to extensions. What Claude Code wrote is not changed by a slip of the hand.
    const selection = new Range(line, Number.MAX_SAFE_INTEGER, line, 0);
    await commands.executeCommand('vscode.open', Uri.file(file), { preview: true, selection });
    await commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
  }

  private async copyMessage(args: readonly unknown[]) {
    const place = await placeOf(args);
    if (place === undefined) return;
    const text = messageTextAt(place.document.getText().split('\n'), place.line);
    await env.clipboard.writeText(text);
    this.context.notifier.say(text === '' ? 'Nothing was said here.' : 'The message is in the clipboard.');
  }

  private async foldDetails(command: 'editor.fold' | 'editor.unfold') {
    const editor = window.activeTextEditor;
    const target = editor && transcriptUris.ref(editor.document.uri);
    if (target === undefined) return;
    const { document } = await this.context.documents.get(target);
    const selectionLines = document.folds.filter(({ kind }) => kind === 'details').map(({ start }) => start);
    if (selectionLines.length > 0) await commands.executeCommand(command, { selectionLines, levels: 1 });
  }
}

function revealOf(isNear: boolean): TextEditorRevealType {
  return isNear ? TextEditorRevealType.AtTop : TextEditorRevealType.InCenter;
}

function targetFor({ projectId, sessionId }: DiscoveredSession, { agent }: ShowOptions): TranscriptTarget {
  return { projectId, sessionId, agentId: agent?.id };
}

/** The uri under which a transcript is open already: its title may have changed since. */
function openedUri(target: TranscriptTarget): Uri | undefined {
  return workspace.textDocuments.find(({ uri }) => {
    const opened = transcriptUris.ref(uri);
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

/** The message that a keepit is in. False when it cannot be shown. */
export async function showKeepit(
  { listings, transcripts }: { listings: KeepitListings; transcripts: TranscriptCommands },
  ref: KeepitRef,
  viewColumn: ViewColumn,
): Promise<boolean> {
  const { messageUuid } = (await listings.find(ref)) ?? {};
  return messageUuid !== undefined && transcripts.reach({ ...ref, messageUuid }, { viewColumn });
}

import path from 'node:path';
import { EventEmitter, workspace, type Disposable, type Event, type TextDocument, type Uri } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { MarkFate } from '../../core/sessions/view/keepitEditor';
import {
  inOrder,
  MarkIndex,
  transcriptMarks,
  type DocumentMarks,
  type KeepitMark,
  type MarkProblem,
} from '../../core/sessions/view/keepitMarks';
import { distanceIn } from '../../core/sessions/view/keepitOutlook';
import type { RecordMarks } from '../../core/sessions/view/recordMarks';
import { textMarks } from '../../core/sessions/view/keepitMarks';
import type { TranscriptDocument } from '../../core/sessions/document/transcriptDocument';
import type { SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import { MARKDOWN_LANGUAGES, TRANSCRIPT_SCHEME } from '../ids';
import { transcriptUris } from '../transcript/transcriptDocuments';
import { keepitStampOf, stampOf } from './keepitListings';

/** A document with its keepits. */
export interface MarkedDocument extends DocumentMarks {
  readonly index: MarkIndex;
  readonly fate: MarkFate;
  /** Whose keepits they are; absent for a document of the user's own. */
  readonly source?: SessionRef;
  /** The readable transcript that the document is. */
  readonly transcript?: TranscriptDocument;
}

interface Known {
  readonly version: number;
  /** How its session was: what counts in a raw transcript follows from all of the file, which may have grown on disk. */
  readonly stamp: string;
  readonly marked: Promise<MarkedDocument | undefined>;
}

/** How long lines are looked through before others get a turn. */
const SLICE_MS = 8;
const LINES_BETWEEN_LOOKS = 200;
/** So many lines of a file that may be a transcript are looked at to find out. */
const LINES_SNIFFED = 20;
const RECORD = /^\s*\{.*"(?:sessionId|leafUuid)"\s*:/;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Finds the keepits of documents: readable transcripts, raw ones, and Markdown. Each version of a document is looked through once. */
export class MarkSources implements Disposable {
  private readonly known = new Map<string, Known>();
  private readonly changed = new EventEmitter<Uri>();
  private readonly subscriptions: Disposable[];
  /** Fires when a document's keepits changed although its text did not. */
  readonly onDidChange: Event<Uri> = this.changed.event;

  constructor(private readonly context: Uses<'host' | 'memory' | 'model' | 'documents' | 'listings' | 'log'>) {
    this.subscriptions = [
      context.host.onDidWriteOf(['keepits'], (session) => session && this.renew(session)),
      context.model.onDidChange(() => void this.forgetOutdated()),
      workspace.onDidCloseTextDocument(({ uri }) => this.known.delete(uri.toString())),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
    this.known.clear();
  }

  /** Whether documents of this kind can have keepits. */
  canHold({ uri, languageId }: TextDocument): boolean {
    if (uri.scheme === TRANSCRIPT_SCHEME) return true;
    return isRaw(uri) || (MARKDOWN_LANGUAGES.includes(languageId) && uri.scheme !== 'output');
  }

  /** Undefined where there can be none. Never rejects. */
  async get(document: TextDocument): Promise<MarkedDocument | undefined> {
    if (!this.canHold(document)) return undefined;
    const key = document.uri.toString();
    const before = this.known.get(key);
    if (before?.version === document.version) return before.marked;
    const marked = this.read(document).catch((error: unknown) => {
      this.context.log.warn(`The keepits of ${document.uri.path} are not shown: ${errorText(error)}`);
      this.known.delete(key); // the next one who asks tries again
      return undefined;
    });
    this.known.set(key, { version: document.version, stamp: this.stampOf(document.uri), marked });
    return marked;
  }

  private async read(document: TextDocument): Promise<MarkedDocument | undefined> {
    if (document.uri.scheme === TRANSCRIPT_SCHEME) return this.ofTranscript(document.uri);
    if (isRaw(document.uri)) return this.ofRecords(document);
    const { memory } = this.context;
    const context = await memory.keepits.decayContext(this.context.model.currentProject?.projectId);
    return marked(textMarks(document.getText()), { context, distance: 1 });
  }

  private async ofTranscript(uri: Uri): Promise<MarkedDocument | undefined> {
    const target = transcriptUris.ref(uri);
    if (target === undefined || target.agentId !== undefined) return undefined;
    const { documents, memory } = this.context;
    const { document, found } = await documents.get(target);
    const session = { projectId: target.projectId, sessionId: target.sessionId };
    const listing = await memory.keepits.listFound(session, found);
    const fate = await this.fate(session);
    return { ...marked(transcriptMarks(document, listing), fate), source: session, transcript: document };
  }

  private async ofRecords(document: TextDocument): Promise<MarkedDocument | undefined> {
    const source = await this.sessionOf(document.uri);
    if (source === undefined && !looksLikeTranscript(document)) return undefined;
    const listing =
      source === undefined ? undefined : await this.context.listings.at(source, this.stamp(source, document));
    // The reader of transcripts is loaded with the first raw one that is opened, not with the extension.
    const records = await import('../../core/sessions/view/recordMarks');
    const marks = await scan(document, new records.RecordMarks(listing));
    const fate = await this.fate(source);
    return { ...marked(marks, fate), ...(source !== undefined && { source }) };
  }

  /** The session whose transcript a file is: Claude Code's own, or the copy in memory. */
  private async sessionOf({ fsPath }: Uri): Promise<SessionRef | undefined> {
    const { claudeDir, memoryDir } = await this.context.host.memory();
    const [projectId, ...rest] = partsBelow(path.join(claudeDir, 'projects'), fsPath);
    if (projectId !== undefined && rest.length === 1) return sessionFrom(projectId, fsPath);
    const [keptProject, folder, ...file] = partsBelow(path.join(memoryDir, 'projects'), fsPath);
    const isKept = keptProject !== undefined && folder === 'originals' && file.length === 1;
    return isKept ? sessionFrom(keptProject, fsPath) : undefined;
  }

  private stamp(ref: SessionRef, { version }: TextDocument): string {
    const session = this.context.model.find(ref);
    return session === undefined ? `shown ${version}` : stampOf(session);
  }

  private async fate(session: SessionRef | undefined): Promise<MarkFate> {
    const { memory, model } = this.context;
    const context = await memory.keepits.decayContext(session?.projectId);
    if (session === undefined) return { context, distance: 1 };
    const lastTimestamp = model.find(session)?.lastTimestamp ?? '';
    return { context, distance: distanceIn({ sessionId: session.sessionId, lastTimestamp }, context) };
  }

  private renew({ projectId, sessionId }: SessionRef) {
    for (const { uri } of workspace.textDocuments) {
      const shown = transcriptUris.ref(uri);
      const isAbout = shown === undefined ? isRaw(uri) : shown.projectId === projectId && shown.sessionId === sessionId;
      if (isAbout && this.known.delete(uri.toString())) this.changed.fire(uri);
    }
  }

  private async forgetOutdated() {
    for (const { uri } of workspace.textDocuments) {
      const known = this.known.get(uri.toString());
      if (known === undefined || (known.stamp === this.stampOf(uri) && !(await this.isFateOther(known)))) continue;
      if (this.known.get(uri.toString()) !== known) continue;
      this.known.delete(uri.toString());
      this.changed.fire(uri);
    }
  }

  /** The command line and other windows change settings, and what is in memory, too. */
  private async isFateOther({ marked }: Known): Promise<boolean> {
    const shown = await marked;
    if (shown === undefined) return false;
    const projectId = shown.source?.projectId ?? this.context.model.currentProject?.projectId;
    const now = await this.context.memory.keepits.decayContext(projectId);
    return JSON.stringify(now) !== JSON.stringify(shown.fate.context);
  }

  private stampOf(uri: Uri): string {
    const id = isRaw(uri) ? path.basename(uri.path, '.jsonl') : transcriptUris.ref(uri)?.sessionId;
    const sessions = this.context.model.projects.flatMap((project) => project.sessions);
    const session = sessions.find(({ sessionId }) => sessionId === id);
    if (session === undefined) return '';
    return isRaw(uri) ? stampOf(session) : keepitStampOf(session);
  }
}

function marked(marks: DocumentMarks, fate: MarkFate): MarkedDocument {
  return { ...marks, index: new MarkIndex(marks.marks), fate };
}

function isRaw({ scheme, path: file }: Uri): boolean {
  return (scheme === 'file' || scheme === 'vscode-remote') && file.endsWith('.jsonl');
}

function partsBelow(folder: string, file: string): string[] {
  const relative = path.relative(folder, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? [] : relative.split(path.sep);
}

function sessionFrom(projectId: string, file: string): SessionRef {
  return { projectId, sessionId: path.basename(file, '.jsonl') };
}

function looksLikeTranscript(document: TextDocument): boolean {
  const lines = Math.min(LINES_SNIFFED, document.lineCount);
  return Array.from({ length: lines }, (_, line) => line).some((line) => RECORD.test(document.lineAt(line).text));
}

/** Looks through all lines, a slice at a time. A document that changes meanwhile is asked for again by whoever shows it. */
async function scan(document: TextDocument, records: RecordMarks): Promise<DocumentMarks> {
  const { version } = document;
  const marks: KeepitMark[] = [];
  const problems: MarkProblem[] = [];
  let startedMs = performance.now();
  for (let line = 0; line < document.lineCount && document.version === version; line += 1) {
    const found = records.ofLine(document.lineAt(line).text, line);
    marks.push(...found.marks);
    problems.push(...found.problems);
    const mayPause = line % LINES_BETWEEN_LOOKS === 0 || found.marks.length > 0;
    if (!mayPause || performance.now() - startedMs < SLICE_MS) continue;
    await nextTurn();
    startedMs = performance.now();
  }
  return { marks: inOrder(marks), problems };
}

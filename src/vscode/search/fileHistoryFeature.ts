import {
  Disposable,
  Hover,
  languages,
  MarkdownString,
  StatusBarAlignment,
  window,
  workspace,
  type CancellationToken,
  type HoverProvider,
  type Position,
  type StatusBarItem,
  type TextDocument,
  type Uri,
} from 'vscode';
import { escapeMarkdown } from '../../core/text/cleanText';
import { formatAge, joinParts, timeOf } from '../../core/text/formats';
import { errorText } from '../../core/text/keepitError';
import type { Uses } from '../context';
import type { Feature } from '../feature';
import { commandIds } from '../ids';
import { abortSignalOf } from '../progressMessage';
import { VisibleRefresh } from '../visibleRefresh';

const SETTLE_MS = 400;
const PRIORITY = 50;

/** What sessions did to the open file: in a hover the exchange that wrote a line, in the status bar how many there were. */
export class FileHistoryFeature implements Feature, HoverProvider {
  readonly name = 'file history';
  private readonly item: StatusBarItem = window.createStatusBarItem('keepit.file', StatusBarAlignment.Right, PRIORITY);
  private readonly looking = new VisibleRefresh((isSuperseded) => this.look(isSuperseded), SETTLE_MS);

  constructor(private readonly context: Uses<'memory' | 'model' | 'settings' | 'formats' | 'log'>) {}

  register(): Disposable {
    const { model, settings } = this.context;
    const follow = () => this.looking.setVisible(settings.fileStatus);
    const again = () => this.looking.lookSoon();
    this.item.name = 'Keepit: Sessions of the File';
    this.item.command = commandIds.fileHistory;
    follow();
    return Disposable.from(
      this.item,
      this.looking,
      languages.registerHoverProvider({ scheme: 'file' }, this),
      window.onDidChangeActiveTextEditor(again),
      model.onDidChange(again),
      settings.onDidChange((names) => {
        if (!names.has('fileStatus')) return;
        this.item.hide();
        follow();
      }),
    );
  }

  async provideHover(document: TextDocument, { line }: Position, token: CancellationToken): Promise<Hover | undefined> {
    const place = this.placeOf(document.uri);
    if (place === undefined) return undefined;
    const { memory, log } = this.context;
    try {
      const { text, range } = document.lineAt(line);
      const origin = await memory.search.wroteLine({ ...place, line: text }, abortSignalOf(token));
      if (origin === undefined) return undefined;
      const { projectId, sessionId, messageUuid, title, request, timestamp } = origin;
      const hit = { kind: 'message', projectId, id: messageUuid, sessionId, messageUuid, query: '' };
      const target = `command:${commandIds.openHit}?${encodeURIComponent(JSON.stringify([hit]))}`;
      const atMs = timeOf(timestamp);
      const link = `[${escapeMarkdown(title)}](${target} "Open the exchange that wrote this line")`;
      // A session without a title is called by its first request.
      const asked = request === '' || request === title ? '' : escapeMarkdown(`“${request}”`);
      const age = atMs === undefined ? '' : formatAge(atMs, Date.now());
      const content = new MarkdownString(`$(comment-discussion) ${joinParts([link, age, asked])}`, true);
      content.isTrusted = { enabledCommands: [commandIds.openHit] };
      return new Hover(content, range);
    } catch (error) {
      log.debug(`Nobody knows who wrote a line: ${errorText(error)}`);
      return undefined;
    }
  }

  private async look(isSuperseded: () => boolean) {
    const { memory, formats, log } = this.context;
    const place = this.placeOf(window.activeTextEditor?.document.uri);
    try {
      const sessions = place === undefined ? 0 : await memory.search.fileSessions(place);
      if (isSuperseded()) return;
      if (sessions === 0) {
        this.item.hide();
        return;
      }
      const counted = formats.plural(sessions, 'session');
      this.item.text = `$(comment-discussion) ${counted}`;
      this.item.tooltip = `Read or changed in ${counted}`;
      this.item.accessibilityInformation = { label: `Keepit: this file was read or changed in ${counted}` };
      this.item.show();
    } catch (error) {
      log.debug(`Sessions of a file could not be counted: ${errorText(error)}`);
      this.item.hide();
    }
  }

  /** Undefined for files outside of the workspace, and where no session is in memory. */
  private placeOf(uri: Uri | undefined) {
    const project = this.context.model.currentProject;
    if (uri?.scheme !== 'file' || workspace.getWorkspaceFolder(uri) === undefined) return undefined;
    if (project?.sessions.some(({ registered }) => registered) !== true) return undefined;
    return { projectId: project.projectId, file: workspace.asRelativePath(uri, false) };
  }
}

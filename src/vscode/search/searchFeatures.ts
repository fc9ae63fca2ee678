import {
  Disposable,
  window,
  Hover,
  languages,
  MarkdownString,
  StatusBarAlignment,
  workspace,
  type CancellationToken,
  type HoverProvider,
  type Position,
  type StatusBarItem,
  type TextDocument,
  type Uri,
} from 'vscode';
import { errorText } from '../../core/text/keepitError';
import { escapeMarkdown } from '../../core/text/cleanText';
import { formatAge, joinParts, timeOf } from '../../core/text/formats';
import type { Context, Uses } from '../context';
import type { Feature } from '../feature';
import { VisibleRefresh } from '../visibleRefresh';
import { commandIds } from '../ids';
import { abortSignalOf } from '../progressMessage';
import { SearchFeature } from './searchFeature';
import { WorkAtHand } from './workAtHand';

/** So long nothing is opened or closed before it is looked again: nobody waits for it. */
const SETTLE_MS = 1000;

const HISTORY_SETTLE_MS = 400;
const PRIORITY = 50;

/** Composes what finds the right past, asked or not. */
export function searchFeatures(context: Context): Feature[] {
  return [new SearchFeature(context), new SuggestedSessions(context), new FileHistoryFeature(context)];
}

/** *Suggested*, below the sessions: what the work at hand may need. Looked for while somebody sees the list, and again when that work is another one. */
class SuggestedSessions implements Feature {
  readonly name = 'suggested sessions';
  private readonly whenVisible = new VisibleRefresh((isSuperseded) => this.look(isSuperseded), SETTLE_MS);
  private readonly work: WorkAtHand;
  private asked = '';

  constructor(private readonly context: Uses<'memory' | 'model' | 'views' | 'log'>) {
    this.work = new WorkAtHand(context);
  }

  register(): Disposable {
    const { model, views } = this.context;
    const again = () => this.whenVisible.lookSoon();
    return Disposable.from(
      this.whenVisible,
      views.whenSessionsSeen((isVisible) => this.whenVisible.setVisible(isVisible)),
      model.onDidChange(again),
      window.tabGroups.onDidChangeTabs(again),
      window.onDidChangeWindowState(again), // the branch may be another one
    );
  }

  private async look(isSuperseded: () => boolean) {
    const { memory, model, views, log } = this.context;
    try {
      const project = model.shownProject;
      const kept = project?.sessions.filter(({ registered }) => registered) ?? [];
      const isEmpty = project === undefined || kept.length === 0;
      const request = isEmpty ? undefined : await this.work.asked(project.projectId);
      const asked = JSON.stringify([request, kept.map(({ sessionId, messages }) => [sessionId, messages])]);
      if (isSuperseded() || asked === this.asked) return;
      const found = request === undefined ? [] : await memory.search.suggest(request);
      if (isSuperseded()) return;
      this.asked = asked;
      views.suggest(found);
    } catch (error) {
      log.debug(`Nothing is suggested: ${errorText(error)}`);
      if (!isSuperseded()) views.suggest([]);
    }
  }
}

/** What sessions did to the open file: in a hover the exchange that wrote a line, in the status bar how many there were. */
class FileHistoryFeature implements Feature, HoverProvider {
  readonly name = 'file history';
  private readonly item: StatusBarItem = window.createStatusBarItem('keepit.file', StatusBarAlignment.Right, PRIORITY);
  private readonly looking = new VisibleRefresh((isSuperseded) => this.look(isSuperseded), HISTORY_SETTLE_MS);

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

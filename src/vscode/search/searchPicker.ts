import {
  commands,
  Disposable,
  QuickPickItemKind,
  ThemeIcon,
  window,
  workspace,
  type QuickInputButton,
  type QuickPick,
  type QuickPickItem,
} from 'vscode';
import type { FoundGroup, FoundRow, SearchNote } from '../../core/search/view/searchList';
import type { SearchHit } from '../../core/search/answers';
import { completionsOf, type Completion } from '../../core/search/view/typedSearch';
import { isShown, sessionMatcher, sessionNode } from '../../core/sessions/view/sessionTree';
import type { DiscoveredSession, SessionRef } from '../../core/sessions/results';
import { oneLine } from '../../core/text/cleanText';
import { joinParts } from '../../core/text/formats';
import { errorText, isAbortError } from '../../core/text/keepitError';
import type { Uses } from '../context';
import { commandIds, contextKeys } from '../ids';
import { askMemory, type Asked, type Found } from './askMemory';
import { Preview, type HitOpener } from './hitOpener';

interface SearchItem extends QuickPickItem {
  readonly hit?: SearchHit;
  /** The session that the row speaks of. */
  readonly session?: SessionRef | undefined;
  readonly note?: SearchNote;
  readonly completion?: Completion;
  readonly again?: string;
}

/** What can be done with a hit besides opening it. */
export type SearchAction = 'compose' | 'mark' | 'resume' | 'keep';

const buttons = {
  compose: { iconPath: new ThemeIcon('add'), tooltip: 'Add Its Session to a Composition (Alt+C)' },
  resume: { iconPath: new ThemeIcon('debug-continue'), tooltip: 'Resume Its Session in Claude Code (Alt+R)' },
  mark: { iconPath: new ThemeIcon('pinned'), tooltip: 'Mark the Message as a Keepit (Alt+K)' },
  keep: {
    iconPath: new ThemeIcon('open-editors-view-icon'),
    tooltip: 'Keep the Results Open in an Editor (Alt+Enter)',
  },
  everywhere: { iconPath: new ThemeIcon('globe'), tooltip: 'Search All Projects' },
  here: { iconPath: new ThemeIcon('folder'), tooltip: 'Search This Project Only' },
} satisfies Record<string, QuickInputButton>;

/** Typing goes on meanwhile: a search for each letter would only be thrown away. */
const TYPING_MS = 40;
const MOST_TITLES = 5;
/** VS Code shows the heading of a group beside its first row, and takes the room from it. */
const MOST_OF_A_TITLE = 30;
const MOST_FILTERS = 4;
const MOST_FILES = 8;

const HELP = 'Words, "exact words", and filters such as file: or since:';

export interface SearchPickerOptions {
  readonly opener: HitOpener;
  /** Opens what is shown in an editor. */
  readonly keep: (asked: Asked) => Promise<void>;
  /** Lines that were searched for before, the newest first. */
  readonly recent: readonly string[];
}

/** The list of *Search…*: answers while one types, from the worker; the newest question wins. */
export class SearchPicker {
  private readonly picker: QuickPick<SearchItem> = window.createQuickPick();
  private readonly preview: Preview;
  private running: AbortController | undefined;
  private found: Found | undefined;
  private problem: string | undefined;
  private isEverywhere: boolean;

  constructor(
    private readonly context: Uses<'memory' | 'model' | 'settings' | 'formats' | 'registering'>,
    private readonly options: SearchPickerOptions,
    asked: Asked,
  ) {
    this.isEverywhere = asked.isEverywhere;
    this.preview = new Preview(context, options.opener);
    const { picker } = this;
    picker.title = 'Keepit: Search';
    picker.placeholder = HELP;
    picker.value = asked.line;
    picker.keepScrollPosition = true;
    // Answers stand in the order of memory, below the names of their sessions: not in that of their letters.
    Reflect.set(picker, 'sortByLabel', false);
  }

  /** Settles with the line that was searched for, once the list is closed. */
  async show(): Promise<string> {
    const { picker } = this;
    const ended = new Promise<void>((resolve) => {
      picker.onDidHide(() => resolve());
    });
    const subscriptions = Disposable.from(
      picker.onDidChangeValue(() => this.ask()),
      picker.onDidAccept(() => void this.accept()),
      picker.onDidChangeActive(([item]) => this.preview.look(item, this.found?.query ?? '')),
      picker.onDidTriggerButton((button) => this.onButton(button)),
      picker.onDidTriggerItemButton(({ item, button }) => {
        const action = (['compose', 'mark', 'resume'] as const).find((one) => buttons[one] === button);
        if (action !== undefined) this.act(action, item);
      }),
    );
    try {
      void commands.executeCommand('setContext', contextKeys.isSearching, true);
      this.showButtons();
      picker.show();
      this.ask();
      await ended;
    } finally {
      void commands.executeCommand('setContext', contextKeys.isSearching, false);
      this.running?.abort();
      await this.preview.end();
      subscriptions.dispose();
      picker.dispose();
    }
    return picker.value.trim();
  }

  /** Does something with the row that has the focus, or another one, and closes the list. */
  act(action: SearchAction, item: SearchItem | undefined = this.picker.activeItems[0]): void {
    const { picker, options } = this;
    if (action === 'keep') {
      this.leave();
      void options.keep({ line: picker.value.trim(), isEverywhere: this.isEverywhere });
      return;
    }
    const session = item?.session;
    const hit = item?.hit;
    if ((action === 'compose' || action === 'resume') && session !== undefined) {
      const command = action === 'compose' ? commandIds.addToComposition : commandIds.resumeSession;
      this.leave();
      void this.context.model.findAnywhere(session).then(() => commands.executeCommand(command, { session }));
    } else if (action === 'mark' && hit?.messageUuid !== undefined) {
      this.leave();
      void options.opener.open(hit, this.found?.query ?? '').then((isOpen) => {
        if (isOpen) void commands.executeCommand(commandIds.markMessage);
      });
    }
  }

  private leave() {
    this.preview.keep();
    this.picker.hide();
  }

  private async accept() {
    const { picker, options } = this;
    const item = picker.selectedItems[0] ?? picker.activeItems[0]; // a click does not move the focus first
    if (item?.completion !== undefined) this.go(item.completion.line);
    else if (item?.again !== undefined) this.go(item.again);
    else if (item?.note !== undefined) this.follow(item.note);
    else if (item?.hit !== undefined) {
      this.leave();
      await options.opener.open(item.hit, this.found?.query ?? '');
    } else if (item?.session !== undefined) {
      this.leave();
      await commands.executeCommand(commandIds.openTranscript, { session: item.session });
    }
  }

  private go(line: string) {
    this.picker.value = line;
    this.ask();
  }

  private follow({ action }: SearchNote) {
    if (action === 'again') this.ask();
    else if (action === 'allProjects') this.setEverywhere(true);
    else if (action !== undefined) {
      this.leave();
      void commands.executeCommand(action === 'addAll' ? commandIds.addAllToMemory : commandIds.doctor);
    }
  }

  private onButton(button: QuickInputButton) {
    if (button === buttons.keep) this.act('keep');
    else this.setEverywhere(button === buttons.everywhere);
  }

  private setEverywhere(isEverywhere: boolean) {
    this.isEverywhere = isEverywhere;
    this.showButtons();
    this.ask();
  }

  private showButtons() {
    const { picker, isEverywhere } = this;
    const own = this.context.model.shownProject;
    picker.buttons = [isEverywhere ? buttons.here : buttons.everywhere, buttons.keep];
    picker.title = `Keepit: Search ${isEverywhere || own === undefined ? 'All Projects' : own.displayName}`;
  }

  private ask() {
    this.running?.abort();
    const controller = new AbortController();
    this.running = controller;
    this.picker.busy = true;
    this.render(); // titles and filters are known at once
    setTimeout(() => void this.answer(controller), TYPING_MS);
  }

  private async answer(controller: AbortController) {
    const isOld = (): boolean => this.running !== controller || controller.signal.aborted;
    if (isOld()) return;
    const asked = { line: this.picker.value, isEverywhere: this.isEverywhere };
    if (asked.isEverywhere) await this.context.model.wantAll();
    try {
      const found = await askMemory(this.context, asked, controller.signal);
      if (isOld()) return;
      [this.found, this.problem] = [found, undefined];
    } catch (error) {
      if (isOld() || isAbortError(error)) return;
      [this.found, this.problem] = [undefined, errorText(error)];
    }
    this.picker.busy = false;
    this.render();
  }

  private render() {
    const line = this.picker.value;
    const groups = this.found?.groups ?? [];
    const completions = completionsOf(line, this.knownNames());
    const isFilterBegun = /(?:^|\s)[a-z]+:\S*$/i.test(line);
    const filters = completions
      .slice(0, line.trim() === '' || isFilterBegun ? undefined : MOST_FILTERS)
      .map(filterItem);
    const titles = this.titles(line, groups).map((session) => this.titleItem(session));
    const recent = line.trim() === '' ? this.options.recent.map(recentItem) : [];
    const notes = line.trim() === '' ? [] : (this.found?.notes ?? []).map(noteItem);
    this.put([
      // A filter that is still being typed is no mistake yet.
      ...this.problems(line, isFilterBegun && filters.length > 0),
      ...(isFilterBegun ? under('Filters', filters) : []),
      ...under('Searched before', recent),
      ...groups.flatMap(groupItems),
      ...under('Titles', titles),
      ...under('About this search', notes),
      ...(isFilterBegun ? [] : under('Filters', filters)),
    ]);
  }

  private problems(line: string, isTyping: boolean): SearchItem[] {
    const failed = {
      text: `Memory could not be searched: ${this.problem ?? ''}`,
      action: 'doctor',
      label: 'Run Doctor',
    } as const;
    const meant = line.trim() === '' || isTyping ? [] : (this.found?.problems ?? []);
    return [...(this.problem === undefined ? [] : [failed]), ...meant].map(noteItem);
  }

  private put(items: SearchItem[]) {
    this.preview.rest(items.find(({ kind }) => kind !== QuickPickItemKind.Separator));
    this.picker.items = items;
  }

  /** Sessions of which the title fits, besides those that were found. */
  private titles(line: string, groups: readonly FoundGroup[]): DiscoveredSession[] {
    const { model } = this.context;
    if (line.trim() === '') return [];
    const there = new Set(groups.map(({ session }) => session?.sessionId));
    const matches = sessionMatcher(line);
    const projects = this.isEverywhere ? model.projects : [model.shownProject].flatMap((one) => one ?? []);
    return projects
      .flatMap(({ sessions }) => sessions)
      .filter((session) => isShown(session) && !there.has(session.sessionId) && matches(session))
      .slice(0, MOST_TITLES);
  }

  private titleItem(session: DiscoveredSession): SearchItem {
    const { model, settings, formats } = this.context;
    const row = sessionNode(session, {
      formats,
      nowMs: Date.now(),
      warningDays: settings.retentionWarningDays,
      showsEstimates: model.ui.showTokenEstimates,
    });
    const { projectId, sessionId } = session;
    return withIcon('list-tree', {
      label: row.label,
      description: row.description,
      buttons: [buttons.compose, buttons.resume],
      session: { projectId, sessionId },
    });
  }

  private knownNames(): { projects: string[]; files: string[] } {
    const files = workspace.textDocuments
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri }) => workspace.asRelativePath(uri, false))
      .slice(0, MOST_FILES);
    return { projects: this.context.model.projects.map(({ displayName }) => displayName), files };
  }
}

function under(label: string, items: readonly SearchItem[]): SearchItem[] {
  return items.length === 0 ? [] : [{ label, kind: QuickPickItemKind.Separator }, ...items];
}

function groupItems({ label, description, session, rows }: FoundGroup): SearchItem[] {
  return under(
    joinParts([oneLine(label, MOST_OF_A_TITLE), description]),
    rows.map((row) => rowItem(row, session)),
  );
}

/** A row that stands whatever is typed: the answers are memory's. */
function withIcon(icon: string, item: SearchItem): SearchItem {
  return { ...item, iconPath: new ThemeIcon(icon), alwaysShow: true };
}

function rowItem({ hit, icon, passage, about }: FoundRow, session: SessionRef | undefined): SearchItem {
  const own = [
    ...(session === undefined ? [] : [buttons.compose, buttons.resume]),
    ...(hit.messageUuid === undefined ? [] : [buttons.mark]),
  ];
  return withIcon(icon, { label: passage, detail: about, buttons: own, hit, session });
}

function noteItem(note: SearchNote): SearchItem {
  const { text, action, label } = note;
  if (action === undefined || label === undefined) return withIcon('info', { label: text, note });
  return withIcon('arrow-right', { label, description: text, note });
}

function filterItem(completion: Completion): SearchItem {
  const { label, description } = completion;
  return withIcon('filter', { label, description, completion });
}

function recentItem(line: string): SearchItem {
  return withIcon('history', { label: line, again: line });
}

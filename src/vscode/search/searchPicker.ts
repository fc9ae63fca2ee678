import {
  commands,
  Disposable,
  QuickPickItemKind,
  Range,
  TextEditorRevealType,
  ThemeIcon,
  Uri,
  window,
  workspace,
  type QuickInputButton,
  type QuickPick,
  type QuickPickItem,
  type TextEditor,
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
import { askMemory, sessionMeant, type Asked, type Found } from './askMemory';
import type { HitOpener } from './hitOpener';

interface SearchItem extends QuickPickItem {
  readonly hit?: SearchHit;
  /** The session that the row speaks of. */
  readonly session?: SessionRef;
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
/** A row that the reader only passes by is not opened. */
const PREVIEW_MS = 120;
/** Larger transcripts take a while to open: they are not opened for a look. */
const MOST_PREVIEWED_BYTES = 8 * 1024 * 1024;
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
      picker.onDidChangeActive(([item]) => this.look(item)),
      picker.onDidTriggerButton((button) => this.onButton(button)),
      picker.onDidTriggerItemButton(({ item, button }) => {
        if (button === buttons.compose) this.act('compose', item);
        else if (button === buttons.mark) this.act('mark', item);
        else if (button === buttons.resume) this.act('resume', item);
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
      void sessionMeant(this.context, session).then(() => commands.executeCommand(command, { session }));
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
    const failed =
      this.problem === undefined
        ? []
        : [noteItem({ text: `Memory could not be searched: ${this.problem}`, action: 'doctor', label: 'Run Doctor' })];
    this.put([
      ...failed,
      ...(isFilterBegun ? under('Filters', filters) : []),
      ...under('Searched before', recent),
      ...groups.flatMap(groupItems),
      ...under('Titles', titles),
      ...under('About this search', notes),
      ...(isFilterBegun ? [] : under('Filters', filters)),
    ]);
  }

  private put(items: SearchItem[]) {
    this.preview.rest(items.find(({ kind }) => kind !== QuickPickItemKind.Separator));
    this.picker.items = items;
  }

  /** Sessions of which the title fits, besides those that were found. */
  private titles(line: string, groups: readonly FoundGroup[]): DiscoveredSession[] {
    const { model, settings } = this.context;
    if (line.trim() === '') return [];
    const there = new Set(groups.map(({ session }) => session?.sessionId));
    const matches = sessionMatcher({ text: line, state: 'all' }, settings.retentionWarningDays);
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
    return {
      label: row.label,
      description: row.description,
      iconPath: new ThemeIcon('list-tree'),
      alwaysShow: true,
      buttons: [buttons.compose, buttons.resume],
      session: { projectId, sessionId },
    };
  }

  private knownNames(): { projects: string[]; files: string[] } {
    const files = workspace.textDocuments
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri }) => workspace.asRelativePath(uri, false))
      .slice(0, MOST_FILES);
    return { projects: this.context.model.projects.map(({ displayName }) => displayName), files };
  }

  private look(item: SearchItem | undefined) {
    this.preview.look(item, this.found?.query ?? '');
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

function rowItem({ hit, icon, passage, about }: FoundRow, session: SessionRef | undefined): SearchItem {
  const own = [
    ...(session === undefined ? [] : [buttons.compose, buttons.resume]),
    ...(hit.messageUuid === undefined ? [] : [buttons.mark]),
  ];
  return {
    label: passage,
    detail: about,
    iconPath: new ThemeIcon(icon),
    alwaysShow: true,
    buttons: own,
    hit,
    ...(session !== undefined && { session }),
  };
}

function noteItem(note: SearchNote): SearchItem {
  const { text, action, label } = note;
  if (action === undefined || label === undefined)
    return { label: text, iconPath: new ThemeIcon('info'), alwaysShow: true, note };
  return { label, description: text, iconPath: new ThemeIcon('arrow-right'), alwaysShow: true, note };
}

function filterItem(completion: Completion): SearchItem {
  const { label, description } = completion;
  return { label, description, iconPath: new ThemeIcon('filter'), alwaysShow: true, completion };
}

function recentItem(line: string): SearchItem {
  return { label: line, iconPath: new ThemeIcon('history'), alwaysShow: true, again: line };
}

/** Shows what has the focus of the list behind it, and puts back what was there when the list is left without a choice. */
class Preview {
  private readonly before = placeOf(window.activeTextEditor);
  private readonly open = new Set(openUris());
  private first: SearchItem | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isKept = false;
  private hasShown = false;

  constructor(
    private readonly context: Uses<'model'>,
    private readonly opener: HitOpener,
  ) {}

  /** The list has new rows: the first one has the focus without anybody having gone there. */
  rest(first: SearchItem | undefined): void {
    this.first = first;
    clearTimeout(this.timer);
  }

  look(item: SearchItem | undefined, query: string): void {
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

import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { Formats } from '../../src/core/text/formats';
import {
  versionDiffAnswerSchemas,
  type ShownLoss,
  type VersionDiffData,
  type VersionDiffRequest,
  type VersionDiffSettings,
  type VersionDiffState,
} from '../../src/core/versions/view/versionDiffProtocol';
import {
  endName,
  sizesText,
  wordsText,
  lossFilters,
  shownOf,
  SPLIT_MIN_WIDTH,
  usualDiffSettings,
  withKind,
} from '../../src/core/versions/view/versionDiffView';
import { dropdown } from '../components/fields';
import { emptyPage, trouble } from '../components/trouble';
import { button, radioGroup } from '../components/toolkit';
import { RequestError } from '../lib/requestClient';
import type { PanelParts } from '../lib/startPanel';
import { VirtualRows } from '../lib/virtualRows';
import { HunkPages } from './hunkPages';
import { hunkView } from './hunkView';
import { lossList } from './lossList';
import { measures } from './measures';

const LOSSES_AT_ONCE = 200;
const LINE_PX = 20;
const FRAME_PX = 70;
const CHARS_PER_LINE = { split: 60, unified: 120 } as const;

const layouts = [
  { value: 'split', label: 'Side by Side' },
  { value: 'unified', label: 'Unified' },
] as const;

/** The comparison of two versions: holds what is shown, and draws it anew at most once per frame. */
export class VersionDiffApp {
  private data: VersionDiffData | undefined;
  private settings: VersionDiffSettings;
  private problem: string | undefined;
  private isLoading = false;
  private lastLoad = 0;
  private limit = LOSSES_AT_ONCE;
  private current = -1;
  /** The hunk that is to come to the top, as soon as it is drawn. */
  private target: number | undefined;
  private readonly expanded = new Set<number>();
  private readonly formats = new Formats({ locale: navigator.language });
  private readonly pages: HunkPages;
  private readonly rows = new VirtualRows((hunk) => this.estimate(hunk));

  constructor(private readonly parts: PanelParts<VersionDiffState>) {
    this.settings = parts.remembered?.settings ?? usualDiffSettings;
    this.pages = new HunkPages(
      parts.client,
      () => this.update(),
      (error) => this.fail(error),
    );
    this.update();
  }

  /** Compares anew what is compared. A view that was away does not know whether another comparison was asked for meanwhile. */
  load(): void {
    const scope = this.data?.scope;
    this.compare(scope?.a ?? '', scope?.b ?? '');
  }

  /** A newer question supersedes an older one. Without names: what the panel was opened for. */
  compare(a: string, b: string): void {
    const load = ++this.lastLoad;
    this.isLoading = true;
    this.update();
    this.parts.client.ask(request({ type: 'load', a, b }), versionDiffAnswerSchemas.load).then(
      (data) => {
        if (load === this.lastLoad) this.take(data);
      },
      (error: unknown) => {
        if (load !== this.lastLoad) return;
        this.isLoading = false;
        this.fail(error);
      },
    );
  }

  /** Lines break elsewhere: rows are as high as they are now. */
  resize(): void {
    this.rows.forgetHeights();
    this.update();
  }

  private take(data: VersionDiffData): void {
    const before = this.data?.scope;
    this.data = data;
    this.isLoading = false;
    this.problem = undefined;
    this.pages.begin(data.stamp);
    this.rows.forgetHeights();
    this.expanded.clear();
    if (before?.a !== data.scope.a || before.b !== data.scope.b) {
      this.limit = LOSSES_AT_ONCE;
      this.current = -1;
    }
    this.set(this.settings);
  }

  private set(settings: VersionDiffSettings): void {
    if (settings.layout !== this.settings.layout) this.rows.forgetHeights();
    this.settings = settings;
    if (this.data !== undefined) this.parts.remember({ scope: this.data.scope, settings });
    this.update();
  }

  private open(messageUuid: string): void {
    this.parts.client.ask(request({ type: 'open', messageUuid }), versionDiffAnswerSchemas.open).then(
      () => this.tell(undefined),
      (error: unknown) => this.fail(error),
    );
  }

  private fail(error: unknown): void {
    if (!(error instanceof RequestError)) throw error;
    if (error.reason !== 'closed') this.tell(error.message);
  }

  private tell(problem: string | undefined): void {
    this.problem = problem;
    this.update();
  }

  /** Leads to the hunk in which something was lost. */
  private show({ hunk }: ShownLoss): void {
    if (hunk < 0) return;
    this.current = hunk;
    this.target = hunk;
    this.update();
  }

  private expand(hunk: number): void {
    this.expanded.add(hunk);
    this.update();
  }

  private get layout(): VersionDiffSettings['layout'] {
    return window.innerWidth < SPLIT_MIN_WIDTH ? 'unified' : this.settings.layout;
  }

  private estimate(hunk: number): number {
    const outline = this.data?.hunks[hunk];
    if (outline === undefined) return FRAME_PX;
    const { charactersOfA, charactersOfB } = outline;
    const isSplit = this.layout === 'split';
    const characters = isSplit ? Math.max(charactersOfA, charactersOfB) : charactersOfA + charactersOfB;
    return FRAME_PX + LINE_PX * Math.ceil(Math.min(characters, 4000) / CHARS_PER_LINE[this.layout]);
  }

  private update(): void {
    this.parts.draw(
      () => this.view(),
      () => this.settle(),
    );
  }

  /** After drawing: makes room for what was not drawn, measures what was, and goes where somebody was led to. */
  private settle(): void {
    const list = this.parts.root.querySelector<HTMLElement>('.hunks');
    if (list === null) return;
    for (const spacer of list.querySelectorAll<HTMLElement>('.spacer')) {
      spacer.style.height = `${spacer.dataset['height'] ?? '0'}px`;
    }
    let isOtherHeight = false;
    for (const row of list.querySelectorAll<HTMLElement>('[data-row]')) {
      if (this.rows.measure(Number(row.dataset['row']), row.offsetHeight)) isOtherHeight = true;
    }
    if (this.target !== undefined) this.goTo(this.target, list);
    if (isOtherHeight || this.target !== undefined) this.update();
  }

  private goTo(hunk: number, list: HTMLElement): void {
    const row = list.querySelector<HTMLElement>(`[data-row="${hunk}"]`);
    const isThere = row !== null && this.pages.get(hunk) !== undefined;
    const top = this.rows.topOf(hunk);
    if (row !== null) row.scrollIntoView({ block: 'start' });
    else if (top !== undefined) list.scrollTop = top;
    if (!isThere && top !== undefined) return;
    this.target = undefined;
    row?.focus({ preventScroll: true });
  }

  private view(): TemplateResult {
    const { data } = this;
    const { problem } = this;
    const onAgain = (): void => this.load();
    if (data === undefined) return emptyPage('Comparing', { problem, onAgain });
    return html`<main aria-busy=${this.isLoading ? 'true' : 'false'}>
      <header class="top">
        <h1>${endName(data.a)} → ${endName(data.b)}</h1>
        <p class="subject">${data.title} <span>· ${data.project}</span></p>
        ${trouble(problem, onAgain)} ${this.choices(data)}
        <p class="summary" role="status">
          ${this.isLoading ? 'Comparing…' : `${sizesText(data, this.formats)}; ${wordsText(data, this.formats)}`}
        </p>
        ${measures(data)}
      </header>
      ${this.body(data)}
    </main>`;
  }

  private choices({ choices, scope }: VersionDiffData): TemplateResult {
    const options = choices.map(({ versionId, label }) => ({ value: versionId, label }));
    return html`<form class="choices" @submit=${(event: Event) => event.preventDefault()}>
      ${dropdown({ id: 'a', label: 'From', options, value: scope.a, onChange: (a) => this.compare(a, scope.b) })}
      ${dropdown({ id: 'b', label: 'To', options, value: scope.b, onChange: (b) => this.compare(scope.a, b) })}
      ${button('Swap', () => this.compare(scope.b, scope.a))}
      ${radioGroup({
        label: 'Layout',
        options: layouts,
        value: this.settings.layout,
        onChange: (layout) => this.set({ ...this.settings, layout }),
      })}
    </form>`;
  }

  private body(data: VersionDiffData): TemplateResult {
    const { settings, formats } = this;
    const { losses, hunks } = shownOf(data, settings);
    const names = { a: endName(data.a), b: endName(data.b) };
    const onOpen = (messageUuid: string): void => this.open(messageUuid);
    this.rows.show(hunks);
    return html`<div class="body">
      ${lossList({
        lost: data.lost,
        shown: losses,
        filters: lossFilters(data.lost, settings),
        names,
        limit: this.limit,
        isLossOnly: settings.isLossOnly,
        formats,
        onFilter: (kind, isShown) => this.set(withKind(settings, kind, isShown)),
        onLossOnly: (isLossOnly) => this.set({ ...settings, isLossOnly }),
        onShow: (loss) => this.show(loss),
        onOpen,
        onMore: () => {
          this.limit += LOSSES_AT_ONCE;
          this.update();
        },
      })}
      ${this.hunks(data, hunks, names, onOpen)}
    </div>`;
  }

  private hunks(
    data: VersionDiffData,
    shown: readonly number[],
    names: { a: string; b: string },
    onOpen: (messageUuid: string) => void,
  ): TemplateResult {
    const list = this.parts.root.querySelector<HTMLElement>('.hunks');
    const { start, end, heightBefore, heightAfter } = this.rows.window(
      list?.scrollTop ?? 0,
      list?.clientHeight ?? window.innerHeight,
    );
    return html`<section
      class="hunks ${this.layout}"
      tabindex="0"
      aria-label="Changes, message by message"
      @scroll=${() => this.update()}
    >
      <div class="spacer" data-height=${heightBefore}></div>
      ${repeat(
        shown.slice(start, end),
        (index) => index,
        (index) => this.hunk(data, index, names, onOpen),
      )}
      <div class="spacer" data-height=${heightAfter}></div>
      ${shown.length === 0 ? html`<p class="faint">No message has lost anything of these kinds.</p>` : nothing}
    </section>`;
  }

  private hunk(
    data: VersionDiffData,
    index: number,
    names: { a: string; b: string },
    onOpen: (messageUuid: string) => void,
  ): TemplateResult | typeof nothing {
    const outline = data.hunks[index];
    if (outline === undefined) return nothing;
    return hunkView({
      index,
      outline,
      hunk: this.pages.get(index),
      layout: this.layout,
      names,
      isCurrent: index === this.current,
      isExpanded: this.expanded.has(index),
      formats: this.formats,
      onOpen,
      onExpand: (hunk) => this.expand(hunk),
    });
  }
}

function request(body: VersionDiffRequest): VersionDiffRequest {
  return body;
}

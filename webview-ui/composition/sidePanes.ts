import { html, nothing, type TemplateResult } from 'lit';
import type {
  BuilderKeepit,
  BuilderPreview,
  CompositionForm,
  CompositionState,
  StrategyOutcome,
} from '../../src/core/presentation/compositionProtocol';
import { keepsText, strategyTexts } from '../../src/core/presentation/compositionTexts';
import { joinParts, shortId, type Formats } from '../../src/core/text/formats';
import { weightName } from '../../src/core/keepits/weights';
import { presetTitle } from '../../src/core/presentation/keepitOutlook';
import { check } from '../components/plainFields';
import { progressRing } from '../components/toolkit';

export type Pane = NonNullable<CompositionState['pane']>;

/** The text as it would be, or why there is none. */
export type ShownText =
  | { readonly kind: 'none' | 'reading' }
  | {
      readonly kind: 'text';
      readonly chunks: readonly string[];
      readonly tokens: number;
    }
  | { readonly kind: 'refused'; readonly message: string };

export interface SidePanesProps {
  readonly pane: Pane;
  readonly form: CompositionForm;
  readonly preview: BuilderPreview | undefined;
  readonly outcomes: readonly StrategyOutcome[] | undefined;
  readonly text: ShownText;
  /** The text shown is of an earlier form; a newer one is being read. */
  readonly isTextStale: boolean;
  readonly formats: Formats;
  readonly onPane: (pane: Pane) => void;
  readonly onStrategy: (strategy: CompositionForm['strategy']) => void;
  readonly onMakesMissing: (makesMissing: boolean) => void;
  readonly onOpenKeepit: (keepit: BuilderKeepit) => void;
}

const titles: Record<Pane, string> = { contents: 'In and Out', strategies: 'Strategy', text: 'Preview' };
const panes: readonly Pane[] = ['contents', 'strategies', 'text'];

/** What the composition will be like, from three sides. */
export function sidePanes(props: SidePanesProps): TemplateResult {
  const { pane, onPane } = props;
  return html`<section class="card side" aria-label="What comes of it">
    <div role="tablist" aria-label="What comes of it" @keydown=${(event: KeyboardEvent) => switchByKey(event, props)}>
      ${panes.map(
        (one) =>
          html`<button
            type="button"
            role="tab"
            id=${`tab-${one}`}
            aria-controls="pane"
            aria-selected=${one === pane ? 'true' : 'false'}
            tabindex=${one === pane ? '0' : '-1'}
            @click=${() => onPane(one)}
          >
            ${titles[one]}
          </button>`,
      )}
    </div>
    <div id="pane" role="tabpanel" tabindex="0" aria-labelledby=${`tab-${pane}`}>${paneView(props)}</div>
  </section>`;
}

function switchByKey(event: KeyboardEvent, { pane, onPane }: SidePanesProps): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  const next = panes[(panes.indexOf(pane) + step + panes.length) % panes.length];
  if (step === 0 || next === undefined) return;
  event.preventDefault();
  onPane(next);
  const tab = document.getElementById(`tab-${next}`);
  tab?.focus();
}

function paneView(props: SidePanesProps): TemplateResult {
  switch (props.pane) {
    case 'contents':
      return contents(props);
    case 'strategies':
      return strategies(props);
    case 'text':
      return textView(props);
  }
}

function contents({ preview, formats, onOpenKeepit }: SidePanesProps): TemplateResult {
  if (preview === undefined) return html`<p class="faint">What will be in, and what will not, is shown here.</p>`;
  const { keepits, components, omitted, fidelity, toMake } = preview;
  const titleOf = (ref: { projectId: string; sessionId: string }): string =>
    components.find(({ projectId, sessionId }) => projectId === ref.projectId && sessionId === ref.sessionId)?.title ??
    shortId(ref.sessionId);
  return html`<p class="sum">
      ${joinParts([
        keepsText(fidelity, components.length),
        toMake === 0 ? '' : `${formats.plural(toMake, 'version')} will be made`,
      ])}
    </p>
    ${keepitList({ title: 'Keepits in', kind: 'in', count: keepits.includedCount, keepits: keepits.included, titleOf, onOpenKeepit })}
    ${keepitList({ title: 'Keepits out', kind: 'out', count: keepits.leftCount, keepits: keepits.left, titleOf, onOpenKeepit })}
    <h3>Not in it: ${omitted.length}</h3>
    ${
      omitted.length === 0
        ? html`<p class="faint">All sessions are in with all that was chosen of them.</p>`
        : html`<ul class="omitted">
            ${omitted.map((one) => html`<li><strong>${titleOf(one)}</strong> <span>${one.reason}</span></li>`)}
          </ul>`
    }`;
}

interface KeepitListProps {
  readonly title: string;
  readonly kind: 'in' | 'out';
  readonly count: number;
  readonly keepits: readonly BuilderKeepit[];
  readonly titleOf: (keepit: BuilderKeepit) => string;
  readonly onOpenKeepit: (keepit: BuilderKeepit) => void;
}

function keepitList({ title, kind, count, keepits, titleOf, onOpenKeepit }: KeepitListProps): TemplateResult {
  if (count === 0) return html`<h3>${title}: 0</h3>`;
  const more = count - keepits.length;
  return html`<details class=${`keepits ${kind}`} ?open=${count <= 12 || kind === 'out'}>
    <summary><h3>${title}: ${count}</h3></summary>
    <ul>
      ${keepits.map(
        (keepit) =>
          html`<li>
            <span class="weight" title=${presetTitle(weightName(keepit.weight))}>${keepit.weight.toFixed(2)}</span>
            <span>
              <button type="button" class="link" title="Go to its message" @click=${() => onOpenKeepit(keepit)}>
                ${keepit.words}
              </button>
              <span class="faint">${titleOf(keepit)}</span>
            </span>
          </li>`,
      )}
      ${more > 0 ? html`<li class="faint">… and ${more} more</li>` : nothing}
    </ul>
  </details>`;
}

function strategies({ form, outcomes, formats, onStrategy, onMakesMissing }: SidePanesProps): TemplateResult {
  return html`<fieldset class="strategies">
      <legend>How the budget is shared</legend>
      ${strategyTexts.map(({ strategy, title, effect }) => {
        const outcome = outcomes?.find((one) => one.strategy === strategy);
        return html`<label class=${strategy === form.strategy ? 'strategy chosen' : 'strategy'}>
          <input
            type="radio"
            name="strategy"
            value=${strategy}
            .checked=${strategy === form.strategy}
            @change=${() => onStrategy(strategy)}
          />
          <span>
            <strong>${title}</strong>
            <span class="outcome">${outcome === undefined ? '' : outcomeText(outcome, form, formats)}</span>
            <span class="faint">${effect}</span>
          </span>
        </label>`;
      })}
    </fieldset>
    ${check({
      label: 'Make versions that are missing',
      isChecked: form.makesMissing,
      title: 'With the built-in compressor: offline, without cost',
      onChange: onMakesMissing,
    })}`;
}

function outcomeText(
  { tokens, fidelity, leftOut, changed, strategy }: StrategyOutcome,
  form: CompositionForm,
  formats: Formats,
): string {
  const isCurrent = strategy === form.strategy;
  return joinParts([
    keepsText(fidelity, form.components.length),
    `${formats.exact(tokens)} tokens`,
    leftOut === 0 ? '' : `${leftOut} left out`,
    isCurrent ? '' : changed === 0 ? 'the same versions' : `${formats.plural(changed, 'session')} otherwise`,
  ]);
}

function textView({ text, isTextStale, formats }: SidePanesProps): TemplateResult {
  switch (text.kind) {
    case 'none':
      return html`<p class="faint">The text that the next session would begin with is shown here.</p>`;
    case 'reading':
      return html`<p class="waiting" role="status">${progressRing()} Composing…</p>`;
    case 'refused':
      return html`<p class="problem" role="alert">${text.message}</p>`;
    case 'text':
      return html`<p class="sum" role="status">
          ${`${formats.plural(text.tokens, 'token')}, measured`}${isTextStale ? html`<span class="faint">; reading again…</span>` : nothing}
        </p>
        <div class="text">${text.chunks.map((chunk) => html`<pre>${chunk}</pre>`)}</div>`;
  }
}

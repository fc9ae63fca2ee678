import { html, nothing, type TemplateResult } from 'lit';
import type { CompositionPreview, PreviewKeepit, PreviewLoss } from '../../src/core/compositions/compositionPreview';
import type { CompositionForm, StrategyOutcome } from '../../src/core/compositions/view/compositionProtocol';
import { isLeftOut, keepsText, strategyTexts } from '../../src/core/compositions/view/compositionTexts';
import { lostKinds } from '../../src/core/versions/view/versionDiffView';
import { joinParts, shortId, type Formats } from '../../src/core/text/formats';
import { weightName } from '../../src/core/keepits/weights';
import { presetTitle } from '../../src/core/sessions/view/keepitOutlook';
import { check } from '../components/plainFields';
import type { Pane, ShownText } from './formFigures';

export interface SidePanesProps {
  readonly pane: Pane;
  readonly form: CompositionForm;
  readonly preview: CompositionPreview | undefined;
  /** Shown as it was saved. */
  readonly isSaved: boolean;
  readonly outcomes: readonly StrategyOutcome[] | undefined;
  readonly text: ShownText;
  readonly formats: Formats;
  readonly onPane: (pane: Pane) => void;
  readonly onStrategy: (strategy: CompositionForm['strategy']) => void;
  readonly onMakesMissing: (makesMissing: boolean) => void;
  readonly onOpenKeepit: (keepit: PreviewKeepit) => void;
  readonly onOpenLoss: (loss: PreviewLoss) => void;
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

function contents({ preview, isSaved, formats, onOpenKeepit, onOpenLoss }: SidePanesProps): TemplateResult {
  if (preview === undefined) return html`<p class="faint">What will be in, and what will not, is shown here.</p>`;
  const { keepits, components, omitted, keeps, toMake, lost } = preview;
  const titleOf = (ref: { projectId: string; sessionId: string }): string =>
    components.find(({ projectId, sessionId }) => projectId === ref.projectId && sessionId === ref.sessionId)?.title ??
    shortId(ref.sessionId);
  return html`<p class="sum">
      ${joinParts([keepsText(keeps), toMake === 0 || isSaved ? '' : `${formats.plural(toMake, 'version')} will be made`])}
    </p>
    ${keepitList({ title: 'Keepits in', kind: 'in', count: keepits.includedCount, keepits: keepits.included, titleOf, onOpenKeepit })}
    ${keepitList({ title: 'Keepits out', kind: 'out', count: keepits.leftCount, keepits: keepits.left, titleOf, onOpenKeepit })}
    ${lossView(lost, { titleOf, onOpenLoss })}
    <h3>Not in it: ${omitted.length}</h3>
    ${
      omitted.length === 0
        ? html`<p class="faint">All sessions are in with all that was chosen of them.</p>`
        : html`<ul class="omitted">
            ${omitted.map((one) => html`<li><strong>${titleOf(one)}</strong> <span>${one.reason}</span></li>`)}
          </ul>`
    }`;
}

const singulars = new Map<string, string>(lostKinds.map(({ kind, singular }) => [kind, singular]));

/** What mattered, and is nowhere in the text; the rest of what it keeps less of is other words. */
function lossView(
  { facts, count }: CompositionPreview['lost'],
  {
    titleOf,
    onOpenLoss,
  }: { readonly titleOf: (loss: PreviewLoss) => string; readonly onOpenLoss: (loss: PreviewLoss) => void },
): TemplateResult {
  if (count === 0) return html`<h3>Lost: 0</h3>`;
  return html`<details class="keepits out">
    <summary><h3>Lost: ${count}</h3></summary>
    <ul>
      ${facts.map(
        (loss) =>
          html`<li>
            <span class="kind">${singulars.get(loss.kind) ?? loss.kind}</span>
            <span>
              <button type="button" class="link" title="Go to its message" @click=${() => onOpenLoss(loss)}>
                ${loss.text}
              </button>
              <span class="faint">${titleOf(loss)}</span>
            </span>
          </li>`,
      )}
      ${count > facts.length ? html`<li class="faint">… and ${count - facts.length} more</li>` : nothing}
    </ul>
  </details>`;
}

interface KeepitListProps {
  readonly title: string;
  readonly kind: 'in' | 'out';
  readonly count: number;
  readonly keepits: readonly PreviewKeepit[];
  readonly titleOf: (keepit: PreviewKeepit) => string;
  readonly onOpenKeepit: (keepit: PreviewKeepit) => void;
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

function strategies({ form, preview, outcomes, formats, onStrategy, onMakesMissing }: SidePanesProps): TemplateResult {
  return html`<fieldset class="strategies">
      <legend>How the budget is shared</legend>
      ${strategyTexts.map(({ strategy, title, effect }) => {
        const isCurrent = strategy === form.strategy;
        const outcome = isCurrent
          ? preview && outcomeOf(preview, strategy)
          : outcomes?.find((one) => one.strategy === strategy);
        return html`<label class=${isCurrent ? 'strategy chosen' : 'strategy'}>
          <input
            type="radio"
            name="strategy"
            value=${strategy}
            .checked=${isCurrent}
            @change=${() => onStrategy(strategy)}
          />
          <span>
            <strong>${title}</strong>
            <span class="outcome">${outcome === undefined ? '' : outcomeText(outcome, formats)}</span>
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

/** What is shown of the composition, and nothing that was found out apart from it. */
function outcomeOf(preview: CompositionPreview, strategy: StrategyOutcome['strategy']): StrategyOutcome {
  const leftOut = preview.components.filter(({ pick }) => isLeftOut(pick.kind)).length;
  return { strategy, tokens: preview.totalTokens, keeps: preview.keeps, leftOut };
}

function outcomeText({ tokens, keeps, leftOut }: StrategyOutcome, formats: Formats): string {
  return joinParts([keepsText(keeps), `${formats.exact(tokens)} tokens`, leftOut === 0 ? '' : `${leftOut} left out`]);
}

function textView({ text }: SidePanesProps): TemplateResult {
  switch (text.kind) {
    case 'none':
      return html`<p class="faint">The text that the next session would begin with is shown here.</p>`;
    case 'refused':
      return html`<p class="problem" role="alert">${text.message}</p>`;
    case 'text':
      return html`<div class="text">${text.chunks.map((chunk) => html`<pre>${chunk}</pre>`)}</div>`;
  }
}

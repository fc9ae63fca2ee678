import { html, nothing, type TemplateResult } from 'lit';
import type { Formats } from '../../src/core/text/formats';
import type { HunkOutline, ShownHunk } from '../../src/core/versions/view/versionDiffProtocol';
import {
  cutText,
  hunkTitle,
  sideBlocks,
  unifiedBlocks,
  type ShownBlock,
  type ShownPart,
} from '../../src/core/versions/view/versionDiffView';

export interface HunkViewProps {
  /** The number of the hunk. */
  readonly index: number;
  readonly outline: HunkOutline;
  /** Absent while its words are on their way. */
  readonly hunk: ShownHunk | undefined;
  readonly layout: 'split' | 'unified';
  readonly names: { readonly a: string; readonly b: string };
  /** The one that somebody was led to. */
  readonly isCurrent: boolean;
  /** Long passages are shown whole. */
  readonly isExpanded: boolean;
  readonly formats: Formats;
  readonly onOpen: (messageUuid: string) => void;
  readonly onExpand: (index: number) => void;
}

/** Longer passages that only one side has are shortened until somebody wants them. */
const MAX_CHARS = 1600;
const SHOWN_CHARS = 500;

/** Some messages and what became of them. */
export function hunkView(props: HunkViewProps): TemplateResult {
  const { index, outline, hunk, isCurrent, formats, onOpen } = props;
  const title = hunkTitle(outline, formats);
  return html`<article class="hunk ${isCurrent ? 'current' : ''}" data-row=${index} aria-label=${title} tabindex="-1">
    <header>
      <h3>${title}</h3>
      ${
        hunk === undefined
          ? nothing
          : html`<button type="button" class="link" @click=${() => onOpen(hunk.messageUuid)}>Go to message</button>
              <span class="faint">${cutText(hunk, formats)}</span>`
      }
    </header>
    ${hunk === undefined ? html`<p class="faint">…</p>` : words(hunk, props)}
  </article>`;
}

function words(hunk: ShownHunk, props: HunkViewProps): TemplateResult {
  const { layout, names } = props;
  if (layout === 'unified') return html`<div class="side">${blocks(unifiedBlocks(hunk), props)}</div>`;
  const side = (which: 'a' | 'b'): TemplateResult =>
    html`<div class="side" role="group" aria-label=${names[which]}>
      ${
        hunk[which].length === 0
          ? html`<p class="faint absent">Nothing in ${names[which]}</p>`
          : blocks(sideBlocks(hunk, which), props)
      }
    </div>`;
  return html`<div class="sides">${side('a')}${side('b')}</div>`;
}

function blocks(all: readonly ShownBlock[], props: HunkViewProps): TemplateResult[] {
  return all.map(
    ({ kind, role, parts }) =>
      html`<div class="block of-${kind}">
        <span class="who ${role}">${kind === 'keepit' ? 'Keepit' : role === 'user' ? 'You' : 'Claude'}</span>
        <div class="words">${parts.map((part) => partView(part, props))}</div>
      </div>`,
  );
}

/** `del` and `ins` are read aloud as what they are, where colours are not seen. */
function partView({ change, text }: ShownPart, props: HunkViewProps): TemplateResult {
  if (change === 'kept') return html`${text}`;
  const shown = text.length > MAX_CHARS && !props.isExpanded ? shortened(text, props) : text;
  return change === 'removed' ? html`<del>${shown}</del>` : html`<ins>${shown}</ins>`;
}

function shortened(text: string, { index, formats, onExpand }: HunkViewProps): TemplateResult {
  const left = formats.plural(text.length - 2 * SHOWN_CHARS, 'character');
  const more = html`<button type="button" class="link" @click=${() => onExpand(index)}>… ${left} more …</button>`;
  return html`${text.slice(0, SHOWN_CHARS)} ${more} ${text.slice(-SHOWN_CHARS)}`;
}

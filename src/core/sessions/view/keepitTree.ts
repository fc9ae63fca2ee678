import { leftOutNote } from '../../text/secrets/cleanText';
import { joinParts, titleOf, type Formats } from '../../text/formats';
import type { KeepitState, EffectiveKeepit } from '../../keepits/effectiveKeepits';
import { type WeightPreset, weightName, weightPresets } from '../../keepits/weights';
import { escapeMarkdown, oneLine } from '../../text/cleanText';
import type { DiscoveredSession } from '../results';
import type { DecayOutcome } from '../../keepits/decay';
import { treeRow, type NodeIcon, type TreeNode } from './treeNode';
import { lastTimeOf } from './sessionTree';
import { outcomeIcons, outcomeWords, presetTitle, weightLabel, type Outlook } from './keepitOutlook';

interface KeepitTreeOptions {
  readonly formats: Formats;
  /** All rows are of one session, whose title need not be repeated. */
  readonly isOneSession: boolean;
}

const LABEL_LENGTH = 120;

const TOOLTIP_LENGTH = 600;

/** Nobody scrolls further, and a tree that holds more gets slow. */
const MAX_ROWS_OF_GROUP = 1000;

/** Why a keepit does not count, in a word and in a sentence. */
export const stateWords: Record<Exclude<KeepitState, 'live'>, { word: string; sentence: string }> = {
  removed: { word: 'removed', sentence: 'You removed it. It can be restored.' },
  abandoned: {
    word: 'left behind',
    sentence: 'A rewind has left its message behind. It counts again if the conversation goes back there.',
  },
  orphaned: {
    word: 'words are gone',
    sentence: 'Its words are not in the transcript any more. It is kept all the same.',
  },
};

const presetIcons: Record<WeightPreset['name'], string> = {
  pinned: 'pinned',
  critical: 'flame',
  important: 'star-full',
  notable: 'star-half',
  minor: 'star-empty',
  hint: 'lightbulb',
};

const stateIcons: Record<Exclude<KeepitState, 'live'>, string> = {
  removed: 'trash',
  abandoned: 'discard',
  orphaned: 'question',
};

/** Keepits by preset, heaviest first; what does not count comes last, folded. */
export function keepitTree(rows: readonly KeepitRow[], options: KeepitTreeOptions): TreeNode[] {
  const sorted = [...rows].sort(byWeight);
  const live = sorted.filter(({ keepit }) => keepit.state === 'live');
  const groups = weightPresets.flatMap(({ name, weight }) => {
    const own = live.filter(({ keepit }) => weightName(keepit.effectiveWeight) === name);
    return own.length === 0 ? [] : [presetNode(name, weight, own, options)];
  });
  const others = sorted.filter(({ keepit }) => keepit.state !== 'live');
  return others.length === 0 ? groups : [...groups, inactiveNode(others, options)];
}

/** Heavier ones first, then those of newer sessions, then as they were said. */
function byWeight(a: KeepitRow, b: KeepitRow): number {
  return b.keepit.effectiveWeight - a.keepit.effectiveWeight || lastTimeOf(b.session) - lastTimeOf(a.session);
}

function presetNode(
  name: WeightPreset['name'],
  weight: number,
  rows: readonly KeepitRow[],
  options: KeepitTreeOptions,
): TreeNode {
  const fading = rows.filter(({ outlook }) => outlook.outcome === 'fades').length;
  const from = name === 'pinned' ? weight.toFixed(2) : name === 'hint' ? 'below 0.25' : `from ${weight.toFixed(2)}`;
  const count = options.formats.plural(rows.length, 'keepit');
  const fades = fading === 0 ? '' : fading === rows.length ? 'fading' : `${options.formats.exact(fading)} fading`;
  return {
    ...groupNode(name, rows, options),
    label: presetTitle(name),
    description: joinParts([from, options.formats.exact(rows.length), fades]),
    tooltip: joinParts([`Weight ${from}`, count, fades]),
    icon: { id: presetIcons[name], color: `keepit.${name}Foreground` },
    spoken: joinParts([presetTitle(name), `weight ${from}`, count, fades], ', '),
  };
}

function inactiveNode(rows: readonly KeepitRow[], options: KeepitTreeOptions): TreeNode {
  const count = options.formats.plural(rows.length, 'keepit');
  return {
    ...groupNode('inactive', rows, options),
    label: 'Not Counting',
    description: options.formats.exact(rows.length),
    tooltip: `${count} removed, left behind by a rewind, or without their words`,
    icon: { id: 'circle-slash' },
    spoken: `Not counting, ${count}`,
    fold: 'collapsed',
  };
}

function groupNode(
  name: string,
  rows: readonly KeepitRow[],
  options: KeepitTreeOptions,
): Pick<TreeNode, 'id' | 'kind' | 'contextValue' | 'fold' | 'children'> {
  const more = rows.length - MAX_ROWS_OF_GROUP;
  const shown = rows.slice(0, MAX_ROWS_OF_GROUP).map((row) => keepitNode(row, options));
  const id = `weight:${name}`;
  const children = more > 0 ? [...shown, moreNode(id, more, options.formats)] : shown;
  return { id, kind: 'weight', contextValue: 'weight', fold: 'expanded', children };
}

function moreNode(groupId: string, count: number, formats: Formats): TreeNode {
  return treeRow({
    id: `${groupId}:more`,
    kind: 'weight',
    label: `… and ${formats.exact(count)} more`,
    description: 'search finds them',
    tooltip: 'The list is cut here. Search finds the others.',
    contextValue: 'more',
  });
}

function keepitNode(row: KeepitRow, options: KeepitTreeOptions): TreeNode {
  const { keepit, session, outlook } = row;
  const { projectId, sessionId, markerId } = keepit;
  const label = oneLine(keepit.content, LABEL_LENGTH);
  const fate = keepit.state === 'live' ? outcomeWords[outlook.outcome] : stateWords[keepit.state].word;
  const notes = [
    keepit.overridden ? `was ${keepit.weight.toFixed(2)}` : '',
    keepit.origin === 'overlay' ? 'added' : '',
    options.isOneSession ? '' : titleOf(session),
  ];
  return {
    id: `keepit:${projectId}:${sessionId}:${markerId}`,
    kind: 'keepit',
    label,
    description: joinParts([keepit.effectiveWeight.toFixed(2), fate, ...notes]),
    tooltip: tooltipOf(row),
    icon: iconOf(row),
    contextValue: flagsOf(row),
    spoken: joinParts([label, weightLabel(keepit.effectiveWeight), fate, ...notes], ', '),
    fold: 'none',
    children: [],
    projectId,
    session: { projectId, sessionId },
    keepit: { projectId, sessionId, markerId },
  };
}

function iconOf({ keepit, outlook }: KeepitRow): NodeIcon {
  if (keepit.state !== 'live') return { id: stateIcons[keepit.state], color: 'disabledForeground' };
  const colors = { survives: 'charts.green', barely: 'list.warningForeground', fades: 'disabledForeground' };
  return { id: outcomeIcons[outlook.outcome], color: colors[outlook.outcome] };
}

function flagsOf({ keepit, session }: KeepitRow): string {
  return joinParts(
    [
      'keepit',
      keepit.state,
      keepit.effectiveWeight >= 1 && 'pinned',
      keepit.effectiveWeight < 1 && 'unpinned',
      keepit.overridden && 'overridden',
      keepit.origin === 'overlay' && 'added',
      session.registered && 'inMemory',
    ],
    ' ',
  );
}

function tooltipOf({ keepit, session, outlook }: KeepitRow): string {
  const { state } = keepit;
  const fate =
    state === 'live'
      ? `$(${outcomeIcons[outlook.outcome]}) ${outcomeWords[outlook.outcome]} · ${outlook.reach}`
      : `$(${stateIcons[state]}) ${stateWords[state].sentence}`;
  const rows = [
    escapeMarkdown(oneLine(keepit.content, TOOLTIP_LENGTH)),
    `**${weightLabel(keepit.effectiveWeight)}**${keepit.overridden ? ` · the marker itself says ${keepit.weight.toFixed(2)}` : ''}`,
    fate,
    state === 'live' ? escapeMarkdown(outlook.now) : '',
    keepit.origin === 'overlay' ? '$(add) Marked by you beside the transcript, which stays as it is' : '',
    `$(comment-discussion) ${escapeMarkdown(titleOf(session))}`,
    session.registered ? '' : '$(circle-outline) This session is not in memory: add it to change its keepits',
  ];
  return joinParts(rows, '\n\n');
}

/** A keepit with all that a row says of it. */
export interface KeepitRow {
  readonly keepit: EffectiveKeepit;
  readonly session: DiscoveredSession;
  readonly outlook: Outlook;
}

/** How keepits are spoken of: lists, lenses, hovers and dialogs use the same words. */

const STATES: Record<KeepitState, string> = {
  live: '',
  removed: 'removed',
  abandoned: 'left behind by a rewind',
  orphaned: 'its words are gone from the transcript',
};

/** What is unusual about a keepit: `added by hand · was 0.50`, or that some of it is never written; empty for one that is as its marker says. */
export function keepitNote({ state, origin, overridden, weight, content }: EffectiveKeepit): string {
  return joinParts([
    STATES[state],
    origin === 'overlay' ? 'added by hand' : '',
    overridden ? `was ${weight.toFixed(2)}` : '',
    leftOutNote(content),
  ]);
}

const OUTCOMES: Record<DecayOutcome, string> = {
  survives: 'survives',
  barely: 'barely survives',
  fades: 'summarized',
};

/** What becomes of a keepit, in the words of seed 000, 6.3. */
export function outcomeText(outcome: DecayOutcome): string {
  return OUTCOMES[outcome];
}

/** `survives to distance 7 at 30:1`. */
export function reachText(reach: number | 'any', ratio: number): string {
  if (reach === 'any') return `survives at any distance at ${ratio}:1`;
  return reach === 0 ? `summarized at any distance at ${ratio}:1` : `survives to distance ${reach} at ${ratio}:1`;
}

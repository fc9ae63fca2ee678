import { sumOf } from '../../text/ownValue';
import type { SessionRef } from '../../sessions/results';
import type { CompressionEstimate, CompressionRequest } from '../types';
import type { ListedVersion } from '../versionEntries';
import { formatCount, joinParts, timeOf, type Formats } from '../../text/formats';
import type { DialogText } from '../../sessions/view/memoryDialogs';
import type { Aged } from '../aging';
import { moneyText, ratioText, settingsText } from './versionTexts';

const providerNames = {
  local: 'the built-in compressor',
  anthropic: 'the Claude API',
  'claude-cli': 'the claude command',
  'vscode-lm': 'a language model of VS Code',
} as const;

const MOST_LINES = 12;

/** What is asked before a model is: who, how much, and where it ends. */
export function costDialog(
  estimate: CompressionEstimate,
  { request, runCapUsd, formats }: { request: CompressionRequest; runCapUsd: number; formats: Formats },
): DialogText {
  const { cost, settings, outputTokens } = estimate;
  const who = providerNames[request.provider ?? 'local'];
  const price = moneyText(cost.usd);
  const cap = moneyText(request.maxCostUsd ?? runCapUsd);
  return {
    title: `Ask ${settings.model} to write this version${price === '' ? '' : `, for about ${price}`}?`,
    detail: [
      `What was said and done in the session is sent to ${who}, without what is marked as private and without secrets that are recognized.`,
      `${formats.plural(cost.calls, 'call')}: about ${formatCount(cost.inputTokens)} tokens in, ${formatCount(cost.outputTokens)} out, for a version of about ${formatCount(outputTokens)} tokens.`,
      request.provider === 'vscode-lm'
        ? 'Your subscription counts it; Keepit cannot tell what it costs.'
        : `It stops before it costs more than ${cap === '' ? 'nothing' : cap}.`,
    ].join('\n\n'),
  };
}

const VERSIONS_LISTED = 12;

/** What deleting versions asks: which, what they take, and what uses them. */
export function deleteVersionsDialog(versions: readonly ListedVersion[], formats: Formats): DialogText {
  const tokens = sumOf(versions, ({ outputTokens }) => outputTokens);
  const used = versions.filter(({ usedIn }) => usedIn.length > 0);
  const names = [...new Set(used.flatMap(({ usedIn }) => usedIn))];
  const what =
    versions.length === 1 ? `version ${versions[0]?.versionId ?? ''}` : formats.plural(versions.length, 'version');
  const rows = versions.slice(0, VERSIONS_LISTED).map(versionLine);
  const more = versions.length - rows.length;
  return {
    title: `Delete ${what}?`,
    detail: joinParts(
      [
        [...rows, ...(more === 0 ? [] : [`… and ${more} more`])].join('\n'),
        `${formatCount(tokens)} tokens in all. The original stays; this can be undone for a while.`,
        used.length === 0
          ? ''
          : `${used.length === 1 ? 'One of them is' : `${used.length} of them are`} in use: ${names.join(', ')} ${names.length === 1 ? 'stays' : 'stay'}, but cannot be built again from ${used.length === 1 ? 'it' : 'them'}.`,
      ],
      '\n\n',
    ),
  };
}

function versionLine({ versionId, settings, outputTokens, usedIn }: ListedVersion): string {
  const used =
    usedIn.length === 0 ? '' : `in ${usedIn.length === 1 ? '1 composition' : `${usedIn.length} compositions`}`;
  return `• ${joinParts([`${versionId} ${settingsText(settings)}`, `${formatCount(outputTokens)} tokens`, used])}`;
}

/** A version in the list that is managed (seed 000, 5.5). */
export interface ManagedRow {
  readonly versionId: string;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly isUsed: boolean;
}

/** All versions with what decides whether one can do without them: when made, when last used, size, uses. */
export function managedRows(versions: readonly ListedVersion[], formats: Formats): ManagedRow[] {
  return versions.map(({ versionId, settings, outputTokens, compressionRatio, createdAt, lastUsed, usedIn }) => {
    const createdMs = timeOf(createdAt);
    const usedMs = timeOf(lastUsed);
    return {
      versionId,
      label: `${versionId} ${settingsText(settings)}`,
      description: joinParts([`${formatCount(outputTokens)} tokens`, ratioText(compressionRatio)]),
      detail: joinParts([
        createdMs === undefined ? '' : `Created ${formats.date(createdMs)}`,
        `last used ${usedMs === undefined ? 'never' : formats.date(usedMs)}`,
        usedIn.length === 0 ? 'in no composition' : `$(warning) in ${usedIn.join(', ')}`,
      ]),
      isUsed: usedIn.length > 0,
    };
  });
}

/** `Selected: 2 versions (18k tokens)`, with what stands against it. */
export function selectionText(versions: readonly ListedVersion[], formats: Formats): string {
  if (versions.length === 0) return 'Select the versions to delete';
  const tokens = sumOf(versions, ({ outputTokens }) => outputTokens);
  const used = versions.filter(({ usedIn }) => usedIn.length > 0).length;
  const size = `Selected: ${formats.plural(versions.length, 'version')} (${formatCount(tokens)} tokens)`;
  return used === 0 ? size : `${size}, ${used} of them in use`;
}

/** `2 versions would be made, 1 version would be moved to the trash`; with what stays, and what failed. */
export function agedText(
  { created, pruned, kept, failed, isUnfinished }: Aged,
  formats: Formats,
  verb: string,
): string {
  const versions = (count: number): string => formats.plural(count, 'version');
  const done = joinParts(
    [
      created.length === 0 ? '' : `${versions(created.length)} ${verb} made`,
      pruned.length === 0 ? '' : `${versions(pruned.length)} ${verb} moved to the trash`,
      kept.length === 0 ? '' : `${versions(kept.length)} stay`,
      failed.length === 0 ? '' : `${formats.plural(failed.length, 'session')} failed`,
    ],
    ', ',
  );
  if (isUnfinished) return done === '' ? 'Another process is at it' : `${done}; another process does the rest`;
  return done === '' ? 'Nothing was due' : done;
}

/** What it is about, a line each. */
export function agedLines({ created, pruned, kept }: Aged, titleOf: (session: SessionRef) => string): string[] {
  const lines = [
    ...created.map((one) => `Make: ${titleOf(one)}, ${one.preset}`),
    ...pruned.map((one) => `Trash: ${titleOf(one)}, ${one.versionId}`),
    ...kept.map((one) => `Stays: ${titleOf(one)}, ${one.versionId}: ${one.reason}`),
  ];
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `and ${more} more`] : lines;
}

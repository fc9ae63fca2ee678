import type { Aged } from '../../core/versions/aging';
import { shortId } from '../../core/text/formats';
import { command, failureOf } from '../command';
import { days, flag, option } from '../fields';
import { linesOf, type Lines, type Page } from '../page';

const dryRun = flag('Show what would be done, and write nothing');

/** What both commands tell. */
const shown = {
  json: ({ trashed, ...aged }: Aged) => ({ ...aged, undo: undoOf(trashed) }),
  text: agedText,
  failure: ({ failed }: Aged) => failureOf(failed),
} as const;

export const autoDecay = command({
  ...shown,
  name: 'auto-decay',
  summary: 'Make and clear up versions as their sessions age',
  details: [
    'Moderate versions after 7 days without a word, aggressive ones after 30; after 60 days those that came between go to the trash, unless somebody made them or a composition uses them. `config set autoDecay.enabled true` lets it happen by itself, `project.autoDecay.enabled` in one project; the days are settings, too. It asks no model.',
    'May be interrupted and repeated. The dry run also works while it is off.',
  ],
  input: { dryRun },
  examples: ['auto-decay --dry-run', 'auto-decay --all-projects --json'],
  run: async ({ dryRun: isDryRun }, { scope, memory, onProgress, signal }) =>
    memory.versions.autoDecay(await scope.projectId(), { isDryRun }, onProgress, signal),
});

export const prune = command({
  ...shown,
  name: 'prune',
  summary: 'Move versions to the trash that nobody needs',
  details: [
    'Versions that a composition uses stay, and so does the last form of a session of which nothing else is left. Without options, those go that `storage.compressionRetention` does not keep.',
  ],
  input: {
    unused: flag('Those that no composition has ever used'),
    olderThan: option(days, 'DAYS', 'Those that were neither made nor used for so many days, such as 60d'),
    dryRun,
  },
  examples: ['prune --unused --dry-run', 'prune --unused --older-than 60d'],
  run: async ({ unused: isUnused, olderThan: olderThanDays, dryRun: isDryRun }, { scope, memory }) =>
    memory.versions.prune(await scope.projectId(), { isUnused, olderThanDays, isDryRun }),
});

function agedText(
  { created, pruned, kept, failed, trashed, isUnfinished, isOff }: Aged,
  { good, bad, accent }: Page,
  { dryRun: isDryRun }: { readonly dryRun: boolean },
): Lines {
  const [made, gone] = isDryRun ? ['would make', 'would prune'] : ['✓ made', '✓ pruned'];
  const line = (done: string, { sessionId }: { readonly sessionId: string }, what: string): string =>
    `${done}  ${accent(shortId(sessionId))}  ${what}`.trimEnd();
  const lines = [
    ...created.map((one) => line(good(made), one, `${one.preset} ${one.versionId ?? ''}`)),
    ...pruned.map((one) => line(good(gone), one, one.versionId)),
    ...kept.map((one) => line(good('kept'), one, `${one.versionId}: ${one.reason}`)),
    ...failed.map((one) => line(bad('✗ failed'), one, one.error)),
  ];
  const notes = [
    isUnfinished && 'Another process is at it in a project; that goes on by itself.',
    isOff && 'Automatic decay is off: `keepit config set autoDecay.enabled true` switches it on.',
  ];
  if (linesOf([lines, notes]).length === 0) return 'Nothing is due.';
  return [lines, undoOf(trashed).map((one) => `To undo: ${one}`), notes];
}

function undoOf(trashed: Aged['trashed']): string[] {
  return trashed.map(({ sessionId, trash }) => `keepit version restore ${sessionId} ${trash}`);
}

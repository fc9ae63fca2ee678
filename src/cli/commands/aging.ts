import type { Aged } from '../../core/versions/aging';
import { shortId } from '../../core/text/formats';
import { type Answer, type Command, type Page, flag, valued } from '../command';
import { CliFailure } from '../cliErrors';

const dryRun = flag('Show what would be done, and write nothing');

export const autoDecay: Command = {
  name: 'auto-decay',
  group: 'Versions',
  summary: 'Make and clear up versions as their sessions age',
  details: [
    'Moderate versions after 7 days without a word, aggressive ones after 30; after 60 days those that came between go to the trash, unless somebody made them or a composition uses them. `config set autoDecay.enabled true` lets it happen by itself, `project.autoDecay.enabled` in one project; the days are settings, too. It asks no model.',
    'May be interrupted and repeated. The dry run also works while it is off.',
  ],
  options: { 'dry-run': dryRun },
  examples: ['auto-decay --dry-run', 'auto-decay --all-projects --json'],
  async run(input, { scope, memory, onProgress, signal }) {
    const projectId = await scope.projectId();
    const isDryRun = input.has('dry-run');
    const aged = await memory.versions.autoDecay(projectId, { isDryRun }, onProgress, signal);
    return answerOf(aged, isDryRun);
  },
};

export const prune: Command = {
  name: 'prune',
  group: 'Versions',
  summary: 'Move versions to the trash that nobody needs',
  details: [
    'Versions that a composition uses stay, and so does the last form of a session of which nothing else is left. Without options, those go that `storage.compressionRetention` does not keep.',
  ],
  options: {
    unused: flag('Those that no composition has ever used'),
    'older-than': valued('DAYS', 'Those that were neither made nor used for so many days, such as 60d'),
    'dry-run': dryRun,
  },
  examples: ['prune --unused --dry-run', 'prune --unused --older-than 60d'],
  async run(input, { scope, memory }) {
    const isDryRun = input.has('dry-run');
    const days = input.text('older-than');
    if (days !== undefined && !/^\d{1,5}d?$/.test(days))
      throw input.wrong(`--older-than takes a number of days such as 60d, not ${JSON.stringify(days)}.`);
    const olderThanDays = days === undefined ? undefined : Number.parseInt(days, 10);
    const request = { isUnused: input.has('unused'), olderThanDays, isDryRun };
    return answerOf(await memory.versions.prune(await scope.projectId(), request), isDryRun);
  },
};

function answerOf(aged: Aged, isDryRun: boolean): Answer {
  const { created, pruned, kept, failed, undo, isUnfinished } = aged;
  return {
    json: { created, pruned, kept, failed, undo, isUnfinished },
    text: (page) => agedText(aged, isDryRun, page),
    notice: isUnfinished ? 'another process is at it in a project; that goes on by itself.' : undefined,
    failure: failed.length === 0 ? undefined : new CliFailure('partly-failed', String(failed.length)),
  };
}

function agedText({ created, pruned, kept, failed, undo }: Aged, isDryRun: boolean, { style }: Page): string {
  const [made, gone] = isDryRun ? ['would make', 'would prune'] : ['✓ made', '✓ pruned'];
  const lines = [
    ...created.map(({ sessionId, preset, versionId = '' }) => [made, sessionId, `${preset} ${versionId}`.trim()]),
    ...pruned.map(({ sessionId, versionId }) => [gone, sessionId, versionId]),
    ...kept.map(({ sessionId, versionId, reason }) => ['kept', sessionId, `${versionId}: ${reason}`]),
    ...failed.map(({ sessionId, error }) => ['✗ failed', sessionId, error]),
  ].map(([done = '', sessionId = '', what = '']) =>
    [style.paint(done.startsWith('✗') ? 'bad' : 'good', done), style.paint('accent', shortId(sessionId)), what].join(
      '  ',
    ),
  );
  if (lines.length === 0) return 'Nothing is due.';
  return [...lines, ...undo.map((command) => `To undo: ${command}`)].join('\n');
}

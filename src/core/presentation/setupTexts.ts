import { structuredPatch } from 'diff';
import type { FileChange, SetupPlan } from '../claude/setup/setupTypes';

/** What becomes of a file, in one word. */
export function changeWord({ before, after }: FileChange): 'made' | 'changed' | 'deleted' {
  if (before === undefined) return 'made';
  return after === undefined ? 'deleted' : 'changed';
}

/** The changed lines of a file with a few around them, each behind `+`, `-`, a space, or as `@@` with their places. */
export function changedLines({ before = '', after = '' }: FileChange): string[] {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 2 });
  return hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ -${oldStart} +${newStart} @@`, ...lines]);
}

/** What becomes of the copy of the plugin, in a sentence. */
export function pluginText({ plugin: { path, version, change } }: Pick<SetupPlan, 'plugin'>): string {
  const texts = {
    copy: `The plugin, version ${version}, is copied to ${path}.`,
    update: `The plugin in ${path} is brought up to version ${version}.`,
    keep: `The plugin in ${path} stays as it is.`,
    remove: `The plugin in ${path} is removed.`,
  };
  return texts[change];
}

/** What the hooks are run with, in a sentence. */
export function runtimeText({ runtime }: Pick<SetupPlan, 'runtime'>): string | undefined {
  if (runtime === undefined) return undefined;
  const { kind, file, version } = runtime;
  if (kind === 'path') return `Hooks are run with node, version ${version}.`;
  return `Hooks are run with ${file}${kind === 'electron' ? ', which is VS Code’s own Node' : ''}, version ${version}.`;
}

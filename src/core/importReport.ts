import type { ImportedProject } from './memoryPorts';
import type { Formats } from './text/formats';

/** What is here and another, and stays unless it is replaced. */
export function conflictsOf(project: ImportedProject): string[] {
  return leftOutLines(project, false);
}

/** What is left out because nothing is to be remembered of it. */
export function neverOf(project: ImportedProject): string[] {
  const layers = project.knowledge === 'never' ? ['layers and notes: a session in them is never to be remembered'] : [];
  return [...leftOutLines(project, true), ...layers];
}

function leftOutLines({ sessions, versions, keepits, compositions, links }: ImportedProject, never: boolean): string[] {
  return [sessions, versions, keepits, compositions, links].flatMap(({ conflicts }) =>
    conflicts.filter(({ isNever = false }) => isNever === never).map(({ name, reason }) => `${name}: ${reason}`),
  );
}

/** `2 sessions, 1 version, layers and notes` */
export function importedText(project: ImportedProject, formats: Formats): string {
  const parts = (['session', 'version', 'keepit', 'composition', 'link'] as const)
    .map((noun) => [noun, project[`${noun}s`].added.length] as const)
    .filter(([, count]) => count > 0)
    .map(([noun, count]) => formats.plural(count, noun));
  if (project.knowledge === 'added') parts.push('layers and notes');
  return parts.length === 0 ? 'nothing new' : parts.join(', ');
}

import { isSafeSegment } from '../model/fields';
import type { ProjectManifest } from '../model/manifest';

const MAX_LENGTH = 100;

/** What stands against a name, as part of a sentence; undefined when nothing does. For forms, while somebody types. */
export function problemWith(name: string): string | undefined {
  if (name.trim() === '') return 'it is empty';
  if (name !== name.trim()) return 'it begins or ends with a blank';
  if (/[/\\]/.test(name)) return 'it holds a slash, and would be a path';
  if (name.startsWith('.')) return 'it begins with a dot';
  if (name.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  const [forbidden] = /[<>:"|?*]/.exec(name) ?? [];
  if (forbidden !== undefined) return `it holds ${forbidden}, which not every file system takes`;
  if (!isSafeSegment(name)) return 'it is not a name that every file system takes';
  return undefined;
}

/** The name under which there is a composition already, where file systems would take the two for one. */
export function clashOf(name: string, { compositions }: Pick<ProjectManifest, 'compositions'>): string | undefined {
  const wanted = folded(name);
  return Object.values(compositions)
    .map((record) => record.name)
    .find((other) => folded(other) === wanted);
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

import { isSafeSegment } from '../model/ids';
import type { ProjectManifest } from '../model/manifest';
import { redactSecrets } from '../text/secrets/secrets';
import { CompositionError } from './compositionError';

const MAX_LENGTH = 100;

/** Throws `CompositionError` for a name that cannot be that of a folder everywhere, or that a person would not find again. */
export function checkName(name: string): void {
  const problem = problemWith(name) ?? secretIn(name);
  if (problem !== undefined) throw new CompositionError('bad-name', name, problem);
}

/** A name becomes that of a folder, which is shown and written in many places. */
function secretIn(name: string): string | undefined {
  const [secret] = redactSecrets(name).secrets;
  return secret && `it holds a secret (${secret.kind})`;
}

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

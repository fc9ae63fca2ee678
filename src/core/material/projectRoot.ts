import { pushTo, countUp } from '../text/ownValue';
import { textOf } from './toolKinds';
import type { SourceMessage } from './types';
import { baseName } from '../text/formats';

const FIELDS = ['file_path', 'notebook_path', 'path'] as const;
const RELATIVE =
  /(?<![\p{L}\p{N}_@./~-])(?:\.\/)?[\p{L}\p{N}_@.-]+(?:\/[\p{L}\p{N}_@.-]+)*\.[a-z][a-z0-9]{0,5}(?![\p{L}\p{N}_/])/giu;
/** So much of each text is looked at: paths are named early and often. */
const LOOKED_AT = 4000;

/**
 * The folder that a session's work happened in, with a slash at the end; '' when nothing tells. Paths that people and tools name without
 * it (`src/a.ts`) show where the paths with it (`/home/ada/app/src/a.ts`) begin to differ from project to project.
 */
export function findProjectRoot(messages: readonly SourceMessage[]): string {
  const absolute = new Set<string>();
  for (const message of messages) {
    for (const tool of message.tools) {
      for (const field of FIELDS) {
        const path = textOf(tool, field);
        if (/^(?:\/|[a-z]:[\\/])/i.test(path)) absolute.add(path);
      }
    }
  }
  if (absolute.size === 0) return '';
  const votes = countVotes(messages, absolute);
  const [winner] = [...votes].sort(([a, one], [b, other]) => other - one || a.length - b.length || (a < b ? -1 : 1));
  return winner?.[0] ?? commonFolder([...absolute]);
}

function countVotes(messages: readonly SourceMessage[], absolute: ReadonlySet<string>): Map<string, number> {
  const byName = new Map<string, string[]>();
  for (const path of absolute) {
    pushTo(byName, baseName(path), path);
  }
  const votes = new Map<string, number>();
  for (const relative of relativePaths(messages)) {
    for (const path of byName.get(baseName(relative)) ?? []) {
      if (!path.endsWith(`/${relative}`)) continue;
      const root = path.slice(0, path.length - relative.length);
      // A name without a folder may stand anywhere below the root.
      countUp(votes, root, relative.includes('/') ? 4 : 1);
    }
  }
  return votes;
}

function relativePaths(messages: readonly SourceMessage[]): Set<string> {
  const found = new Set<string>();
  const look = (text: string): void => {
    for (const [path] of text.slice(0, LOOKED_AT).matchAll(RELATIVE)) found.add(path.replace(/^\.\//, ''));
  };
  for (const message of messages) {
    for (const { text } of message.texts) look(text);
    for (const tool of message.tools) look(textOf(tool, 'command'));
  }
  return found;
}

function commonFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  let folder = first.slice(0, first.lastIndexOf('/') + 1);
  for (const path of paths) {
    while (!path.startsWith(folder)) folder = folder.slice(0, folder.slice(0, -1).lastIndexOf('/') + 1);
  }
  return folder.length > 1 ? folder : '';
}

/** `text` with the root taken away wherever a path begins with it. */
export function withoutRoot(text: string, root: string): string {
  if (root === '' || !text.includes(root.slice(0, -1))) return text;
  const bare = text.replaceAll(root, '');
  return bare.endsWith(root.slice(0, -1)) ? `${bare.slice(0, 1 - root.length)}.` : bare;
}

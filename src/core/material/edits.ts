import type { SourceTool } from './types';

/** The lines that one edit took out and put in, without those that it left alone. */
export interface Change {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What a call changed in a file, edit by edit. */
export function changesIn({ input }: SourceTool): Change[] {
  const edits: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  return edits.flatMap((edit) => {
    if (typeof edit !== 'object' || edit === null) return [];
    const before = 'old_string' in edit && typeof edit.old_string === 'string' ? edit.old_string : '';
    const after = 'new_string' in edit ? edit.new_string : input['new_source'];
    return [changeOf(before.split('\n'), typeof after === 'string' ? after.split('\n') : [])];
  });
}

function changeOf(before: readonly string[], after: readonly string[]): Change {
  const [kept, put] = [new Set(before), new Set(after)];
  const isTold = (line: string, others: ReadonlySet<string>): boolean => line.trim() !== '' && !others.has(line);
  return { removed: before.filter((line) => isTold(line, put)), added: after.filter((line) => isTold(line, kept)) };
}

import { l1EntrySchema, type L1Entry } from '../model/layers';

/** An L1 file's text. */
export function l1Text(entries: readonly L1Entry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** The entries of an L1 file; lines that are none, which only other hands can have written, are passed over. */
export function readL1(text: string): L1Entry[] {
  return l1Lines(text).flatMap((line) => {
    const entry = l1EntrySchema.safeParse(parsed(line));
    return entry.success ? [entry.data] : [];
  });
}

/** The lines of an L1 file, as `l1_range` counts them. */
export function l1Lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a torn line
  }
}

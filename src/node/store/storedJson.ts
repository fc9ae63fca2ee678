import { readWithin } from '../files/links';
import { storing } from '../files/errorCode';

/** A JSON file of the store as it was found. */
type StoredJson =
  | { readonly state: 'whole'; readonly value: unknown }
  /** `value` is what could be read of it, `problem` why it is not JSON. */
  | { readonly state: 'torn'; readonly value: unknown; readonly problem: string };

/** Reads and parses a file below `root`; undefined when there is none. Bytes that are no text are damage, not replacement characters. */
export async function readStoredJson(root: string, file: string): Promise<StoredJson | undefined> {
  const bytes = await storing(file, () => readWithin(root, file));
  if (bytes === undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return { state: 'whole', value };
  } catch (error) {
    const problem = bytes.length === 0 ? 'it is empty' : error instanceof Error ? error.message : String(error);
    const { parseTornJson } = await import('../../core/model/tornJson'); // files are rarely torn
    return { state: 'torn', value: parseTornJson(new TextDecoder().decode(bytes)), problem };
  }
}

/** As people like to read it, with a newline at the end. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

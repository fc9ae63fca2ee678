import type { JsonCursor } from './jsonCursor';
import { KeyTable } from './keyTable';
import { ownValue } from '../text/ownValue';

/** Reads one value into `target`; it must leave the cursor behind the value. */
export type FieldReader<T> = (cursor: JsonCursor, target: T) => void;

/**
 * What a value is to the shape of a record: one that differs from record to record, one of few that tell kinds of
 * records apart, an object or list whose own values are looked at, or one that is read together with its neighbours.
 */
export type FieldForm = 'variable' | 'constant' | 'nested' | 'run';

/** A key of an object that is known; a value that nobody reads is skipped. */
export interface Field<T> {
  readonly read: FieldReader<T> | undefined;
  readonly form: FieldForm;
  readonly key: string;
}

/** Which keys of an object are known; all others are skipped. */
export type Fields<T> = KeyTable<Field<T>>;

/** Shorthand for a table of fields: what is in no list of `forms` is variable. */
export function fields<T>(
  readers: Readonly<Record<string, FieldReader<T>>>,
  forms: Partial<Record<FieldForm, readonly string[]>> = {},
): Fields<T> {
  const formOf = new Map<string, FieldForm>();
  for (const form of ['constant', 'nested', 'run'] as const) for (const key of forms[form] ?? []) formOf.set(key, form);
  const keys = new Set([...Object.keys(readers), ...formOf.keys()]);
  const table = [...keys].map((key) => {
    const field: Field<T> = { read: ownValue(readers, key), form: formOf.get(key) ?? 'variable', key };
    return [key, field] as const;
  });
  return new KeyTable(table);
}

/** Learns where the variable values of a record are; `read` reads the value again, of a record of the same shape. */
export interface ShapeRecorder {
  value(
    place: { readonly start: number; readonly end: number; readonly runKey?: string | undefined },
    read: ((cursor: JsonCursor) => void) | undefined,
  ): void;
  /** What is read from here on is too irregular to be learned. */
  giveUp(): void;
}

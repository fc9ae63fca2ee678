/** The members of a parsed object: nobody has checked what they are. */
export type JsonFields = Readonly<Record<string, unknown>>;

export const NO_FIELDS: JsonFields = {};

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a value; none when it is no object. */
export function fieldsOf(value: unknown): JsonFields {
  return isFields(value) ? value : NO_FIELDS;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What a JSON text says; undefined when it is none. */
export function parsedJson(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    return undefined; // whoever cares finds out what is wrong with it
  }
}

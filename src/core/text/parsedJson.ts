/** What a JSON text says; undefined when it is none: whoever cares finds out what is wrong with it. */
export function parsedJson(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    return undefined;
  }
}

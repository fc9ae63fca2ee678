/** A decoded JSON value with every text in it changed, however deep; keys stay. */
export function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  return typeof value === 'object' && value !== null ? withTextsOf(value, change) : value;
}

/** The same, of the fields of an object. */
export function withTextsOf(fields: object, change: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, withTexts(value, change)]));
}

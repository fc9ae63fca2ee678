const UNITS = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** The bytes that a size such as `500 MB` means, in units of 1024; 0 for what is no size. */
export function byteSize(text: string): number {
  const [, number = '0', unit = 'B'] = /^(\d+(?:\.\d+)?)\s?(B|KB|MB|GB)$/i.exec(text) ?? [];
  const factor = Object.entries(UNITS).find(([name]) => name === unit.toUpperCase())?.[1] ?? 1;
  return Number(number) * factor;
}

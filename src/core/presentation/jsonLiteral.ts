import { firstWhere } from '../sessions/document/saidBlocks';

/** A JSON string literal, decoded, with the way back to it. */
export interface DecodedLiteral {
  readonly text: string;
  /** Where in the literal (its opening quote is 0) the character at an offset of `text` begins; for the text's end, the closing quote. */
  readonly rawOffset: (offset: number) => number;
}

/** Decodes a literal, quotes included; undefined when it is none. */
export function decodeLiteral(literal: string): DecodedLiteral | undefined {
  const text = parse(literal);
  if (text === undefined) return undefined;
  // Where escapes end, in the text and in the literal: between two of them both run alike.
  const ends: { text: number; raw: number }[] = [{ text: 0, raw: 1 }];
  let hidden = 1;
  for (let at = literal.indexOf('\\'); at >= 0; at = literal.indexOf('\\', at)) {
    const length = literal.charAt(at + 1) === 'u' ? 6 : 2;
    hidden += length - 1;
    at += length;
    ends.push({ text: at - hidden, raw: at });
  }
  return {
    text,
    rawOffset: (offset) => {
      const last = ends[firstWhere(ends, (end) => end.text > offset) - 1];
      return last === undefined ? 1 : last.raw + offset - last.text;
    },
  };
}

function parse(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined; // not JSON: the caller has nothing to show then
  }
}

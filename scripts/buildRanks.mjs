// Writes the ranks of o200k_base as one compact binary file, which `RankTable` (src/core/text/tokens) reads without parsing.
// Layout: "KPR1" | count (uint32, little endian) | the length of every token (uint8, by rank) | the bytes of every token, by rank.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import o200k from 'js-tiktoken/ranks/o200k_base';

/** The content of the file, from the ranks that js-tiktoken carries. */
export function encodeRanks() {
  const tokens = [];
  for (const line of o200k.bpe_ranks.split('\n').filter(Boolean)) {
    const [, first, ...encoded] = line.split(' ');
    encoded.forEach((token, index) => {
      tokens[Number(first) + index] = Buffer.from(token, 'base64');
    });
  }
  for (let rank = 0; rank < tokens.length; rank++) {
    const length = tokens[rank]?.length ?? 0;
    if (length < 1 || length > 255)
      throw new Error(`The ranks file cannot hold a token of ${length} bytes (rank ${rank}).`);
  }
  const header = Buffer.alloc(8);
  header.write('KPR1', 'latin1');
  header.writeUInt32LE(tokens.length, 4);
  return new Uint8Array(Buffer.concat([header, Buffer.from(tokens.map((token) => token.length)), ...tokens]));
}

/** Writes the file; whoever reads at the same time sees the old one or the new one. */
export async function buildRanks(outFile) {
  await mkdir(dirname(outFile), { recursive: true });
  const temporary = `${outFile}.${process.pid}.tmp`;
  await writeFile(temporary, encodeRanks());
  await rename(temporary, outFile);
}

export function encodeRanks(): Uint8Array;
export function buildRanks(outFile: string): Promise<void>;

import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { EstimatingTokenCounter } from '../../../src/core/text/tokens/estimatingTokenCounter';
import { TranscriptReader } from '../../../src/core/transcript/transcriptReader';
import { CaseSkipped, type BenchCase, type Metrics } from '../bench';
import { inFreshProcess } from '../child';
import { benchEnvironment } from '../environment';
import { generatedFolder, type Recipe } from '../generate';

const RECIPE: Recipe = { totalMb: 500, largestFileMb: 150 };
const CHUNK_BYTES = 1024 * 1024;
const REAL_BYTES = 12e6;
const NEWLINE = 0x0a;

const RSS_LIMIT_MB = 120;
const COLD_RATIO = 1.1;
const HOT_RATIO = 1;

/** One for all files, as whoever reads them one after the other has it. */
const readBuffer = Buffer.allocUnsafe(CHUNK_BYTES);

/** Chunks of a file; the buffer is used again. Waiting for Node's threads to read would be the same on both sides, and says nothing about either. */
function* chunksOf(file: string): Generator<Buffer> {
  const descriptor = openSync(file, 'r');
  try {
    for (let position = 0; ;) {
      const bytesRead = readSync(descriptor, readBuffer, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield readBuffer.subarray(0, bytesRead);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** What a program does that has no reader of its own; counts lines that a person or the assistant may have said. */
function parseEveryLine(file: string): number {
  let messages = 0;
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of chunksOf(file)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      messages += isMessage(bytes.toString('utf8', start, end)) ? 1 : 0;
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  }
  return messages;
}

function isMessage(line: string): boolean {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null && 'message' in record;
  } catch {
    return false; // a line that is damaged
  }
}

/** One for all files, as in the product. */
const estimator = new EstimatingTokenCounter();

function readerOf(file: string, detail: 'full' | 'counts'): TranscriptReader {
  const reader = new TranscriptReader({ estimator, detail });
  for (const chunk of chunksOf(file)) reader.feed(chunk);
  return reader;
}

async function transcriptsBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
}

/** The largest transcripts of people that there are here, up to so many bytes. */
async function realTranscripts(): Promise<string[]> {
  const folder = path.resolve(benchEnvironment().root, '../shared/data/claude-home/projects');
  const files = await transcriptsBelow(folder).catch(() => []);
  if (files.length === 0) throw new CaseSkipped('there are no transcripts of people here');
  const sized = await Promise.all(files.map(async (file) => ({ file, bytes: (await stat(file)).size })));
  let total = 0;
  return sized
    .sort((a, b) => b.bytes - a.bytes)
    .flatMap(({ file, bytes }) => {
      if (total >= REAL_BYTES) return [];
      total += bytes;
      return [file];
    });
}

function sum(files: readonly string[], count: (file: string) => number): Metrics {
  return { messages: files.reduce((total, file) => total + count(file), 0) };
}

export const probes = {
  parse: (files: string[]) => sum(files, parseEveryLine),
  stats: (files: string[]) => sum(files, (file) => readerOf(file, 'counts').stats().messages),
  conversation: (files: string[]) => sum(files, (file) => readerOf(file, 'full').conversation().messages.length),
};

/** Both in fresh processes, as hooks, the command line and the first look are; measured in computing time, of all threads. */
function coldCase(
  name: string,
  probe: keyof typeof probes,
  findFiles: () => Promise<string[]>,
  more: Partial<BenchCase> = {},
): BenchCase {
  let files: string[] = [];
  return {
    name: `reading: ${name}`,
    compare: ['cpuMs'],
    baseline: { name: 'JSON.parse of every line', run: () => inFreshProcess(import.meta.url, 'parse', files) },
    subject: { name: `TranscriptReader, ${probe}`, run: () => inFreshProcess(import.meta.url, probe, files) },
    limits: { peakRssMb: RSS_LIMIT_MB },
    setup: async () => {
      files = await findFiles();
    },
    ...more,
  };
}

const largest = async (): Promise<string[]> => [(await generatedFolder(RECIPE)).largestFile];

/** What each change of a large session costs: it is read again. */
function rereadCase(): BenchCase {
  let files: string[] = [];
  return {
    name: 'reading: a session of 150 MB that has grown, read again',
    baseline: { name: 'JSON.parse of every line', run: () => probes.parse(files) },
    subject: { name: 'TranscriptReader, stats', run: () => probes.stats(files) },
    aim: { ratio: HOT_RATIO, direction: 'atMost' },
    warmups: 3,
    setup: async () => {
      files = await largest();
    },
  };
}

export const cases: BenchCase[] = [
  coldCase('12 MB of real transcripts, cold', 'stats', realTranscripts, {
    aim: { ratio: COLD_RATIO, direction: 'atMost' },
  }),
  coldCase(
    '500 MB of transcripts, cold',
    'stats',
    async () => transcriptsBelow(path.join((await generatedFolder(RECIPE)).claudeDir, 'projects')),
    { aim: { ratio: HOT_RATIO, direction: 'atMost' } },
  ),
  coldCase('the conversation of one file of 150 MB', 'conversation', largest, { limits: {} }),
  rereadCase(),
];

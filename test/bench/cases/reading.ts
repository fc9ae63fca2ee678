import { closeSync, openSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapLimited } from '../../../src/core/text/mapLimited';
import { EstimatingTokenCounter } from '../../../src/core/text/tokens/estimatingTokenCounter';
import { readTranscript } from '../../../src/core/transcript/readTranscript';
import { TranscriptSummarizer } from '../../../src/core/transcript/transcriptSummarizer';
import type { TokenEstimator } from '../../../src/core/text/tokens/tokenCounter';
import { InProcessScanner } from '../../../src/node/claude/inProcessScanner';
import { NodeTokenCounters } from '../../../src/node/tokens/nodeTokenCounters';
import type { BenchCase, Metrics } from '../bench';
import { inFreshProcess } from '../child';
import { benchEnvironment } from '../environment';
import { generatedFolder, type Recipe } from '../generate';

const RECIPE: Recipe = { totalMb: 500, largestFileMb: 150 };
const CHUNK_BYTES = 256 * 1024;
const FILES_AT_ONCE = 128;
const NEWLINE = 0x0a;

const RSS_LIMIT_MB = 120;
const STALL_LIMIT_MS = 10;
/** 2.3 times as fast. */
const READING_RATIO = 1 / 2.3;
const REREAD_RATIO = 1;


const noTokens: TokenEstimator = { estimate: () => 0, sample: () => 0 };

/** One for all files, as a thread that scans has it. */
const readBuffer = Buffer.allocUnsafe(CHUNK_BYTES);

/**
 * Chunks of a file from `start` to `end`; the buffer is used again. Read as a worker thread would: waiting for Node's
 * own threads to read took a third of the time on both sides, and says nothing about either.
 */
async function* chunksOf(file: string, start = 0, end = Infinity): AsyncGenerator<Uint8Array> {
  const descriptor = openSync(file, 'r');
  try {
    for (let position = start; position < end;) {
      const bytesRead = readSync(descriptor, readBuffer, 0, Math.min(CHUNK_BYTES, end - position), position);
      if (bytesRead === 0) break;
      position += bytesRead;
      yield readBuffer.subarray(0, bytesRead);
      await nextTurn();
    }
  } finally {
    closeSync(descriptor);
  }
}

async function summarizer(file: string, estimator: TokenEstimator): Promise<TranscriptSummarizer> {
  const reading = new TranscriptSummarizer({ estimator });
  for await (const chunk of chunksOf(file)) reading.feed(chunk);
  return reading;
}

/** What a program does that has no reader of its own; counts lines that a person or the assistant may have said. */
async function parseEveryLine(file: string): Promise<number> {
  let messages = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(file)) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const record: unknown = JSON.parse(bytes.toString('utf8', start, end));
      if (typeof record === 'object' && record !== null && 'message' in record) messages++;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  return messages;
}

async function transcriptsBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
}

async function summarizeAll(folder: string, estimator: TokenEstimator): Promise<Metrics> {
  let messages = 0;
  let longestStepMs = 0;
  for (const file of await transcriptsBelow(folder)) {
    const steps = (await summarizer(file, estimator)).finishing();
    for (let isDone = false; !isDone;) {
      const started = performance.now();
      const step = steps.next();
      longestStepMs = Math.max(longestStepMs, performance.now() - started);
      isDone = step.done === true;
      if (step.done === true) messages += step.value.messages;
      await nextTurn();
    }
  }
  return { messages, longestStepMs };
}

export const probes = {
  parseEveryLine: async (folder: string) => {
    let messages = 0;
    for (const file of await transcriptsBelow(folder)) messages += await parseEveryLine(file);
    return { messages };
  },
  summarize: (folder: string) => summarizeAll(folder, noTokens),
  summarizeWithEstimate: (folder: string) => summarizeAll(folder, new EstimatingTokenCounter()),
  scan: async (folder: string) => {
    const dist = path.join(benchEnvironment().root, 'dist');
    const ranksFile = path.join(dist, 'o200k_base.bin');
    const inProcess = new InProcessScanner(new NodeTokenCounters(ranksFile));
    const scans = await mapLimited(await transcriptsBelow(folder), FILES_AT_ONCE, (file) =>
      inProcess.scan(file, { counting: 'estimate' }),
    );
    return { messages: scans.reduce((sum, { digest }) => sum + digest.messages, 0) };
  },
  parseOne: async (file: string) => ({ messages: await parseEveryLine(file) }),
  readOne: async (file: string) => {
    const options = { estimator: noTokens, pause: () => nextTurn() };
    return { messages: (await readTranscript(chunksOf(file), options)).messages.length };
  },
};

function folderCase(name: string, probe: keyof typeof probes, subject = 'TranscriptSummarizer'): BenchCase {
  let folder = '';
  return {
    name,
    baseline: {
      name: 'JSON.parse of every line',
      run: () => inFreshProcess(import.meta.url, 'parseEveryLine', folder),
    },
    subject: { name: subject, run: () => inFreshProcess(import.meta.url, probe, folder) },
    aim: { ratio: READING_RATIO, direction: 'atMost' },
    limits: { peakRssMb: RSS_LIMIT_MB, maxStallMs: STALL_LIMIT_MS },
    setup: async () => {
      folder = path.join((await generatedFolder(RECIPE)).claudeDir, 'projects');
    },
  };
}

function fullCase(): BenchCase {
  let file = '';
  return {
    name: 'reading: the conversation of one file of 150 MB',
    baseline: { name: 'JSON.parse of every line', run: () => inFreshProcess(import.meta.url, 'parseOne', file) },
    subject: { name: 'readTranscript', run: () => inFreshProcess(import.meta.url, 'readOne', file) },
    limits: { maxStallMs: STALL_LIMIT_MS },
    setup: async () => {
      file = (await generatedFolder(RECIPE)).largestFile;
    },
  };
}

/** What each change of a large session costs: it is read again. */
function rereadCase(): BenchCase {
  let file = '';
  return {
    name: 'reading: a session of 150 MB that has grown, read again',
    baseline: { name: 'JSON.parse of every line', run: async () => ({ messages: await parseEveryLine(file) }) },
    subject: {
      name: 'TranscriptSummarizer',
      run: async () => ({ messages: (await summarizer(file, noTokens)).finish().messages }),
    },
    aim: { ratio: REREAD_RATIO, direction: 'atMost' },
    warmups: 3,
    setup: async () => {
      file = (await generatedFolder(RECIPE)).largestFile;
    },
  };
}

export const cases: BenchCase[] = [
  folderCase('reading: messages of 500 MB of transcripts counted', 'summarize'),
  folderCase('reading: messages counted and tokens estimated', 'summarizeWithEstimate'),
  folderCase('reading: counted and estimated as the product does it', 'scan', 'InProcessScanner'),
  fullCase(),
  rereadCase(),
];

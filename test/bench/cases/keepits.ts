import { effectiveKeepits, findKeepits } from '../../../src/core/keepits/effectiveKeepits';
import { Formats } from '../../../src/core/text/formats';
import { allBands, decorationsIn, withMargin } from '../../../src/core/sessions/view/keepitEditor';
import { MarkIndex, transcriptMarks, textMarks } from '../../../src/core/sessions/view/keepitMarks';
import { RecordMarks } from '../../../src/core/sessions/view/recordMarks';
import { renderTranscript } from '../../../src/core/sessions/document/renderTranscript';
import type { TranscriptDocument } from '../../../src/core/sessions/document/transcriptDocument';
import type { KeepitListing } from '../../../src/core/sessions/results';
import { TranscriptReader } from '../../../src/core/transcript/transcriptReader';
import type { Conversation } from '../../../src/core/transcript/types';
import type { BenchCase, Metrics } from '../bench';
import { metricsOfScript } from '../scriptRun';

const LINES = 50_000;
const LINES_OF_MESSAGE = 8;
/** Every so many-th message holds a keepit: far more than anybody marks. */
const MESSAGES_PER_KEEPIT = 4;
const SCREEN_LINES = 45;
const SCREENS = 1000;

/** The lines of a transcript, in its raw form, whose readable form has `LINES` lines. */
function rawLines(): string[] {
  const messages = Math.ceil(LINES / (LINES_OF_MESSAGE + 3));
  let parentUuid: string | null = null;
  return Array.from({ length: messages }, (_, index) => {
    const marker = index % MESSAGES_PER_KEEPIT === 0 ? `##keepit0.${10 + (index % 90)}## ` : '';
    const text = Array.from(
      { length: LINES_OF_MESSAGE },
      (_unused, line) => `Line ${line} of message ${index}, with "words".`,
    );
    const isHuman = index % 2 === 0;
    const uuid = `message-${index}`;
    const content = isHuman ? marker + text.join('\n') : [{ type: 'text', text: marker + text.join('\n') }];
    const record = {
      parentUuid,
      uuid,
      type: isHuman ? 'user' : 'assistant',
      timestamp: '2026-01-15T10:00:00Z',
      message: { role: isHuman ? 'user' : 'assistant', id: uuid, content },
    };
    parentUuid = uuid;
    return JSON.stringify(record);
  });
}

function read(lines: readonly string[]): Conversation {
  const reader = new TranscriptReader({ estimator: { estimate: () => 0, sample: () => 0 } });
  reader.feed(new TextEncoder().encode(`${lines.join('\n')}\n`));
  return reader.conversation();
}

function render(conversation: Conversation): Promise<TranscriptDocument> {
  const formats = new Formats({ locale: 'en' });
  const options = { title: 'T', sessionId: 's', projectName: 'p', formats, details: undefined };
  const excerpts = { read: () => Promise.resolve([]) };
  return renderTranscript(conversation, options, excerpts);
}

function indexOf(conversation: Conversation, document: TranscriptDocument): MarkIndex {
  const keepits = effectiveKeepits({ projectId: 'p', sessionId: 's' }, findKeepits(conversation));
  const listing: KeepitListing = { keepits, inactive: [], diagnostics: [], failed: [] };
  return new MarkIndex(transcriptMarks(document, listing).marks);
}

function transcriptCase(): BenchCase {
  const conversation = read(rawLines());
  return {
    name: 'keepits: a transcript of 50,000 lines is rendered, with all keepits placed in it',
    baseline: {
      name: 'without keepits',
      run: async () => ({ lines: (await render(conversation)).lineCount }),
    },
    subject: {
      name: 'with keepits',
      run: async () => {
        const document = await render(conversation);
        return { lines: document.lineCount, keepits: indexOf(conversation, document).marks.length };
      },
    },
    aim: { ratio: 1.5, direction: 'atMost' },
    repeats: 9,
  };
}

/** Draws `SCREENS` screens, evenly over the document. */
function scroll(lines: number, draw: (first: number, last: number) => number): Metrics {
  let drawn = 0;
  const startedMs = performance.now();
  for (let screen = 0; screen < SCREENS; screen += 1) {
    const first = Math.floor((screen / SCREENS) * lines);
    drawn += draw(first, first + SCREEN_LINES);
  }
  return { screenMs: (performance.now() - startedMs) / SCREENS, drawn };
}

async function scrollingCase(): Promise<BenchCase> {
  const conversation = read(rawLines());
  const document = await render(conversation);
  const index = indexOf(conversation, document);
  const count = (first: number, last: number): number => {
    const bands = decorationsIn(index, withMargin([{ first, last }]));
    return allBands.reduce((sum, band) => sum + (bands.get(band)?.spans.length ?? 0), 0);
  };
  return {
    name: 'keepits: decorating each screen while scrolling through a transcript of 50,000 lines',
    baseline: { name: 'all keepits at every screen', run: () => scroll(document.lineCount, () => count(0, LINES * 2)) },
    subject: { name: 'those in sight', run: () => scroll(document.lineCount, count) },
    compare: ['screenMs'],
    aim: { ratio: 0.1, direction: 'atMost' },
    limits: { screenMs: 0.5 },
    repeats: 7,
  };
}

function rawCase(): BenchCase {
  const lines = Array.from({ length: 11 }, rawLines).flat().slice(0, LINES);
  const plain = lines.map((line) => line.replaceAll('##keepit', '##marker'));
  const records = new RecordMarks(undefined);
  const look = (all: readonly string[]): Metrics => {
    let keepits = 0;
    for (const [line, text] of all.entries()) keepits += records.ofLine(text, line).marks.length;
    return { keepits };
  };
  return {
    name: `keepits: a raw transcript of ${lines.length.toLocaleString('en')} lines is looked through`,
    baseline: { name: 'without a keepit in it', run: () => look(plain) },
    subject: { name: 'with a keepit in every fourth line', run: () => look(lines) },
    limits: { timeMs: 3000 },
    repeats: 5,
  };
}

function markdownCase(): BenchCase {
  const text = Array.from({ length: LINES }, (_, line) =>
    line % 25 === 0 ? `- ##keepit0.75## Rule ${line} ##keepit:end##` : `Line ${line} with some words in it.`,
  ).join('\n');
  return {
    name: 'keepits: a Markdown document of 50,000 lines is looked through after a keystroke',
    subject: { name: 'all of it', run: () => ({ keepits: textMarks(text).marks.length }) },
    limits: { timeMs: 100 },
    repeats: 9,
  };
}

function editorCase(): BenchCase {
  return {
    name: 'keepits: showing a screen of a transcript of 50,000 lines in a real VS Code',
    baseline: { name: 'no decorations', run: () => metricsOfScript('measureScrolling.mjs', 'off') },
    subject: { name: 'keepits tinted', run: () => metricsOfScript('measureScrolling.mjs', 'on') },
    aim: { ratio: 1.5, direction: 'atMost' },
    limits: { timeMs: 50 },
    repeats: 3,
    warmups: 0,
  };
}

/** Showing keepits in editors. */
export const cases = async (): Promise<BenchCase[]> => [
  transcriptCase(),
  await scrollingCase(),
  rawCase(),
  markdownCase(),
  editorCase(),
];

import { alignBlocks } from '../../../src/core/compression/diff/alignBlocks';
import { diffRow } from '../../../src/core/compression/diff/diffRow';
import { originalBlocks } from '../../../src/core/compression/diff/originalBlocks';
import { collectFacts } from '../../../src/core/compression/facts/collectFacts';
import { sentencesOf } from '../../../src/core/compression/facts/sentences';
import { wordsOf } from '../../../src/core/compression/facts/words';
import { plainText, readPieces } from '../../../src/core/compression/local/pieces';
import { splitSentences } from '../../../src/core/compression/local/sentences';
import { quotedValues } from '../../../src/core/compression/local/terms';
import { readStep } from '../../../src/core/compression/local/toolSteps';
import { SeenLines } from '../../../src/core/compression/local/stepLines';
import { findCodeRanges } from '../../../src/core/keepit/codeRanges';
import { parseKeepits } from '../../../src/core/keepit/markerParser';
import { claimOf } from '../../../src/core/layers/facts/claims';
import { groupsIn, kindsIn } from '../../../src/core/layers/facts/kinds';
import { ownWords } from '../../../src/core/layers/facts/ownWords';
import { rolesIn } from '../../../src/core/layers/facts/roles';
import { ordersIn, rulesIn } from '../../../src/core/layers/facts/ruleFinder';
import { keywordsOf, topicOf } from '../../../src/core/layers/keywords';
import { readL1 } from '../../../src/core/layers/l1Text';
import { writable } from '../../../src/core/layers/writable';
import { harmless } from '../../../src/core/hooks/harmless';
import { choiceIn } from '../../../src/core/notebook/evolution';
import { readNote } from '../../../src/core/notebook/noteDocument';
import { hunksOf } from '../../../src/core/notebook/noteFiles';
import { readSummary } from '../../../src/core/notebook/trackingPoint';
import { cleanLines, escapeMarkdown } from '../../../src/core/presentation/cleanText';
import { parseJsonExcerpt } from '../../../src/core/presentation/jsonExcerpt';
import { recordBlocks } from '../../../src/core/presentation/recordBlocks';
import { textMarks } from '../../../src/core/presentation/textMarks';
import { withoutSecrets } from '../../../src/core/safety/cleanText';
import { privateRanges } from '../../../src/core/safety/privateText';
import { foldedText } from '../../../src/core/search/foldedText';
import { parseQuery } from '../../../src/core/search/searchQuery';
import { readAuthorship } from '../../../src/core/transcript/authorship';
import { sourceMessages, sourceTool } from '../../unit/support/sourceMessages';

const human = (text: string) => sourceMessages(['human', text]);
const claude = (text: string) => sourceMessages(['claude', text]);
const tool = (text: string) =>
  sourceMessages([
    'claude',
    '',
    {
      tools: [
        sourceTool('Bash', { target: text, input: { command: text, file_path: text }, result: text, isError: true }),
      ],
    },
  ]);

/** What reads texts that people, models and programs have written, each with a text as long as it may come. */
export const READERS: readonly (readonly [name: string, read: (text: string) => unknown])[] = [
  ['keepits', parseKeepits],
  ['code ranges', findCodeRanges],
  ['authorship', readAuthorship],
  ['secrets', withoutSecrets],
  ['private text', privateRanges],
  ['sentences of facts', sentencesOf],
  ['sentences of the compressor', splitSentences],
  ['words', wordsOf],
  ['pieces', readPieces],
  ['plain text', plainText],
  ['quoted values', quotedValues],
  ['tool steps', (text) => readStep(tool(text)[0]!.tools[0]!, '/home/ada/', new SeenLines('/home/ada/', false))],
  ['facts of a human', (text) => collectFacts(human(text))],
  ['facts of an assistant', (text) => collectFacts(claude(text))],
  ['facts of tools', (text) => collectFacts(tool(text))],
  ['rules', (text) => rulesIn(human(text)[0]!)],
  ['orders', (text) => ordersIn(human(text)[0]!)],
  ['own words', ownWords],
  ['claims', claimOf],
  ['kinds', (text) => [kindsIn(text), groupsIn(text)]],
  ['roles', rolesIn],
  ['keywords', (text) => keywordsOf(text, text)],
  ['topic', topicOf],
  ['L1', readL1],
  ['texts that are written', writable],
  ['texts for a model', harmless],
  ['choices', choiceIn],
  ['notes', readNote],
  ['changes of notes', (text) => hunksOf(text, `${text}a\n${text}`)],
  ['summaries', readSummary],
  ['lines for a terminal', cleanLines],
  ['Markdown', escapeMarkdown],
  ['torn JSON', (text) => parseJsonExcerpt(`{"a":"${text}`)],
  [
    'records',
    (text) => recordBlocks(JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content: text } })),
  ],
  ['marks', textMarks],
  ['folded text', foldedText],
  ['queries', parseQuery],
  [
    'differences',
    (text) => {
      const [before, after] = [originalBlocks(human(text)), originalBlocks(claude(`${text}b ${text}`))];
      return alignBlocks(before, after).map(diffRow);
    },
  ],
];

/** Has every reader read a text, so that each makes the patterns that it makes at its first use. */
export function readAll(text: string): void {
  for (const [, read] of READERS) read(text);
}

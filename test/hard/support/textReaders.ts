import { alignBlocks, diffRow } from '../../../src/core/versions/diff/diffRow';
import { originalBlocks } from '../../../src/core/versions/diff/compareVersions';
import { collectCheckpoints } from '../../../src/core/material/collectCheckpoints';
import { wordsOf } from '../../../src/core/text/words';
import { plainText, readPieces } from '../../../src/core/versions/local/pieces';
import { sentencesOf, splitSentences } from '../../../src/core/text/sentences';
import { quotedValues } from '../../../src/core/text/terms';
import { readStep, SeenLines } from '../../../src/core/versions/local/toolSteps';
import { findCodeBlocks } from '../../../src/core/keepits/codeRanges';
import { parseKeepits } from '../../../src/core/keepits/markerParser';
import { ownWords } from '../../../src/core/knowledge/facts/ownWords';
import { statedIn } from '../../../src/core/knowledge/facts/stated';
import { readStatement } from '../../../src/core/material/replacing';
import { outcomeText } from '../../../src/core/knowledge/closing';
import { keywordsOf, topicOf } from '../../../src/core/material/keywords';
import { readL1 } from '../../../src/core/knowledge/layerDocuments';
import { withoutSecrets } from '../../../src/core/text/secrets/cleanText';
import { privateRanges } from '../../../src/core/text/secrets/privateText';
import { harmless } from '../../../src/core/claude/hooks/briefText';
import { parseJsonExcerpt, parseTornJson } from '../../../src/core/model/tornJson';
import { readNote, readSummary } from '../../../src/core/knowledge/notes/noteDocument';
import { hunksOf } from '../../../src/core/knowledge/notes/noteFiles';
import { cleanLines, escapeMarkdown } from '../../../src/core/text/cleanText';
import { recordBlocks } from '../../../src/core/sessions/view/recordMarks';
import { textMarks } from '../../../src/core/sessions/view/keepitMarks';
import { secretForms } from '../../../src/core/text/secrets/secretLooks';
import { parseQuery } from '../../../src/core/search/searchQuery';
import { foldedText } from '../../../src/core/search/searchTerms';
import { TermMatcher } from '../../../src/core/search/termMatcher';
import { JsoncError, removeMember, setMember } from '../../../src/core/claude/setup/jsonc';
import { readAuthorship } from '../../../src/core/transcript/authorship';
import { sourceMessages, sourceTool } from '../../unit/support/sourceMessages';

const QUERY = parseQuery('retry the login');

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

const unlessBroken = (edit: () => string) => {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    return error;
  }
};

/** What reads texts that people, models and programs have written, each with a text as long as it may come. */
export const READERS: readonly (readonly [name: string, read: (text: string) => unknown])[] = [
  ['keepits', parseKeepits],
  ['code blocks', findCodeBlocks],
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
  ['facts of a human', (text) => collectCheckpoints(human(text))],
  ['facts of an assistant', (text) => collectCheckpoints(claude(text))],
  ['facts of tools', (text) => collectCheckpoints(tool(text))],
  ['rules', (text) => statedIn(human(text)[0]!)],
  ['own words', ownWords],
  ['statements', (text) => readStatement(text)],
  ['outcomes', outcomeText],
  ['keywords', (text) => keywordsOf(text, text)],
  ['topic', topicOf],
  ['L1', readL1],
  ['texts for a model', harmless],
  ['notes', readNote],
  ['changes of notes', (text) => hunksOf(text, `${text}a\n${text}`)],
  ['summaries', readSummary],
  ['lines for a terminal', cleanLines],
  ['Markdown', escapeMarkdown],
  ['excerpts of JSON', (text) => parseJsonExcerpt(`{"a":"${text}`)],
  ['torn JSON', (text) => [parseTornJson(`{"a":"${text}`), parseTornJson(`[${text}`)]],
  ['settings', (text) => unlessBroken(() => removeMember(setMember(`{"a":["${text}"]}`, ['b'], text), ['a']))],
  ['settings that are anything', (text) => unlessBroken(() => removeMember(`{"a":[${text}]}`, ['a']))],
  [
    'records',
    (text) => recordBlocks(JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content: text } })),
  ],
  ['marks', textMarks],
  ['folded text', foldedText],
  ['queries', parseQuery],
  ['words of a query', (text) => new TermMatcher(QUERY).places(text)],
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
  for (const { pattern } of secretForms()) pattern();
}

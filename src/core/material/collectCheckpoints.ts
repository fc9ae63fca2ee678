import { cutAtWord } from '../text/sentences';
import { wordsOf, bareText } from '../text/words';
import { singleSpaced } from '../text/cleanText';
import type { Checkpoint, SourceMessage, SourceTool } from './types';
import { commandsOf } from './commands';
import { CheckpointTally, type Mention } from './checkpointTally';
import { PathCollector } from './paths';
import { statementsOf } from './statements';

/**
 * What a later session may need of these messages, found by code alone, in any language: what the human asked for, what was decided
 * and why, the files, commands, errors and names that were spoken of or worked on. Without doubles: what was said last counts, what
 * was said often or by the human weighs more. In the order of the messages; linear; the same messages give the same checkpoints.
 */
export function collectCheckpoints(messages: readonly SourceMessage[]): Checkpoint[] {
  const tally = new CheckpointTally();
  const paths = new PathCollector();
  for (const message of messages) {
    paths.addMessage(message);
    for (const find of [statementsOf, commandsOf, errorsOf, identifiersOf]) {
      for (const mention of find(message)) tally.add(mention, message);
    }
  }
  paths.report(tally);
  return tally.all();
}

const MAX_ERROR = 240;
const MAX_LINE = 2000;
const MAX_PER_RESULT = 3;
/** Errors that begin alike are one: what comes later are values. */
const KEY_WORDS = 12;
/** A failure without a line of that kind is told by its first line, unless that opens a long report. */
const SHORT_RESULT = 400;

/** Lines that say that something went wrong, as compilers, runtimes, test runners and shells write it. */
const ERROR_LINES = [
  /^\s*(?:Uncaught\s+)?[\w.$]*(?:Error|Exception|Panic|Failure)\b(?:\s*\[\w+\])?\s*:/,
  /^\s*(?:Uncaught\s+)?(?:fatal|error|panic|critical|FAILED?)\b(?:\[\w+\])?\s*[:!]/,
  /^\s*(?:E\s{2,}\S|npm (?:ERR!|error) (?!A complete log|code|path|errno)\S|(?:✗|✖|×|●|not ok\b|FAIL)\s+\S)/,
  /^\s*[\w./-]+: .*(?:command not found|No such file or directory|Permission denied|not found$)/,
  /(?:^|[\s:)])(?:error(?: TS\d+|\[\w+\])?:\s+\S|ERROR\b[\s:[\]-]+\S)/,
  /\b(?:ECONN\w+|ENOENT|EACCES|EADDRINUSE|ETIMEDOUT|SIGSEGV|OOMKilled|segmentation fault)\b/,
];
/** How lines begin that are about how a tool was used, or that Claude Code put around a result. */
const PROTOCOL = [
  '</',
  "the user doesn't want",
  '[request interrupted',
  'file has not been read',
  'string to replace not found',
  'string:',
  'file has been modified',
  'file has been unexpectedly',
  'inputvalidationerror',
  'traceback (most recent',
  'claude requested permissions',
  'user rejected',
  'no changes to make',
  'cancelled',
  'sibling tool call',
  'at least one read',
];
const PROTOCOL_LINE = /^(?:<\w|Found \d+ matches|(?:Error: )?Exit code \d+$|at\s)/i;
/** Tools that run something: what others return is what they found, and may speak of errors that never happened. */
const RUNS = /^(?:Bash|BashOutput|PowerShell|Shell|mcp__.*(?:run|exec|test|build))/i;

/** The human said no: that is no error. */
const REFUSED = /^(?:The user doesn['’]t want|\[Request interrupted)/i;
/** Terminals are told colours by an escape and such a code. */
const COLOURS = /\p{Cc}\[[\d;]*m/gu;

const WEIGHTS_OF_ERRORS = { failed: 1.5, seen: 1, human: 2 } as const;

/** What went wrong, in the words of who said so: one line each, the first few of each result. */
function errorsOf(message: SourceMessage): Mention[] {
  const shown = message.tools.flatMap((tool) => errorsIn(tool));
  if (message.role !== 'user') return shown;
  return message.texts.flatMap(({ text }) =>
    errorLines(bareText(text)).flatMap((line) => mention(line, WEIGHTS_OF_ERRORS.human)),
  );
}

function errorsIn({ name, result, isError }: SourceTool): Mention[] {
  if (isError ? REFUSED.test(result) : !RUNS.test(name)) return [];
  const lines = errorLines(result);
  if (lines.length === 0 && isError && result.length <= SHORT_RESULT) {
    const first = result.split('\n').find((line) => line.trim() !== '') ?? '';
    return isAboutWork(first) ? mention(first, WEIGHTS_OF_ERRORS.failed) : [];
  }
  return lines.flatMap((line) => mention(line, isError ? WEIGHTS_OF_ERRORS.failed : WEIGHTS_OF_ERRORS.seen));
}

function errorLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length > MAX_LINE || !ERROR_LINES.some((pattern) => pattern.test(line)) || !isAboutWork(line)) continue;
    lines.push(line);
    if (lines.length === MAX_PER_RESULT) break;
  }
  return lines;
}

function isAboutWork(line: string): boolean {
  const text = line.trim().replaceAll('’', "'").slice(0, MAX_ERROR);
  return !PROTOCOL_LINE.test(text) && !PROTOCOL.some((beginning) => text.toLowerCase().startsWith(beginning));
}

/** The same error at another line, or after another time, is the same error. */
function mention(line: string, weight: number): Mention[] {
  const text = cutAtWord(singleSpaced(line.replace(COLOURS, '')), MAX_ERROR);
  const words = wordsOf(text).filter((word) => word.weight > 0 && !/^\d+$/.test(word.stem));
  return words.length < 2
    ? []
    : [
        {
          kind: 'error',
          key: words
            .slice(0, KEY_WORDS)
            .map(({ stem }) => stem)
            .join(' '),
          text,
          weight,
        },
      ];
}

const MAX_NAME = 120;
/** Names of code: `parseLines`, `max_size`, `MAX_SIZE`, `Reader.next`; a dot leads to a member, not to a file. */
const NAME =
  /(?<![\p{L}\p{N}_$./#@-])(?:[a-z][a-z\d]*[A-Z][A-Za-z\d]*|[A-Z][a-z\d]+[A-Z][A-Za-z\d]*|[A-Za-z\d]+(?:_[A-Za-z\d]+)+)(?![\p{L}\p{N}_$/-]|\.[A-Za-z])/gu;
const URL = /https?:\/\/[^\s<>()[\]"'`\\|{}]{4,}/g;
const REFERENCE = /(?<![\p{L}\p{N}_&#/])#\d{1,6}(?!\p{L}|\d)/gu;
/** Versions, flags and ports that are meant to the letter. */
const PIN =
  /(?<![\w-])--[a-z][\w-]+|(?<![\w@/.-])[\w@/.-]{0,100}@\d+(?:\.\d+)+[\w.-]*|(?<![\w.])v?\d+(?:\.\d+){2}(?!\.?\w)|(?<!\w)(?:port|localhost):? ?\d{2,5}(?!\d)/gi;
/** A code span that is one word: a name, an option, a package, a version. */
const CODE_SPAN = /(?<!`)`([^`\s]{3,60})`(?!`)/g;
const NO_NAME =
  /\/|^[^\p{L}#@-]*$|^\.?[\w-]+\.[a-z]{1,5}$|^(?:true|false|null|undefined|none|this|self|string|number|boolean|void|any|(?:java|type)script|git(?:hub|lab)|vs ?code)$/iu;

/** Marked as code, but a word like any other. */
const PLAIN_WORD = /^\p{L}\p{Ll}*$/u;

const WEIGHTS_OF_NAMES = { human: 1.5, marked: 0.7, plain: 0.5, word: 0.3 } as const;

/** The names that a message's words use: of code, addresses, numbers of issues. Tool calls are not looked at. */
function identifiersOf(message: SourceMessage): Mention[] {
  const found = new Map<string, Mention>();
  const add = (raw: string, weight: number, isArtifact = false): void => {
    const key = raw.replace(/^["'“*]+|(?<!["'”.,;:!?*])["'”.,;:!?*]+$/g, '').replace(/\(\)$/, '');
    if (key.length < 2 || key.length > MAX_NAME || wordsOf(key).length === 0) return;
    const known = found.get(key);
    const counts = message.role === 'user' ? weight * WEIGHTS_OF_NAMES.human : weight;
    if (known === undefined || known.weight < counts)
      found.set(key, { kind: 'identifier', key, text: key, weight: counts, isArtifact });
  };
  for (const block of message.texts) {
    const text = bareText(block.text);
    for (const [url] of text.matchAll(URL)) add(url, WEIGHTS_OF_NAMES.marked);
    for (const [pin] of text.replace(URL, ' ').matchAll(PIN)) add(pin, WEIGHTS_OF_NAMES.marked, true);
    for (const [reference] of text.matchAll(REFERENCE)) add(reference, WEIGHTS_OF_NAMES.marked);
    for (const [, span = ''] of text.matchAll(CODE_SPAN))
      if (!NO_NAME.test(span)) add(span, PLAIN_WORD.test(span) ? WEIGHTS_OF_NAMES.word : WEIGHTS_OF_NAMES.marked);
    for (const [name] of text.replace(URL, ' ').matchAll(NAME))
      if (!NO_NAME.test(name)) add(name, WEIGHTS_OF_NAMES.plain);
  }
  return [...found.values()];
}

import type { SourceMessage, SourceTool } from './types';
import type { Mention } from './factTally';
import { bareText } from './saidText';
import { cutAtWord } from '../text/sentences';
import { wordsOf } from '../text/words';
import { singleSpaced } from '../text/singleSpaced';

const MAX_ERROR = 240;
const MAX_LINE = 2000;
const MAX_PER_RESULT = 3;
/** Errors that begin alike are one: what comes later are values. */
const KEY_WORDS = 12;
/** A failure without a line of that kind is told by its first line, unless that opens a long report. */
const SHORT_RESULT = 400;

/** A line that says that something went wrong, as compilers, runtimes, test runners and shells write it. */
const ERROR_LINE =
  /^\s*(?:Uncaught\s+)?(?:[\w.$]*(?:Error|Exception|Panic|Failure)\b(?:\s*\[\w+\])?\s*:|(?:fatal|error|panic|critical|FAILED?)\b(?:\[\w+\])?\s*[:!]|E\s{2,}\S|npm (?:ERR!|error) (?!A complete log|code|path|errno)\S|(?:✗|✖|×|●|not ok\b|FAIL)\s+\S|[\w./-]+: .*(?:command not found|No such file or directory|Permission denied|not found$))|(?:^|[\s:)])(?:error(?: TS\d+|\[\w+\])?:\s+\S|ERROR\b[\s:[\]-]+\S)|\b(?:ECONN\w+|ENOENT|EACCES|EADDRINUSE|ETIMEDOUT|SIGSEGV|OOMKilled|segmentation fault)\b/;
/** Words about how a tool was used, or what Claude Code put around a result. */
const PROTOCOL =
  /^(?:<\/?\w|The user doesn['’]t want|\[Request interrupted|File has not been read|String(?: to replace not found|:)|Found \d+ matches|File has been (?:modified|unexpectedly)|InputValidationError|Exit code \d+$|Error: Exit code \d+$|Traceback \(most recent|\s*at\s|Claude requested permissions|User rejected|No changes to make|Cancelled|Sibling tool call|at least one read)/i;
/** Tools that run something: what others return is what they found, and may speak of errors that never happened. */
const RUNS = /^(?:Bash|BashOutput|PowerShell|Shell|mcp__.*(?:run|exec|test|build))/i;

/** The human said no: that is no error. */
const REFUSED = /^(?:The user doesn['’]t want|\[Request interrupted)/i;
/** Terminals are told colours by an escape and such a code. */
const COLOURS = /\p{Cc}\[[\d;]*m/gu;

const weights = { failed: 1.5, seen: 1, human: 2 } as const;

/** What went wrong, in the words of who said so: one line each, the first few of each result. */
export function errorsOf(message: SourceMessage): Mention[] {
  const shown = message.tools.flatMap((tool) => errorsIn(tool));
  if (message.role !== 'user') return shown;
  return message.texts.flatMap(({ text }) =>
    errorLines(bareText(text)).flatMap((line) => mention(line, weights.human)),
  );
}

function errorsIn({ name, result, isError }: SourceTool): Mention[] {
  if (isError ? REFUSED.test(result) : !RUNS.test(name)) return [];
  const lines = errorLines(result);
  if (lines.length === 0 && isError && result.length <= SHORT_RESULT) {
    const first = result.split('\n').find((line) => line.trim() !== '') ?? '';
    return isAboutWork(first) ? mention(first, weights.failed) : [];
  }
  return lines.flatMap((line) => mention(line, isError ? weights.failed : weights.seen));
}

function errorLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length > MAX_LINE || !ERROR_LINE.test(line) || !isAboutWork(line)) continue;
    lines.push(line);
    if (lines.length === MAX_PER_RESULT) break;
  }
  return lines;
}

function isAboutWork(line: string): boolean {
  return !PROTOCOL.test(line.trim());
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

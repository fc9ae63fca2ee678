import { cutAtWord, sentencesOf } from '../../text/sentences';
import { REASON } from '../../material/statements';
import { wordsOf } from '../../text/words';
import { errorLine, outcomeOf, resultLines } from '../../material/toolOutcome';
import type { SourceMessage, SourceTool } from '../../material/types';
import type { ExchangeOutcome } from '../../model/layers';
import { writable } from '../../text/secrets/cleanText';
import type { FactEvidence } from './ruleFinder';
import { ToldByTools } from './toldByTools';

/** A problem that was met again and again, and what ended it. */
export interface FoundSolution {
  readonly problem: string;
  readonly solution: string;
  readonly attempts: number;
  readonly key: string;
  /** Seed 003: ten times the same, or several failures and then success. */
  readonly trigger: 'repeated' | 'breakthrough';
  readonly files: readonly string[];
  readonly evidence: FactEvidence;
}

const LEAST_FAILURES = 2;
const REPEATED = 10;
const COMMAND_WORDS = 4;
const MAX_TEXT = 240;
const MAX_COMMAND = 60;

/** A problem that was met and is not solved yet. */
interface OpenProblem {
  readonly key: string;
  readonly problem: string;
  attempts: number;
}

/** One turn, as far as solutions are concerned. */
export interface SolvedTurn {
  readonly messages: readonly SourceMessage[];
  readonly outcome: ExchangeOutcome;
  readonly request: string;
  readonly result: string;
  /** Whether the human has gone on after it: only then is it known whether the result was accepted. */
  readonly isSettled: boolean;
}

/** Follows problems from turn to turn. */
export class SolutionFinder {
  /** What is not solved yet. */
  private readonly open = new Map<string, OpenProblem>();

  /** The solutions that a turn brought. */
  read(turn: SolvedTurn): FoundSolution[] {
    return [...this.commands(turn), ...(turn.isSettled ? this.corrections(turn) : [])];
  }

  /** A command that failed, and failed, and then did not. */
  private *commands({ messages }: SolvedTurn): Generator<FoundSolution> {
    let [edited, said]: [string[], string[]] = [[], []];
    const told = new ToldByTools(messages);
    for (const [at, message] of messages.entries()) {
      said.push(...foundBy(message, told));
      for (const tool of message.tools) {
        const path = tool.input['file_path'];
        if (/^(?:Edit|MultiEdit|Write)/.test(tool.name) && typeof path === 'string' && !tool.isError) edited.push(path);
        const { key, line } = commandOf(tool);
        if (key === '') continue;
        const failure = failureOf(tool);
        if (failure !== '') this.meet(`run ${key}`, `\`${line}\` failed: ${failure}`);
        else {
          const solved = this.end(`run ${key}`);
          const solution = solved && (meantIn(said, edited) || toldIn(messages.slice(at), told) || changed(edited));
          if (solved && solution) yield solutionOf(solved, solution, { message, files: edited });
          [edited, said] = [[], []];
        }
      }
    }
  }

  /** A request that had to be made again, and again, until the result was left alone. */
  private *corrections({ messages, outcome, request, result }: SolvedTurn): Generator<FoundSolution> {
    const [message] = messages;
    if (outcome === 'corrected') this.meet('asked', request);
    if (outcome !== 'done' || message === undefined) return;
    const solved = this.end('asked');
    if (solved !== undefined && result !== '') yield solutionOf(solved, result, { message, files: [] });
  }

  private meet(key: string, problem: string): void {
    const known = this.open.get(key);
    if (known === undefined) this.open.set(key, { key, problem, attempts: 1 });
    else known.attempts += 1;
  }

  /** Closes a problem; it is worth a word when it had failed often enough. */
  private end(key: string): OpenProblem | undefined {
    const known = this.open.get(key);
    this.open.delete(key);
    return known !== undefined && known.attempts >= LEAST_FAILURES && known.problem !== '' ? known : undefined;
  }
}

function solutionOf(
  { problem, attempts }: OpenProblem,
  solution: string,
  { message, files }: { message: SourceMessage; files: readonly string[] },
): FoundSolution {
  const key = wordsOf(problem)
    .filter(({ weight, stem }) => weight > 0 && !/^\d+$/.test(stem))
    .slice(0, 12)
    .map(({ stem }) => stem)
    .join(' ');
  return {
    problem: cutAtWord(writable(problem), MAX_TEXT),
    solution: cutAtWord(writable(solution), MAX_TEXT),
    attempts: attempts + 1,
    key,
    trigger: attempts >= REPEATED ? 'repeated' : 'breakthrough',
    files: [...new Set(files)],
    evidence: {
      messageUuid: message.uuid,
      excerpt: cutAtWord(writable(solution), MAX_TEXT),
      ...(message.timestamp && { ts: message.timestamp }),
    },
  };
}

/** Commands that begin alike are the same try. */
function commandOf({ name, input }: SourceTool): { key: string; line: string } {
  const { command } = input;
  if (!/^(?:Bash|PowerShell|Shell)$/.test(name) || typeof command !== 'string') return { key: '', line: '' };
  const [line = ''] = command.replace(/^\s*cd \S+\s*(?:&&|;)\s*/, '').split(/\n|&&|\|\||;|\|/);
  const stems = wordsOf(line).map(({ stem }) => stem);
  return {
    key: stems.slice(0, COMMAND_WORDS).join(' '),
    line: cutAtWord(commandLine(line), MAX_COMMAND),
  };
}

/** As it would be named: without a program that stands in it. */
function commandLine(line: string): string {
  const bare = line.replaceAll('`', '').replace(/(?<!\s)\s+-[ce]\s*["'].*$/, '');
  return readable(bare).trim();
}

/** The line that names what went wrong; '' for success, and for a call that a person refused. */
function failureOf(tool: SourceTool): string {
  const lines = resultLines(tool);
  const { isError, isRefused, line } = outcomeOf(tool, lines);
  if (isRefused) return '';
  if (isError) return readable(line);
  return /\b[1-9]\d* (?:failed|failing|errors?)\b/i.test(tool.result) ? readable(errorLine(lines)) : '';
}

/** Without the numbers of lines before code, and with as much of a path as tells the file. */
function readable(line: string): string {
  return line
    .replace(/^\d+\s*[|│]\s*/, '')
    .replace(/(?:\/[\p{L}\p{N}_.@-]+){2,}(?=(?:\/[\p{L}\p{N}_.@-]+){2})\//gu, '');
}

/** The sentences of the assistant that are its own. */
function foundBy({ role, texts, index }: SourceMessage, told: ToldByTools): string[] {
  if (role !== 'assistant') return [];
  return texts.flatMap(({ text }) => sentencesOf(text)).filter((sentence) => !told.holds(sentence, index));
}

/** Says what is to be done about it, as against what is looked at next. */
const MEANT =
  /^(?:(?:now|so|ok(?:ay)?|perfect|great|actually|first|next)[,!.]?\s+)*(?:(?:I|we)(?:['’]ll| will| need to| have to| should| must)|let me)\s+(?:need to |try |just |simply |instead )*(?!check|see|run|re-?run|look|debug|examine|read|test|verify|find|investigate|create|fix|try|search|explore|clean|continue|update|make sure|take|also)(?=[a-z])/iu;
/** Says that something put an end to it. */
const HELPED =
  /\b(?:fixed|solved|resolved|ended|cured|avoids|prevents)\b|gelöst|beendet|résolu|evita|resuelt|resolvid|решил|устранил|解决|解決|해결/iu;
const LEAST_WORDS = 4;

/** What the assistant said was the matter, or meant to do about it, before it worked; '' where it did not say. */
function meantIn(said: readonly string[], edited: readonly string[]): string {
  const reason = said.findLast((sentence) => isTelling(sentence) && REASON.test(sentence));
  if (reason !== undefined || edited.length === 0) return reason ?? '';
  const meant = said.findLast((sentence) => isTelling(sentence) && MEANT.test(sentence))?.replace(MEANT, '') ?? '';
  return meant.charAt(0).toUpperCase() + meant.slice(1);
}

/** What the assistant said had been the matter, or had helped, once it worked. */
function toldIn(messages: readonly SourceMessage[], told: ToldByTools): string {
  const telling = messages.flatMap((message) => foundBy(message, told)).filter(isTelling);
  return telling.find((sentence) => REASON.test(sentence)) ?? telling.find((sentence) => HELPED.test(sentence)) ?? '';
}

/** Nobody said what it was: what was changed before it worked is known all the same. */
function changed(files: readonly string[]): string {
  const names = [...new Set(files.map(readable))];
  return names.length === 0 ? '' : `A change to ${names.join(', ')}`;
}

/** Says something by itself, rather than that something follows. */
function isTelling(sentence: string): boolean {
  return !/[:：]$/.test(sentence) && wordsOf(sentence).filter(({ weight }) => weight > 0).length >= LEAST_WORDS;
}

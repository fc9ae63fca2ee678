import { mainCommand } from '../../material/commands';
import { fileOf, isWriting, textOf, toolKind } from '../../material/toolKinds';
import { errorLine, isReply, outcomeOf, resultLines } from '../../material/toolOutcome';
import type { SourceMessage, SourceTool } from '../../material/types';
import { cutAtWord } from '../../text/sentences';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { statementsIn } from '../closing';
import { evidenceOf, wordsKey, type FactEvidence } from './stated';

/** A command that failed again and again, and what was changed before it passed: fields of the records, no sentence of ours. */
export interface FoundSolution {
  readonly problem: string;
  readonly solution: string;
  readonly attempts: number;
  readonly key: string;
  /** Seed 003: ten times the same, or several failures and then success. */
  readonly trigger: 'repeated' | 'breakthrough';
  readonly files: readonly string[];
  /** Where it passed, then where it had failed first. */
  readonly evidence: readonly [FactEvidence, FactEvidence];
}

const LEAST_FAILURES = 2;
const REPEATED = 10;
const MAX_TEXT = 240;
const MAX_COMMAND = 100;
const MOST_FILES = 5;

/** A command that has failed and not passed yet. */
interface OpenProblem {
  readonly command: string;
  readonly error: string;
  readonly message: SourceMessage;
  readonly files: Set<string>;
  attempts: number;
}

/** Follows the commands of a session from turn to turn. */
export class SolutionFinder {
  private readonly open = new Map<string, OpenProblem>();

  /** The solutions that a turn brought; `answer` is what the human said then, which some clients write as the result of a refused call. */
  read(messages: readonly SourceMessage[], answer: string): FoundSolution[] {
    const found: FoundSolution[] = [];
    for (const [at, message] of messages.entries()) {
      for (const tool of message.tools) {
        const path = isWriting(tool) && !tool.isError ? fileOf(tool) : '';
        if (path !== '') for (const problem of this.open.values()) problem.files.add(path);
        const solved = isReply(tool, answer) ? undefined : this.run(tool, message);
        if (solved !== undefined) found.push(solutionOf(solved, messages.slice(at)));
      }
    }
    return found;
  }

  private run(tool: SourceTool, message: SourceMessage): OpenProblem | undefined {
    const command = commandOf(tool);
    if (command === '') return undefined;
    const lines = resultLines(tool);
    const outcome = outcomeOf(tool, lines);
    if (outcome.isRefused) return undefined;
    const error = outcome.isError ? outcome.line : reportedFailure(tool, lines);
    const known = this.open.get(command);
    if (error === undefined) {
      this.open.delete(command);
      return known !== undefined && known.attempts >= LEAST_FAILURES && known.files.size > 0 ? known : undefined;
    }
    if (known === undefined) this.open.set(command, { command, error, message, files: new Set(), attempts: 1 });
    else known.attempts += 1;
    return undefined;
  }
}

function solutionOf(
  { command, error, message, files, attempts }: OpenProblem,
  following: readonly SourceMessage[],
): FoundSolution {
  const said = following.flatMap(({ role, texts }, at) =>
    role === 'assistant' ? texts.slice(at === 0 ? -1 : 0).map(({ text }) => text) : [],
  );
  const [first] = said.flatMap((text) => statementsIn(text));
  const changed = [...files].slice(-MOST_FILES).join(', ');
  const passed = following[0] ?? message;
  const problem = cutAtWord(withoutSecrets(`\`${cutAtWord(command, MAX_COMMAND)}\`: ${error}`), MAX_TEXT);
  const solution = cutAtWord(withoutSecrets(first === undefined ? changed : `${changed} — “${first}”`), MAX_TEXT);
  return {
    problem,
    solution,
    attempts: attempts + 1,
    key: wordsKey(`${command} ${error}`),
    trigger: attempts >= REPEATED ? 'repeated' : 'breakthrough',
    files: [...files],
    evidence: [evidenceOf(passed, solution), evidenceOf(message, problem)],
  };
}

/** What a command line does, without the folder it does it in; '' where it only looks, or holds a program of its own. */
function commandOf(tool: SourceTool): string {
  const command = toolKind(tool).kind === 'command' ? textOf(tool, 'command') : '';
  return /\s-[ce]\s|<</.test(command) ? '' : mainCommand(command);
}

/** The line that names what went wrong where the call itself went well. */
function reportedFailure({ result }: SourceTool, lines: readonly string[]): string | undefined {
  return /\b[1-9]\d* (?:failed|failing|errors?)\b/i.test(result) ? errorLine(lines) : undefined;
}

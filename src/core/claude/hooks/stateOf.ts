import { uniqueBy } from '../../text/ownValue';
import { isWork, outcomeText, plainLine } from '../../knowledge/closing';
import { deedsOf, openTasks } from '../../material/deeds';
import { isApprovedPlan, planText } from '../../knowledge/facts/decisions';
import { ownSentences, statedIn } from '../../knowledge/facts/stated';
import { bareSaidIn, isCourtesy, isProse } from '../../material/statements';
import { fileOf, isWriting, textOf } from '../../material/toolKinds';
import type { SourceMessage } from '../../material/types';
import type { SessionState } from '../../model/preparedBrief';
import { hasPhrase } from '../../text/phrases';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { sentencesOf, shortened } from '../../text/sentences';
import { wordsOf } from '../../text/words';

const MAX_REQUEST = 220;
const MAX_PASTED = 80;
const MAX_OUTCOME = 280;
const MAX_PLAN = 200;
const MOST_TASKS = 12;
const MOST_FILES = 12;
const MOST_DEEDS = 3;
/** `ok`, `commit that`: what it is about was asked before. */
const LEAST_WORDS = 2;
const BARE_COMMAND = /^\/[\p{L}\p{N}:_-]+$/u;
/** What is said in and on a request: less is a thank-you. */
const LEAST_WORTH = 4;

/** What was asked last, what came of it, and what is left to do. */
export function stateOf(
  messages: readonly SourceMessage[],
): Pick<SessionState, 'request' | 'outcome' | 'tasks' | 'tasksUuid' | 'done' | 'plan' | 'files' | 'isWork'> {
  const request = lastRequest(messages);
  const answers = messages.filter(
    (message) => message.role === 'assistant' && request !== undefined && message.index > request.index,
  );
  const answer =
    answers.findLast((message) => outcomeText(bareSaidIn(message)) !== '') ??
    answers.findLast((message) => cameOf(bareSaidIn(message)) !== '');
  const { tasks, uuid } = openTasks(messages);
  const tools = messages.flatMap((message) => message.tools);
  const changed = tools.filter((tool) => isWriting(tool) && !tool.isError).map(fileOf);
  const deeds = uniqueBy(deedsOf(messages), ({ text }) => text).slice(-MOST_DEEDS);
  const deedsUuid = deeds.at(-1)?.uuid;
  return {
    request: request && { text: askedIn(request), uuid: request.uuid },
    outcome: answer && { text: cameOf(bareSaidIn(answer)), uuid: answer.uuid },
    tasks: tasks.slice(0, MOST_TASKS).map((task) => cut(withoutSecrets(task), MAX_PLAN)),
    tasksUuid: tasks.length === 0 ? undefined : uuid,
    done:
      deedsUuid === undefined
        ? undefined
        : { text: cut(withoutSecrets(deeds.map(({ text }) => text).join('; ')), MAX_OUTCOME), uuid: deedsUuid },
    plan: openPlan(messages),
    files: [...new Set(changed.filter((file) => file !== ''))].slice(-MOST_FILES),
    isWork: messages.some(isWorkedOn) || tools.length >= MANY_CALLS,
  };
}

/** Who only looks, but at much, works on something, too. */
const MANY_CALLS = 5;
const DECIDING = /^(?:AskUserQuestion|ExitPlanMode)$/;

/** A change, a command that does something, or a word of the user's that holds. */
function isWorkedOn(message: SourceMessage): boolean {
  return message.tools.some((tool) => isWork(tool) || DECIDING.test(tool.name)) || statedIn(message).length > 0;
}

/** The last one that says something, and was worked on, answered or left waiting: not `Thank you!`. */
function lastRequest(messages: readonly SourceMessage[]): SourceMessage | undefined {
  let last: SourceMessage | undefined;
  let request: SourceMessage | undefined;
  let worth = 0;
  const settle = (): void => {
    if (request !== undefined && (last === undefined || worth >= LEAST_WORTH)) last = request;
  };
  for (const message of messages) {
    if (isAsked(message) && isTelling(bareSaidIn(message))) {
      settle();
      request = message;
      worth = tellingWords(bareSaidIn(message));
    } else if (message.role === 'assistant') {
      worth += message.tools.length > 0 ? LEAST_WORTH : tellingWords(bareSaidIn(message));
    }
  }
  settle();
  return last ?? messages.findLast(isAsked);
}

function isAsked({ role, origin, texts }: SourceMessage): boolean {
  return role === 'user' && origin !== 'answer' && texts.length > 0;
}

/** A command by its name alone, a thank-you, or a log that was pasted without a word says nothing of the work. */
function isTelling(text: string): boolean {
  if (tellingWords(text) < LEAST_WORDS || BARE_COMMAND.test(text) || isCourtesy(text)) return false;
  return ownProse(text).length > 0;
}

function ownProse(text: string): string[] {
  return ownSentences(text).filter((sentence) => isProse(sentence));
}

/** What people say in words of their own goes before what they paste; of that alone it is how it begins. */
function askedIn(message: SourceMessage): string {
  const text = bareSaidIn(message);
  const own = ownProse(text);
  return own.length > 0 ? cut(own.join(' '), MAX_REQUEST) : cut(text, MAX_PASTED);
}

function tellingWords(text: string): number {
  return wordsOf(text.slice(0, MAX_REQUEST)).filter(({ weight }) => weight > 0).length;
}

/** Claude's own summary of its work; where it has none, such as before a question, how its words end. */
function cameOf(text: string): string {
  const told = outcomeText(text);
  const last = sentencesOf(text).at(-1) ?? '';
  return cut(told === '' && !hasPhrase('announces', last) ? last : told, MAX_OUTCOME);
}

function cut(text: string, length: number): string {
  return shortened(plainLine(text), length);
}

const COMMIT = /\bgit\b[^|;&]{0,80}\bcommit\b/;

function openPlan(messages: readonly SourceMessage[]): SessionState['plan'] {
  let plan: SessionState['plan'];
  for (const { uuid, tools } of messages) {
    for (const tool of tools) {
      if (isApprovedPlan(tool)) {
        const { title, points } = planText(textOf(tool, 'plan'));
        plan = { text: cut(`${title}: ${points}`, MAX_PLAN), uuid };
      }
      if (!tool.isError && COMMIT.test(textOf(tool, 'command'))) plan = undefined;
    }
  }
  return plan;
}

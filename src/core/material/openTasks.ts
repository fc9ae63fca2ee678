import { singleSpaced } from '../text/cleanText';
import type { SourceMessage, SourceTool } from './types';

/** What a list of tasks leaves open. */
export interface OpenTasks {
  readonly tasks: readonly string[];
  /** The message that changed the list last; '' where there was none. */
  readonly uuid: string;
}

const LIST = 'TodoWrite';
const CREATED = /#(\d{1,6})\b/;
const ENDED = new Set(['completed', 'deleted', 'cancelled']);

/** The last state of a session's list of tasks, whichever of Claude Code's tools kept it. */
export function openTasks(messages: readonly SourceMessage[]): OpenTasks {
  let tasks = new Map<string, { readonly text: string; readonly isOpen: boolean }>();
  let uuid = '';
  for (const message of messages) {
    for (const tool of message.tools) {
      if (tool.isError || !/^(?:TodoWrite|TaskCreate|TaskUpdate)$/.test(tool.name)) continue;
      uuid = message.uuid;
      if (tool.name === LIST) tasks = listed(tool);
      else changeTask(tasks, tool);
    }
  }
  return { tasks: [...tasks.values()].filter(({ isOpen }) => isOpen).map(({ text }) => text), uuid };
}

function listed({ input }: SourceTool): ReturnType<typeof tasksIn> {
  return tasksIn(Array.isArray(input['todos']) ? input['todos'] : []);
}

function tasksIn(todos: readonly unknown[]): Map<string, { text: string; isOpen: boolean }> {
  return new Map(
    todos.flatMap((todo, at) => {
      const text = fieldOf(todo, 'content');
      return text === '' ? [] : [[`list ${at}`, { text, isOpen: !ENDED.has(fieldOf(todo, 'status')) }] as const];
    }),
  );
}

function changeTask(tasks: Map<string, { text: string; isOpen: boolean }>, { name, input, result }: SourceTool): void {
  const text = fieldOf(input, 'subject');
  if (name === 'TaskCreate') {
    const id = CREATED.exec(result)?.[1] ?? `new ${tasks.size}`;
    if (text !== '') tasks.set(id, { text, isOpen: true });
    return;
  }
  const id = fieldOf(input, 'taskId');
  const task = tasks.get(id);
  if (task === undefined) return;
  const status = fieldOf(input, 'status');
  tasks.set(id, { text: text === '' ? task.text : text, isOpen: status === '' ? task.isOpen : !ENDED.has(status) });
}

/** A field in one line, '' when it is no text. */
function fieldOf(value: unknown, field: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = new Map<string, unknown>(Object.entries(value)).get(field);
  return typeof found === 'string' ? singleSpaced(found) : '';
}

import { singleSpaced } from '../text/cleanText';
import { findProjectRoot, withoutRoot } from './projectRoot';
import { fileOf, isWriting, textOf, toolKind } from './toolKinds';
import type { SourceMessage, SourceTool } from './types';

/** Something that left a working copy, in the words of the record: a commit, a push, a pull request, a release. */
interface Deed {
  readonly text: string;
  readonly uuid: string;
}

const GIVES_AWAY = /\b(?:git\s[^|;&\n]{0,80}\b(?:commit|push)|gh (?:pr|release) create|(?:npm|pnpm|yarn) publish)\b/;
const COMMITTED = /^\[[^\]\n]{1,120} ([0-9a-f]{7,40})\] (\S.{0,200})$/gm;
const PUSHED = /^ {1,3}(?:\* \[new (?:branch|tag)\]|\+? ?[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}) +(\S{1,120}) +-> \S/gm;
const OPENED = /^https:\/\/\S{1,200}\/(?:pull|merge_requests|releases\/tag)\/\S{1,80}$/gm;
const PUBLISHED = /^\+ (@?[\w./-]{1,120}@\d\S{0,40})$/gm;

/** What was committed, pushed, opened and published, in order. */
export function deedsOf(messages: readonly SourceMessage[]): Deed[] {
  return messages.flatMap(({ uuid, tools }) =>
    tools
      .filter((tool) => !tool.isError && GIVES_AWAY.test(textOf(tool, 'command')))
      .flatMap(({ result }) => toldIn(result).map((text) => ({ text: singleSpaced(text), uuid }))),
  );
}

function toldIn(result: string): string[] {
  return [
    ...[...result.matchAll(COMMITTED)].map(([, hash = '', subject = '']) => `commit ${hash.slice(0, 7)} “${subject}”`),
    ...[...result.matchAll(PUSHED)].map(([, ref = '']) => `pushed ${ref}`),
    ...[...result.matchAll(OPENED)].map(([url]) => `opened ${url}`),
    ...[...result.matchAll(PUBLISHED)].map(([, name = '']) => `published ${name}`),
  ];
}

/** A file that a session worked with, as it is called in its project. */
export interface FileUse {
  readonly path: string;
  readonly isWritten: boolean;
}

/** The files that were written, then those that were read. */
export function filesOf(messages: readonly SourceMessage[]): FileUse[] {
  const root = findProjectRoot(messages);
  const files = new Map<string, boolean>();
  for (const tool of messages.flatMap(({ tools }) => tools)) {
    const path = withoutRoot(fileOf(tool), root);
    const isWritten = isWriting(tool);
    if (tool.isError || path === '' || !(isWritten || toolKind(tool).kind === 'read')) continue;
    files.set(path, files.get(path) === true || isWritten);
  }
  const uses = [...files].map(([path, isWritten]) => ({ path, isWritten }));
  return uses.sort((a, b) => Number(b.isWritten) - Number(a.isWritten));
}

/** The lines that one edit took out and put in, without those that it left alone. */
export interface Change {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What a call changed in a file, edit by edit. */
export function changesIn({ input }: SourceTool): Change[] {
  const edits: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  return edits.flatMap((edit) => {
    if (typeof edit !== 'object' || edit === null) return [];
    const before = 'old_string' in edit && typeof edit.old_string === 'string' ? edit.old_string : '';
    const after = 'new_string' in edit ? edit.new_string : input['new_source'];
    return [changeOf(before.split('\n'), typeof after === 'string' ? after.split('\n') : [])];
  });
}

function changeOf(before: readonly string[], after: readonly string[]): Change {
  const [kept, put] = [new Set(before), new Set(after)];
  const isTold = (line: string, others: ReadonlySet<string>): boolean => line.trim() !== '' && !others.has(line);
  return { removed: before.filter((line) => isTold(line, put)), added: after.filter((line) => isTold(line, kept)) };
}

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
      if (tool.name === LIST) tasks = tasksIn(tool.input['todos']);
      else changeTask(tasks, tool);
    }
  }
  return { tasks: [...tasks.values()].filter(({ isOpen }) => isOpen).map(({ text }) => text), uuid };
}

function tasksIn(todos: unknown): Map<string, { text: string; isOpen: boolean }> {
  const list: readonly unknown[] = Array.isArray(todos) ? todos : [];
  return new Map(
    list.flatMap((todo, at) => {
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

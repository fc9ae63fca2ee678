import { SET_FILES, type RollingResult } from '../../core/knowledge/rolling/rollingService';
import { cleanLines } from '../../core/text/cleanText';
import { formatBytes } from '../../core/text/formats';
import { command } from '../command';
import { argument, oneOf, option, optional, text, textOfFile, theSession } from '../fields';
import type { Lines, Page } from '../page';

const MEMORY = 'memory.md';

/** How a turn of the rolling memory is told. */
const told = {
  text({ newMessages, counter, rotated, memoryTokens }: RollingResult, { good, plural, exact }: Page): Lines {
    const taken = newMessages === 0 ? 'nothing taken in' : `${plural(newMessages, 'message')} taken in`;
    return [
      `${taken} · ${MEMORY} ${plural(memoryTokens, 'token')} · counter ${exact(counter)}`,
      rotated.map((name) => `${good('✓ rotated')}  ${name}`),
    ];
  },
} as const;

export const memoryCheck = command({
  ...told,
  name: 'memory check',
  summary: 'Count a turn; every 25th takes in what is new of the session',
  details: ['Made for hooks. The digest goes to memory.md beside the layers, which rotates at 23,750 tokens.'],
  input: { session: theSession },
  examples: ['memory check e3580bc6'],
  run: async ({ session }, { memory, signal }) => memory.rolling.check(session, signal),
});

export const memoryFinal = command({
  ...told,
  name: 'memory final',
  summary: 'Take in what is new of a session, and bring its layers up to date',
  details: ['Each message is taken in at most once, however often this is called. No model is asked.'],
  input: { session: theSession },
  examples: ['memory final e3580bc6'],
  run: async ({ session }, { memory, signal }) => memory.rolling.final(session, signal),
});

export const memoryReset = command({
  ...told,
  name: 'memory reset',
  summary: 'Set the counter of turns back to 0',
  details: ['Where memory.md has grown too large, as other tools may leave it, it is rotated into archives.'],
  examples: ['memory reset'],
  run: async (_input, { scope, memory }) => memory.rolling.reset(await scope.onlyProject()),
});

export const memorySummarize = command({
  name: 'memory summarize',
  summary: 'Write the summaries of archives that have none',
  details: ['memory_YYYYMMDD_HHMMSS.summary.json: themes, decisions, issues. No model is asked.'],
  examples: ['memory summarize'],
  run: async (_input, { scope, memory }) => ({ written: await memory.rolling.summarize(await scope.onlyProject()) }),
  text: ({ written }) => (written.length === 0 ? 'Nothing to write.' : written),
});

export const memoryList = command({
  name: 'memory list',
  summary: 'List the files of the rolling memory',
  examples: ['memory list', 'memory list --json'],
  async run(_input, { scope, memory }) {
    const projectId = await scope.onlyProject();
    return { files: await memory.rolling.list(projectId), index: await memory.rolling.index(projectId) };
  },
  text: ({ files }) =>
    files.length === 0
      ? 'There are none yet.'
      : files.map(({ name, kind, bytes }) => `${name}  ${kind}  ${formatBytes(bytes)}`),
});

export const memoryGet = command({
  name: 'memory get',
  summary: 'Print a file of the rolling memory',
  input: { file: optional(text, 'memory.md unless told; as `memory list` prints it') },
  examples: ['memory get', 'memory get conventions.md'],
  async run({ file: name = MEMORY }, { scope, memory, wrong }) {
    const projectId = await scope.onlyProject();
    const files = await memory.rolling.list(projectId);
    if (name !== MEMORY && !files.some((file) => file.name === name)) throw wrong(`${name} is no file of the memory.`);
    return { name, text: await memory.rolling.get(projectId, name) };
  },
  text: (file) => cleanLines(file.text.trimEnd()),
});

const shortNames = Object.fromEntries(SET_FILES.map((file) => [file.replace('.md', ''), file]));

export const memorySet = command({
  name: 'memory set',
  summary: 'Replace project.md, architecture.md or conventions.md',
  details: ['Secrets and <private> passages are left out.'],
  input: {
    file: argument(oneOf(SET_FILES, shortNames), SET_FILES.join(', ')),
    text: option(text, 'TEXT', 'What it is to say'),
    from: option(textOfFile, 'FILE', 'A file that says it'),
  },
  examples: ['memory set conventions.md --from notes.md', 'memory set project.md --text "A ledger."'],
  async run({ file: name, text: words, from }, { scope, memory, wrong }) {
    if ((words === undefined) === (from === undefined)) throw wrong('Say it with --text or --from.');
    await memory.rolling.set(await scope.onlyProject(), name, words ?? from ?? '');
    return { name };
  },
  text: ({ name }, { good }) => `${good('✓ written')}  ${name}`,
});

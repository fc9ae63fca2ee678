import type { TakenOver } from '../../core/knowledge/otherTools/takingOver';
import { SET_FILES, type RollingResult, type SetFile } from '../../core/knowledge/rolling/rollingService';
import { cleanLines } from '../../core/text/cleanText';
import { formatBytes } from '../../core/text/formats';
import { type Answer, type Command, type Page, flag, valued } from '../command';
import type { CommandInput } from '../commandInput';
import { projectOf } from '../projectOf';

const session = { name: 'session', help: 'the session', arity: 'one' } as const;

export const memoryCheck: Command = {
  name: 'memory check',
  group: 'Knowledge',
  summary: 'Count a turn; every 25th takes in what is new of the session',
  details: ['Made for hooks. The digest goes to memory.md beside the layers, which rotates at 23,750 tokens.'],
  args: [session],
  examples: ['memory check e3580bc6'],
  async run(input, { scope, memory, signal }) {
    return answerOf(await memory.rolling.check(await scope.session(input.required(0), signal), signal));
  },
};

export const memoryFinal: Command = {
  name: 'memory final',
  group: 'Knowledge',
  summary: 'Take in what is new of a session, and bring its layers up to date',
  details: ['Each message is taken in at most once, however often this is called. No model is asked.'],
  args: [session],
  examples: ['memory final e3580bc6'],
  async run(input, { scope, memory, signal }) {
    return answerOf(await memory.rolling.final(await scope.session(input.required(0), signal), signal));
  },
};

export const memoryReset: Command = {
  name: 'memory reset',
  group: 'Knowledge',
  summary: 'Set the counter of turns back to 0',
  details: ['Where memory.md has grown too large, as other tools may leave it, it is rotated into archives.'],
  examples: ['memory reset'],
  async run(_input, { scope, memory }) {
    return answerOf(await memory.rolling.reset(await projectOf(scope)));
  },
};

export const memoryMigrateLegacy: Command = {
  name: 'memory migrate-legacy',
  group: 'Knowledge',
  summary: 'Take over what a memory-keeper plugin has left',
  details: [
    'Splits oversized memories into archives, makes facts of its old decisions and patterns, and takes in sessions of which only their L1 is left. Nothing is deleted; a second time nothing is left to do.',
  ],
  options: { 'dry-run': flag('Only say what would be done') },
  examples: ['memory migrate-legacy --dry-run', 'memory migrate-legacy'],
  async run(input, { scope, memory }) {
    return takenOverAnswer(await memory.rolling.takeOver(await projectOf(scope), { isDryRun: input.has('dry-run') }));
  },
};

export const memorySummarize: Command = {
  name: 'memory summarize',
  group: 'Knowledge',
  summary: 'Write the summaries of archives that have none',
  details: ['memory_YYYYMMDD_HHMMSS.summary.json: themes, decisions, issues. No model is asked.'],
  examples: ['memory summarize'],
  async run(_input, { scope, memory }) {
    const written = await memory.rolling.summarize(await projectOf(scope));
    return { json: { written }, text: () => (written.length === 0 ? 'Nothing to write.' : written.join('\n')) };
  },
};

export const memoryList: Command = {
  name: 'memory list',
  group: 'Knowledge',
  summary: 'List the files of the rolling memory',
  examples: ['memory list', 'memory list --json'],
  async run(_input, { scope, memory }) {
    const projectId = await projectOf(scope);
    const files = await memory.rolling.list(projectId);
    const index = await memory.rolling.index(projectId);
    const lines = files.map(({ name, kind, bytes }) => `${name}  ${kind}  ${formatBytes(bytes)}`);
    return { json: { files, index }, text: () => (lines.length === 0 ? 'There are none yet.' : lines.join('\n')) };
  },
};

export const memoryGet: Command = {
  name: 'memory get',
  group: 'Knowledge',
  summary: 'Print a file of the rolling memory',
  args: [{ name: 'file', help: 'memory.md unless told; as `memory list` prints it', arity: 'optional' }],
  examples: ['memory get', 'memory get conventions.md'],
  async run(input, { scope, memory }) {
    const name = input.args[0] ?? 'memory.md';
    const projectId = await projectOf(scope);
    const isListed = (await memory.rolling.list(projectId)).some((file) => file.name === name);
    if (!isListed && name !== 'memory.md') throw input.wrong(`${name} is no file of the memory.`);
    const text = await memory.rolling.get(projectId, name);
    return { json: { name, text }, text: () => cleanLines(text.trimEnd()).join('\n') };
  },
};

export const memorySet: Command = {
  name: 'memory set',
  group: 'Knowledge',
  summary: 'Replace project.md, architecture.md or conventions.md',
  details: ['Secrets and <private> passages are left out.'],
  args: [{ name: 'file', help: SET_FILES.join(', '), arity: 'one' }],
  options: {
    text: valued('TEXT', 'What it is to say'),
    from: valued('FILE', 'A file that says it'),
  },
  examples: ['memory set conventions.md --from notes.md', 'memory set project.md --text "A ledger."'],
  async run(input, { scope, memory }) {
    const name = setFileOf(input);
    await memory.rolling.set(await projectOf(scope), name, await textOf(input));
    return { json: { name }, text: ({ style }) => `${style.paint('good', '✓ written')}  ${name}` };
  },
};

export function takenOverAnswer(report: TakenOver): Answer {
  return { json: report, text: (page) => takenOverText(report, page) };
}

function takenOverText(report: TakenOver, { style, formats }: Page): string {
  const { isDryRun, archives, facts, issues, sessions, moved, left } = report;
  const mark = isDryRun ? style.paint('quiet', 'would be') : style.paint('good', '✓');
  const lines = [
    ...archives.map((name) => `${mark} an archive  ${name}`),
    ...sessions.map((name) => `${mark} a session  ${name}`),
    ...moved.map(({ from, to }) => `${mark} moved  ${from} → ${to}`),
    ...(facts > 0 ? [`${mark} proposed  ${formats.plural(facts, 'fact')}: \`keepit facts --review\` lists them`] : []),
    ...(issues > 0 ? [`${mark} taken over  ${formats.plural(issues, 'problem')}, into memory.md`] : []),
  ];
  const rest = left.length === 0 ? [] : [style.paint('quiet', `stays as it is: ${left.join(', ')}`)];
  return [...(lines.length === 0 ? ['Nothing to take over.'] : lines), ...rest].join('\n');
}

function setFileOf(input: CommandInput): SetFile {
  const word = input.required(0);
  const name = SET_FILES.find((file) => file === word || file === `${word}.md`);
  if (name === undefined) throw input.wrong(`The file is one of ${SET_FILES.join(', ')}.`);
  return name;
}

async function textOf(input: CommandInput): Promise<string> {
  const [text, from] = [input.text('text'), input.text('from')];
  if ((text === undefined) === (from === undefined)) throw input.wrong('Say it with --text or --from.');
  if (from === undefined) return text ?? '';
  return input.fileText(from);
}

function answerOf(result: RollingResult): Answer {
  return {
    json: result,
    text: ({ style, formats }: Page) => {
      const { newMessages, counter, rotated, memoryTokens } = result;
      const taken = newMessages === 0 ? 'nothing taken in' : `${formats.plural(newMessages, 'message')} taken in`;
      const size = `memory.md ${formats.plural(memoryTokens, 'token')}`;
      const lines = rotated.map((name) => `${style.paint('good', '✓ rotated')}  ${name}`);
      return [`${taken} · ${size} · counter ${formats.exact(counter)}`, ...lines].join('\n');
    },
  };
}

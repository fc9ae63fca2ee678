import path from 'node:path';
import type { Conflict, Imported, ImportedProject, ImportRequest } from '../../core/transferPort';
import { formatBytes } from '../../core/text/formats';
import { CliFailure } from '../cliErrors';
import { otherTools } from '../../core/knowledge/otherTools/otherTools';
import { type Command, type CommandContext, type Page, flag, valued } from '../command';
import type { CommandInput } from '../commandInput';
import { projectOf } from '../projectOf';
import { takenOverAnswer } from './rolling';

const PASSPHRASE = valued('F', 'A file whose first line is the passphrase of the archive');

export const exportMemory: Command = {
  name: 'export',
  group: 'Memory',
  summary: 'Write memory into one archive',
  details: [
    'A plain tar file: kept transcripts, versions, compositions, layers and notes as they are, byte for byte, with a list of SHA-256. Of the current project, or of what is named.',
    'It holds everything that was said: keep it as you keep your transcripts, or encrypt it. `age -d` of any age opens an encrypted one, too.',
  ],
  options: {
    output: valued('FILE', 'The archive; nothing may be there', 'o'),
    session: valued('S', 'Only this session; may be repeated'),
    'passphrase-file': PASSPHRASE,
  },
  examples: [
    'export -o app.tar',
    'export --all-projects --passphrase-file ~/.keepit-passphrase -o memory.tar.age',
    'export --session e358 -o one.tar',
  ],
  async run(input, { memory, scope, onProgress, signal }) {
    const output = input.text('output');
    if (output === undefined) throw input.wrong('Say where to: -o FILE.');
    const refs = [];
    for (const word of input.all('session')) refs.push(await scope.session(word, signal));
    const projectIds = new Set(refs.map(({ projectId }) => projectId));
    if (projectIds.size > 1) throw input.wrong('Name sessions of one project.');
    const projectId = refs[0]?.projectId ?? (await scope.projectId());
    const sessionIds = refs.length === 0 ? undefined : refs.map(({ sessionId }) => sessionId);
    const request = { file: path.resolve(output), projectId, sessionIds, passphrase: await passphraseIn(input) };
    const exported = await memory.transfer.export(request, onProgress, signal);
    return {
      json: { exported },
      text: ({ formats }) =>
        [
          ...exported.projects.map(
            (one) =>
              `${one.projectId}  ${formats.plural(one.sessions, 'session')}, ${formats.plural(one.compositions, 'composition')}`,
          ),
          `${exported.file}  ${formatBytes(exported.bytes)}`,
        ].join('\n'),
    };
  },
};

export const importMemory: Command = {
  name: 'import',
  group: 'Memory',
  summary: 'Read memory from an archive',
  details: [
    'All of it is verified before anything is changed. What is there already stays; what is there and another is told and left out, unless --replace moves it to the trash. A project whose folder is elsewhere here is found by its git remote, else by its name, else you are asked; without a terminal it keeps its path.',
    'With --from, what another tool knows of the current project is proposed, and waits for your word; its file is only read.',
  ],
  args: [
    {
      name: 'file',
      help: 'what `keepit export` has written; with --from, where it is elsewhere than usual',
      arity: 'optional',
    },
  ],
  options: {
    'dry-run': flag('Show what would come in, and change nothing'),
    merge: flag('Leave what is there as it is; so it is without this, too'),
    replace: flag('Move what is there, and another, to the trash'),
    'passphrase-file': PASSPHRASE,
    from: valued('TOOL', `Take over what another tool knows of the project: ${otherTools.join(', ')}`),
  },
  examples: ['import memory.tar --dry-run', 'import memory.tar', 'import ~/.claude-mem --from claude-mem'],
  async run(input, context) {
    const from = input.oneOf('from', otherTools);
    if (from !== undefined) {
      const [file] = input.args;
      const request = { from, file: file && path.resolve(file), isDryRun: input.has('dry-run') };
      return takenOverAnswer(await context.memory.rolling.takeOver(await projectOf(context.scope), request));
    }
    if (input.has('merge') && input.has('replace')) throw input.wrong('Say --merge or --replace, not both.');
    const request: ImportRequest = {
      file: path.resolve(input.required(0)),
      isDryRun: input.has('dry-run'),
      replaces: input.has('replace'),
      passphrase: await passphraseIn(input),
    };
    const folders = request.isDryRun === true ? undefined : await foldersAsked(request, context);
    const { memory, onProgress, signal } = context;
    const imported = await memory.transfer.import({ ...request, folders }, onProgress, signal);
    const left = imported.projects.reduce((sum, one) => sum + conflictsOf(one).length, 0);
    return {
      json: { projects: imported.projects, imported: imported.isDone },
      text: (page) => importedText(imported, page),
      failure:
        left === 0 || request.isDryRun === true || request.replaces === true
          ? undefined
          : new CliFailure('left-out', String(left)),
    };
  },
};

async function passphraseIn(input: CommandInput): Promise<string | undefined> {
  const file = input.text('passphrase-file');
  if (file === undefined) return undefined;
  const [passphrase = ''] = (await input.fileText(file)).split(/\r?\n/, 1);
  if (passphrase === '') throw input.wrong(`${file} has no passphrase in its first line.`);
  return passphrase;
}

/** Where a person says that projects are of which nothing is known here. */
async function foldersAsked(
  request: ImportRequest,
  { ask, memory, scope, onProgress, signal }: CommandContext,
): Promise<ImportRequest['folders']> {
  if (ask === undefined) return undefined;
  const { projects } = await memory.transfer.import({ ...request, isDryRun: true }, onProgress, signal);
  const folders = new Map<string, string>();
  for (const { from, originalPath } of projects.filter((one) => one.knownBy === 'nothing')) {
    for (let answer = ' '; answer !== '';) {
      answer = await ask(`${originalPath} is not here. In which folder is that project now? [it keeps its path]`);
      const folder = answer === '' ? undefined : await scope.folderNamed(answer);
      if (folder === undefined) continue;
      folders.set(from, folder);
      break;
    }
  }
  return Object.fromEntries(folders);
}

function conflictsOf({ sessions, versions, compositions }: ImportedProject): Conflict[] {
  return [...sessions.conflicts, ...versions.conflicts, ...compositions.conflicts];
}

function importedText({ projects, isDone }: Imported, { formats, style }: Page): string {
  return projects
    .flatMap((one) => [
      `${style.paint('strong', one.projectId)}${one.from === one.projectId ? '' : `  was ${one.from}, known by its ${one.knownBy}`}`,
      ...(one.knownBy === 'nothing' ? [`  ${one.originalPath} is not here: it keeps its path`] : []),
      `  ${isDone ? 'came in' : 'would come in'}: ${formats.plural(one.sessions.added.length, 'session')}, ${formats.plural(one.versions.added.length, 'version')}, ${formats.plural(one.compositions.added.length, 'composition')}${one.knowledge === 'added' ? ', layers and notes' : ''}`,
      ...(one.knowledge === 'kept' ? ['  layers and notes of this machine stay'] : []),
      ...conflictsOf(one).map(({ name, reason }) => `  ${name}: ${reason}`),
    ])
    .join('\n');
}

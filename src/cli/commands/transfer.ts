import { otherTools } from '../../core/knowledge/otherTools/otherTools';
import type { TakenOver } from '../../core/knowledge/otherTools/takingOver';
import { formatBytes } from '../../core/text/formats';
import { conflictsOf, importedText, neverOf } from '../../core/importReport';
import type { Imported, ImportRequest } from '../../core/memoryPorts';
import { CliFailure } from '../cliErrors';
import { command } from '../command';
import type { CommandContext } from '../context';
import { file, flag, needed, oneOf, option, optional, repeated, session, textOfFile, type Kind } from '../fields';
import type { Lines, Page } from '../page';

/** The first line of a file. */
const passphrase: Kind<string> = {
  ...textOfFile,
  takes: 'takes a file with a passphrase in its first line',
  read: async (word, context) => ((await textOfFile.read(word, context)) ?? '').split(/\r?\n/, 1)[0] || undefined,
};

const passphraseFile = option(passphrase, 'F', 'A file whose first line is the passphrase of the archive');

export const exportMemory = command({
  name: 'export',
  summary: 'Write memory into one archive',
  details: [
    'A plain tar file: kept transcripts, versions, compositions, layers and notes as they are, byte for byte, with a list of SHA-256. Of the current project, or of what is named.',
    'It holds everything that was said: keep it as you keep your transcripts, or encrypt it. `age -d` of any age opens an encrypted one, too.',
  ],
  input: {
    output: { ...needed(file, 'FILE', 'The archive; nothing may be there', 'app.tar'), short: 'o' },
    session: repeated(session, 'S', 'Only this session; may be repeated'),
    passphraseFile,
  },
  examples: [
    'export -o app.tar',
    'export --all-projects --passphrase-file ~/.keepit-passphrase -o memory.tar.age',
    'export --session e358 -o one.tar',
  ],
  async run({ output, session: refs, passphraseFile: secret }, { memory, scope, onProgress, signal, wrong }) {
    const projectId = refs[0]?.projectId ?? (await scope.projectId());
    if (refs.some((ref) => ref.projectId !== projectId)) throw wrong('Name sessions of one project.');
    const sessionIds = refs.length === 0 ? undefined : refs.map(({ sessionId }) => sessionId);
    const request = { file: output, projectId, sessionIds, passphrase: secret };
    return { exported: await memory.transfer.export(request, onProgress, signal) };
  },
  text: ({ exported }, { plural }) => [
    exported.projects.map(
      (one) => `${one.projectId}  ${plural(one.sessions, 'session')}, ${plural(one.compositions, 'composition')}`,
    ),
    `${exported.file}  ${formatBytes(exported.bytes)}`,
  ],
});

interface Archived extends Imported {
  /** What is here and another, where nobody has said what becomes of it. */
  readonly left: number;
}

export const importMemory = command({
  name: 'import',
  summary: 'Read memory from an archive',
  details: [
    'All of it is verified before anything is changed. What is there already stays; what is there and another is told and left out, unless --replace moves it to the trash. A project whose folder is elsewhere here is found by its git remote, else by its name, else you are asked; without a terminal it keeps its path.',
    'With --from, what another tool knows of the current project is proposed, and waits for your word; its file is only read.',
  ],
  input: {
    file: optional(file, 'what `keepit export` has written; with --from, where it is elsewhere than usual'),
    dryRun: flag('Show what would come in, and change nothing'),
    merge: flag('Leave what is there as it is; so it is without this, too'),
    replace: flag('Move what is there, and another, to the trash'),
    passphraseFile,
    from: option(
      oneOf(otherTools),
      'TOOL',
      `Take over what another tool knows of the project: ${otherTools.join(', ')}`,
    ),
  },
  examples: ['import memory.tar --dry-run', 'import memory.tar', 'import ~/.claude-mem --from claude-mem'],
  async run(
    { file: archive, dryRun: isDryRun, merge, replace: replaces, passphraseFile: secret, from },
    context,
  ): Promise<TakenOver | Archived> {
    const { memory, scope, onProgress, signal, wrong } = context;
    if (from !== undefined)
      return memory.rolling.takeOver(await scope.onlyProject(), { from, file: archive, isDryRun });
    if (merge && replaces) throw wrong('Say --merge or --replace, not both.');
    if (archive === undefined) throw wrong('Name an archive.');
    const request = { file: archive, isDryRun, replaces, passphrase: secret };
    const folders = isDryRun ? undefined : await foldersAsked(request, context);
    const imported = await memory.transfer.import({ ...request, folders }, onProgress, signal);
    const left = isDryRun || replaces ? [] : imported.projects.flatMap(conflictsOf);
    return { ...imported, left: left.length };
  },
  json: (result) =>
    'left' in result && 'projects' in result ? { projects: result.projects, imported: result.isDone } : result,
  text: (result, page) => ('projects' in result ? importedLines(result, page) : takenOverText(result, page)),
  failure: (result) =>
    'projects' in result && result.left > 0 ? new CliFailure('left-out', String(result.left)) : undefined,
});

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

function importedLines({ projects, isDone }: Imported, { strong, formats }: Page): Lines {
  return projects.map((one) => {
    const { projectId, from, knownBy, originalPath, knowledge } = one;
    return [
      `${strong(projectId)}${from === projectId ? '' : `  was ${from}, known by its ${knownBy}`}`,
      knownBy === 'nothing' && `  ${originalPath} is not here: it keeps its path`,
      `  ${isDone ? 'came in' : 'would come in'}: ${importedText(one, formats)}`,
      knowledge === 'kept' && '  layers and notes of this machine stay',
      [...neverOf(one), ...conflictsOf(one)].map((left) => `  ${left}`),
    ];
  });
}

export const memoryMigrateLegacy = command({
  name: 'memory migrate-legacy',
  summary: 'Take over what a memory-keeper plugin has left',
  details: [
    'Splits oversized memories into archives, makes facts of its old decisions and patterns, and takes in sessions of which only their L1 is left. Nothing is deleted; a second time nothing is left to do.',
  ],
  input: { dryRun: flag('Only say what would be done') },
  examples: ['memory migrate-legacy --dry-run', 'memory migrate-legacy'],
  run: async ({ dryRun: isDryRun }, { scope, memory }) =>
    memory.rolling.takeOver(await scope.onlyProject(), { isDryRun }),
  text: takenOverText,
});

/** What came of taking over what another tool knows. */
function takenOverText(
  { isDryRun, files, archives, facts, issues, sessions, moved, left }: TakenOver,
  { good, quiet, plural }: Page,
): Lines {
  const mark = isDryRun ? quiet('would be') : good('✓');
  const lines = [
    ...files.map((name) => `${mark} taken over  ${name}`),
    ...archives.map((name) => `${mark} an archive  ${name}`),
    ...sessions.map((name) => `${mark} a session  ${name}`),
    ...moved.map(({ from, to }) => `${mark} moved  ${from} → ${to}`),
    facts > 0 && `${mark} proposed  ${plural(facts, 'fact')}: \`keepit facts --review\` lists them`,
    issues > 0 && `${mark} taken over  ${plural(issues, 'problem')}, into memory.md`,
  ];
  return [
    lines.some(Boolean) ? lines : 'Nothing to take over.',
    left.length > 0 && quiet(`stays as it is: ${left.join(', ')}`),
  ];
}

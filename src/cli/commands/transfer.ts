import path from 'node:path';
import type { Conflict, Imported, ImportedProject } from '../../core/transferPort';
import { formatBytes } from '../../core/text/formats';
import { CliFailure } from '../cliErrors';
import { type Command, type Page, flag, valued } from '../command';

export const exportMemory: Command = {
  name: 'export',
  group: 'Memory',
  summary: 'Write memory into one archive',
  details: [
    'A plain tar file: kept transcripts, versions, compositions, layers and notes as they are, byte for byte, with a list of SHA-256. Of the current project, or of what is named.',
    'It holds everything that was said. Keep it as you keep your transcripts.',
  ],
  options: {
    output: valued('FILE', 'The archive; nothing may be there', 'o'),
    session: valued('S', 'Only this session; may be repeated'),
  },
  examples: ['export -o app.tar', 'export --all-projects -o memory.tar', 'export --session e358 -o one.tar'],
  async run(input, { memory, scope, signal }) {
    const output = input.text('output');
    if (output === undefined) throw input.wrong('Say where to: -o FILE.');
    const refs = [];
    for (const word of input.all('session')) refs.push(await scope.session(word, signal));
    const projectIds = new Set(refs.map(({ projectId }) => projectId));
    if (projectIds.size > 1) throw input.wrong('Name sessions of one project.');
    const projectId = refs[0]?.projectId ?? (await scope.projectId());
    const sessionIds = refs.length === 0 ? undefined : refs.map(({ sessionId }) => sessionId);
    const exported = await memory.transfer.export({ file: path.resolve(output), projectId, sessionIds }, signal);
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
    'All of it is verified before anything is changed. What is there already stays; what is there and another is told and left out, unless --replace moves it to the trash. A project whose folder is elsewhere here is found by its git remote, else by its name; else it keeps its path.',
  ],
  args: [{ name: 'file', help: 'what `keepit export` has written', arity: 'one' }],
  options: {
    'dry-run': flag('Show what would come in, and change nothing'),
    merge: flag('Leave what is there as it is; so it is without this, too'),
    replace: flag('Move what is there, and another, to the trash'),
  },
  examples: ['import memory.tar --dry-run', 'import memory.tar'],
  async run(input, { memory, signal }) {
    if (input.has('merge') && input.has('replace')) throw input.wrong('Say --merge or --replace, not both.');
    const file = path.resolve(input.required(0));
    const request = { file, isDryRun: input.has('dry-run'), replaces: input.has('replace') };
    const imported = await memory.transfer.import(request, signal);
    const left = imported.projects.reduce((sum, one) => sum + conflictsOf(one).length, 0);
    return {
      json: { projects: imported.projects, imported: imported.isDone },
      text: (page) => importedText(imported, page),
      failure:
        left === 0 || request.isDryRun || request.replaces ? undefined : new CliFailure('left-out', String(left)),
    };
  },
};

function conflictsOf({ sessions, versions, compositions }: ImportedProject): Conflict[] {
  return [...sessions.conflicts, ...versions.conflicts, ...compositions.conflicts];
}

function importedText({ projects, isDone }: Imported, { formats, style }: Page): string {
  return projects
    .flatMap((one) => [
      `${style.paint('strong', one.projectId)}${one.from === one.projectId ? '' : `  was ${one.from}`}`,
      `  ${isDone ? 'came in' : 'would come in'}: ${formats.plural(one.sessions.added.length, 'session')}, ${formats.plural(one.versions.added.length, 'version')}, ${formats.plural(one.compositions.added.length, 'composition')}${one.knowledge === 'added' ? ', layers and notes' : ''}`,
      ...(one.knowledge === 'kept' ? ['  layers and notes of this machine stay'] : []),
      ...conflictsOf(one).map(({ name, reason }) => `  ${name}: ${reason}`),
    ])
    .join('\n');
}

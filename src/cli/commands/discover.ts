import { isShown } from '../../core/presentation/sessionTree';
import type { DiscoveredProject, Discovery } from '../../core/sessions/results';
import type { Answer, Command, CommandContext, Page } from '../command';
import { sessionCells, sessionColumns } from '../sessionCells';
import { renderTable } from '../table';

export const discover: Command = {
  name: 'discover',
  group: 'Sessions',
  summary: "List the sessions in Claude Code's folder, in memory or not",
  details: [
    'Reads what has changed since the last time, and nothing else. Token figures with a ~ are estimates; `register` counts exactly.',
    'Sessions without any message are left out of the table; --json has them all.',
  ],
  args: [],
  options: {},
  examples: ['discover', 'discover --all-projects', "discover --json | jq -r '.projects[].sessions[].sessionId'"],
  async run(_input, context: CommandContext): Promise<Answer> {
    const request = { ...(await context.scope.projectIds()), onProgress: context.onProgress };
    const discovery = await context.memory.discover(request, context.signal);
    return { json: discovery, text: (page) => discoveryText(discovery, page) };
  },
};

function discoveryText({ projects }: Discovery, page: Page): string {
  if (projects.length === 0) return 'Claude Code has no sessions here.';
  return projects.map((project) => projectLines(project, page).join('\n')).join('\n\n');
}

function projectLines(project: DiscoveredProject, page: Page): string[] {
  const sessions = project.sessions.filter(isShown);
  const { style, formats } = page;
  const name = `${style.paint('strong', project.displayName)}  ${style.paint('quiet', project.originalPath)}`;
  const problems = [project, ...(project.skipped ?? [])].flatMap(({ problem }) => problem ?? []);
  const heading = [name, ...problems.map((problem) => `  ${style.paint('bad', problem)}`)];
  if (sessions.length === 0) {
    return project.problem === undefined ? [...heading, '  No messages in any session.'] : heading;
  }
  const inMemory = sessions.filter(({ registered }) => registered).length;
  const rows = sessions.map((session) => sessionCells(session, page));
  return [
    ...heading,
    ...renderTable(sessionColumns, rows, { style, width: page.width, indent: 2 }),
    style.paint('quiet', `  ${formats.plural(sessions.length, 'session')}, ${formats.exact(inMemory)} in memory`),
  ];
}

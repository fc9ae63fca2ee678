import type { DiscoveredProject, SessionRef } from '../../core/sessions/results';
import { foundGroups, searchNotes, type FoundGroup, type SearchNote } from '../../core/search/view/searchList';
import { readTypedSearch } from '../../core/search/view/typedSearch';
import { isShown } from '../../core/sessions/view/sessionTree';
import type { Uses } from '../context';

/** What was asked for in one line. */
export interface Asked {
  readonly line: string;
  /** In all projects, unless the line names some. */
  readonly isEverywhere: boolean;
}

/** What memory answered, as rows. */
export interface Found {
  /** The words alone, for tinting them where they stand. */
  readonly query: string;
  readonly groups: readonly FoundGroup[];
  /** What of the line cannot be meant: it was left out. */
  readonly problems: readonly SearchNote[];
  readonly notes: readonly SearchNote[];
  readonly total: number;
}

const MOST_HITS = 60;
const SNIPPET_LENGTH = 200;

/** Asks memory, in its worker. A line without words and filters finds nothing. */
export async function askMemory(
  { memory, model, formats }: Uses<'memory' | 'model' | 'formats'>,
  asked: Asked,
  signal?: AbortSignal,
): Promise<Found> {
  const { query, filter, projects: named, problem } = readTypedSearch(asked.line, new Date());
  const { projects, unknown } = projectsMeant(model.projects, named);
  const own = model.shownProject;
  const isWhole = named.some(isAll) || (named.length === 0 && (asked.isEverywhere || own === undefined));
  const searched = isWhole ? model.projects : named.length > 0 ? projects : [own].flatMap((one) => one ?? []);
  const problems: SearchNote[] = [
    problem,
    ...unknown.map((name) => `There is no project ${JSON.stringify(name)}.`),
  ].flatMap((text) => (text === undefined ? [] : { text }));
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const isNowhere = searched.length === 0 && unknown.length > 0;
  if ((query === '' && !hasFilter) || isNowhere) return { query, groups: [], problems, notes: [], total: 0 };
  const projectIds = isWhole ? undefined : searched.map(({ projectId }) => projectId);
  const request = { query, projectIds, ...filter, limit: MOST_HITS, snippetLength: SNIPPET_LENGTH };
  const result = await memory.search.search(request, undefined, signal);
  const sessions = searched.flatMap((project) => project.sessions.filter(isShown));
  const inMemory = sessions.filter(({ registered }) => registered).length;
  const [only, ...others] = searched;
  const scope = {
    query,
    inMemory,
    notInMemory: sessions.length - inMemory,
    project: isWhole || others.length > 0 ? undefined : only?.displayName,
  };
  const groups = foundGroups(result.results, {
    formats,
    nowMs: Date.now(),
    titleOf: (ref: SessionRef) => model.titleOf(ref),
    projectName: (id) => (id === own?.projectId ? undefined : nameOf(model.projects, id)),
  });
  return { query, groups, problems, notes: searchNotes(result, scope, formats), total: result.total };
}

function projectsMeant(
  all: readonly DiscoveredProject[],
  names: readonly string[],
): { projects: DiscoveredProject[]; unknown: string[] } {
  const wanted = names.filter((name) => !isAll(name));
  const fits = (project: DiscoveredProject, name: string): boolean =>
    [project.displayName, project.projectId, project.originalPath].some(
      (own) => own.toLowerCase() === name.toLowerCase(),
    );
  return {
    projects: all.filter((project) => wanted.some((name) => fits(project, name))),
    unknown: wanted.filter((name) => !all.some((project) => fits(project, name))),
  };
}

function isAll(name: string): boolean {
  return name.toLowerCase() === 'all';
}

function nameOf(projects: readonly DiscoveredProject[], id: string): string {
  return projects.find(({ projectId }) => projectId === id)?.displayName ?? id;
}

import { parseWeight } from '../../keepits/weights';
import { errorText } from '../../text/keepitError';
import { kindNames, SEARCH_KINDS, SEARCH_TRUSTS, type SearchKind, type SearchTrust } from '../searchDocument';
import { searchDate } from '../askedDates';
import type { SearchFilter } from '../searchFilter';

/** What somebody has typed into one line: words, and filters among them. */
export interface TypedSearch {
  /** The words. */
  readonly query: string;
  readonly filter: SearchFilter;
  /** Names of projects, or `all`; empty for the one at hand. */
  readonly projects: readonly string[];
  /** Why a filter cannot be meant; it is left out then. */
  readonly problem?: string;
}

/** What a line can be gone on with. */
export interface Completion {
  readonly label: string;
  readonly description: string;
  /** The whole line as it is then. */
  readonly line: string;
}

/** What can be proposed beside what is fixed. */
export interface KnownNames {
  readonly projects: readonly string[];
  readonly files: readonly string[];
}

type FilterName = 'project' | 'file' | 'topic' | 'weight' | 'since' | 'until' | 'kind' | 'is';

const dates: readonly (readonly [value: string, help: string])[] = [
  ['1d', 'yesterday at this time'],
  ['7d', 'a week ago'],
  ['30d', 'a month ago'],
  ['2026-01-31', 'a day'],
];
const trustHelp: Readonly<Record<SearchTrust, string>> = {
  stated: 'facts that you stated or confirmed',
  proved: 'facts that a session proves',
  pattern: 'what sessions did again and again',
  decision: 'what was decided',
  preference: 'what you want',
  fact: 'what else holds',
};

/** The filters, in the order in which they are proposed. */
const filters: Readonly<
  Record<FilterName, { help: string; values: (known: KnownNames) => readonly (readonly [string, string])[] }>
> = {
  file: { help: 'what touched a file: src/auth/**, login.ts', values: ({ files }) => files.map((file) => [file, '']) },
  kind: { help: 'one kind of memory', values: () => SEARCH_KINDS.map((kind) => [kind, kindHelp(kind)]) },
  since: { help: 'not before: 7d, 2026-01-31', values: () => dates },
  until: { help: 'not after: 7d, 2026-01-31', values: () => dates },
  is: { help: 'how sure a fact is, or of which type', values: () => SEARCH_TRUSTS.map((it) => [it, trustHelp[it]]) },
  weight: {
    help: 'keepits from a weight on, or between two: 0.75, 0.50-0.90',
    values: () => [
      ['1.00', 'pinned'],
      ['0.90', 'critical and above'],
      ['0.75', 'important and above'],
      ['0.50-0.90', 'between two weights'],
    ],
  },
  topic: { help: 'what is about this as well', values: () => [] },
  project: {
    help: 'another project, or all',
    values: ({ projects }) => [['all', 'all projects'] as const, ...projects.map((name) => [name, ''] as const)],
  },
};
const filterNames = Object.keys(filters) as FilterName[];

const FILTER = /(?<=^|\s)(file|kind|since|until|is|weight|topic|project):(?:"([^"]*)"?|(\S*))/giu;
const LAST = /(?:^|\s)(?:([a-z]+):("?[^"\s]*|"[^"]*)|([a-z]{2,}))$/iu;
const MOST_VALUES = 12;

/** Reads a line such as `retry file:src/orders.ts since:7d`. Never throws: what is wrong is told. */
export function readTypedSearch(line: string, now: Date): TypedSearch {
  const values = new Map<FilterName, string[]>(filterNames.map((name) => [name, []]));
  const query = line.replace(FILTER, (_all, name: string, quoted?: string, plain?: string) => {
    const value = (quoted ?? plain ?? '').trim();
    if (value !== '') values.get(name.toLowerCase() as FilterName)?.push(value);
    return ' ';
  });
  const of = (name: FilterName): readonly string[] => values.get(name) ?? [];
  const problems: string[] = [];
  const known = <T extends string>(name: FilterName, all: readonly T[]): T[] =>
    of(name).flatMap((value) => {
      const one = all.find((candidate) => candidate === value.toLowerCase());
      if (one === undefined) problems.push(`${name}: is one of ${all.join(', ')}, not ${JSON.stringify(value)}.`);
      return one ?? [];
    });
  const date = (name: 'since' | 'until'): string | undefined => {
    const value = of(name).at(-1);
    if (value === undefined) return undefined;
    try {
      return searchDate(value, name, now);
    } catch (error) {
      problems.push(errorText(error)); // told, and left out: a date is often half typed
      return undefined;
    }
  };
  const weights = weightsOf(of('weight').at(-1));
  if ('problem' in weights) problems.push(`weight: ${weights.problem}`);
  const filter: SearchFilter = {
    files: some(of('file')),
    topics: some(of('topic')),
    kinds: some(known('kind', SEARCH_KINDS)),
    trusts: some(known('is', SEARCH_TRUSTS)),
    since: date('since'),
    until: date('until'),
    ...('problem' in weights ? {} : weights),
  };
  const [problem] = problems;
  const typed = { query: query.replace(/\s+/g, ' ').trim(), filter, projects: of('project') };
  return problem === undefined ? typed : { ...typed, problem };
}

/** What the end of a line can become: the values of a filter that is begun, or the filters that a word begins; all of them for none. */
export function completionsOf(line: string, known: KnownNames): readonly Completion[] {
  if (line.trim() === '') return filterNames.map((name) => filterCompletion(line, name));
  const [all, begun, typed = '', word] = LAST.exec(line) ?? [];
  if (all === undefined) return [];
  if (begun === undefined) {
    const started = (word ?? '').toLowerCase();
    const before = line.slice(0, line.length - started.length);
    return filterNames.filter((name) => name.startsWith(started)).map((name) => filterCompletion(before, name));
  }
  const name = filterNames.find((candidate) => candidate === begun.toLowerCase());
  if (name === undefined) return [];
  const bare = typed.replace(/^"/, '').toLowerCase();
  const before = line.slice(0, line.length - typed.length);
  return filters[name]
    .values(known)
    .filter(([value]) => value.toLowerCase().includes(bare) && value.toLowerCase() !== bare)
    .slice(0, MOST_VALUES)
    .map(([value, description]) => {
      const written = /\s/.test(value) ? `"${value}"` : value;
      return { label: `${name}:${written}`, description, line: `${before}${written} ` };
    });
}

function filterCompletion(before: string, name: FilterName): Completion {
  return { label: `${name}:`, description: filters[name].help, line: `${before}${name}:` };
}

function kindHelp(kind: SearchKind): string {
  return kindNames[kind] === kind ? '' : kindNames[kind];
}

function some<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length > 0 ? values : undefined;
}

function weightsOf(text: string | undefined): Pick<SearchFilter, 'weightMin' | 'weightMax'> | { problem: string } {
  if (text === undefined) return {};
  const [from = '', to] = text.split('-');
  const least = parseWeight(from);
  const most = to === undefined ? undefined : parseWeight(to);
  if ('problem' in least) return least;
  if (most !== undefined && 'problem' in most) return most;
  return { weightMin: least.weight, weightMax: most?.weight };
}

import { pushTo } from '../../text/ownValue';
import { sessionKey } from '../../model/fields';
import type { SessionRef } from '../../sessions/results';
import { oneLine } from '../../text/cleanText';
import { baseName, formatAge, joinParts, timeOf, type Formats } from '../../text/formats';
import { kindNames, type SearchKind } from '../searchDocument';
import type { SearchHit } from '../answers';
import type { SearchResult } from '../searchService';

/** What was found, as a list of rows in groups: one for each session, in the order of their best hits. */
export interface FoundGroup {
  readonly label: string;
  readonly description: string;
  /** Absent for what is of no session: notes, compositions. */
  readonly session?: SessionRef;
  readonly rows: readonly FoundRow[];
}

export interface FoundRow {
  readonly hit: SearchHit;
  /** By its name in the editor's own set. */
  readonly icon: string;
  /** The passage, in one line, without the sign of a list or a heading that it begins with. */
  readonly passage: string;
  /** Offsets of what was looked for in the passage. */
  readonly matches: SearchHit['matches'];
  /** What it is, when, and which files. */
  readonly about: string;
}

/** Something to know about an answer, and what can be done about it. */
export interface SearchNote {
  readonly text: string;
  readonly action?: 'addAll' | 'allProjects' | 'again' | 'doctor';
  /** What the action is called. */
  readonly label?: string;
}

export interface ListContext {
  readonly formats: Formats;
  readonly nowMs: number;
  readonly titleOf: (session: SessionRef) => string | undefined;
  /** What a project is called; undefined for the one at hand, which need not be named. */
  readonly projectName: (projectId: string) => string | undefined;
}

/** What was searched. */
export interface SearchedScope {
  readonly query: string;
  /** Sessions in memory, and others, whose words are not known. */
  readonly inMemory: number;
  readonly notInMemory: number;
  /** The name of the one project that was searched; absent for all. */
  readonly project?: string | undefined;
}

const MOST_OF_A_SESSION = 5;
const MOST_FILES = 3;
const PASSAGE_LENGTH = 300;
const LEAD = /^(?:[-*#>]{1,6} +)+/;

const icons: Readonly<Record<SearchKind, string>> = {
  fact: 'law',
  keepit: 'pinned',
  note: 'notebook',
  memory: 'history',
  concept: 'symbol-namespace',
  exchange: 'comment-discussion',
  composition: 'layers',
  version: 'versions',
  message: 'comment',
};
const groupNames: Partial<Readonly<Record<SearchKind, string>>> = {
  composition: 'Compositions',
  note: 'Notebook',
  memory: 'Rolling memory',
  concept: 'Concepts',
};

/** Groups hits; of a session that has many, the best are shown. */
export function foundGroups(hits: readonly SearchHit[], context: ListContext): FoundGroup[] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const session = sessionOf(hit);
    const key = session === undefined ? `${hit.projectId}\n${groupOf(hit)}` : sessionKey(session);
    pushTo(groups, key, hit);
  }
  return [...groups.values()].map((group) => groupedHits(group, context));
}

function groupedHits(hits: readonly SearchHit[], context: ListContext): FoundGroup {
  const [first] = hits;
  if (first === undefined) throw new TypeError('A group without hits');
  const session = sessionOf(first);
  const shown = hits.slice(0, MOST_OF_A_SESSION);
  const hidden = hits.length - shown.length;
  const title = session === undefined ? groupOf(first) : (context.titleOf(session) ?? first.title);
  const description = joinParts([
    context.projectName(first.projectId),
    hidden === 0 ? '' : `${context.formats.exact(hidden)} more`,
  ]);
  const rows = shown.map((hit) => foundRow(hit, context));
  const label = title ?? `Session ${first.sessionId ?? ''}`;
  return { label, description, rows, ...(session !== undefined && { session }) };
}

function foundRow(hit: SearchHit, { formats, nowMs }: ListContext): FoundRow {
  const { kind, role, snippet, timestamp, files, weight, title, trust } = hit;
  const timeMs = timeOf(timestamp);
  const more = files.length > MOST_FILES ? `${formats.exact(files.length - MOST_FILES)} more` : '';
  const who = role === 'user' ? 'you' : 'Claude';
  const about = joinParts([
    kind === 'message' ? who : kindNames[kind],
    weight?.toFixed(2),
    trust,
    kind === 'composition' || kind === 'note' || kind === 'concept' ? title : undefined,
    timeMs === undefined ? '' : formatAge(timeMs, nowMs),
    joinParts([...files.slice(0, MOST_FILES).map(baseName), more], ', '),
  ]);
  const icon = kind === 'message' && role === 'user' ? 'account' : icons[kind];
  const lead = LEAD.exec(snippet)?.[0].length ?? 0;
  const passage = oneLine(snippet.slice(lead), PASSAGE_LENGTH);
  const inside = hit.matches.map(([start, end]) => [start - lead, end - lead] as const);
  const matches = inside.filter(([start, end]) => start >= 0 && end <= passage.length);
  return { hit, icon, passage, matches, about };
}

/** What is to be known besides the hits: that nothing was found, and what was not searched. */
export function searchNotes(result: SearchResult, scope: SearchedScope, formats: Formats): SearchNote[] {
  const { total, unread, failed } = result;
  const { query, inMemory, notInMemory, project } = scope;
  const where = project === undefined ? 'all projects' : project;
  const notes: SearchNote[] = [];
  if (inMemory === 0) {
    notes.push({ text: `No session of ${where} is in memory yet: there is nothing to search.` });
  } else if (total === 0) {
    const what = query === '' ? 'Nothing fits these filters' : `Nothing was found for “${oneLine(query, 60)}”`;
    notes.push({ text: `${what} in ${formats.plural(inMemory, 'session')} of ${where}.` });
  }
  if (total === 0 && project !== undefined)
    notes.push({ text: `Only ${project} was searched.`, action: 'allProjects', label: 'Search All Projects' });
  if (notInMemory > 0) {
    const are = notInMemory === 1 ? 'is' : 'are';
    const text = `${formats.plural(notInMemory, 'session')} ${are} not in memory: only titles were searched.`;
    notes.push({ text, action: 'addAll', label: 'Add All to Memory…' });
  }
  if (unread > 0) {
    const text = `${formats.plural(unread, 'session')} not read yet, as there was too much at once.`;
    notes.push({ text, action: 'again', label: 'Search Again' });
  }
  const [failure] = failed;
  if (failure !== undefined) {
    const others = failed.length === 1 ? '' : ` and ${formats.exact(failed.length - 1)} more`;
    const text = `${failure.what}${others} could not be read: ${failure.error}`;
    notes.push({ text, action: 'doctor', label: 'Run Doctor' });
  }
  return notes;
}

function sessionOf({ projectId, sessionId }: SearchHit): SessionRef | undefined {
  return sessionId === undefined ? undefined : { projectId, sessionId };
}

function groupOf({ kind }: SearchHit): string {
  return groupNames[kind] ?? 'Knowledge';
}

/** A list of what was found, to be kept open: plain text with places that lead somewhere. */
export interface SearchPage {
  readonly text: string;
  /** Of each line that leads to a hit. */
  readonly links: readonly { readonly line: number; readonly hit: SearchHit }[];
  /** What was looked for, by line and columns. */
  readonly marks: readonly { readonly line: number; readonly start: number; readonly end: number }[];
  /** Lines with the name of a group, and the last line of each. */
  readonly folds: readonly { readonly start: number; readonly end: number }[];
}

const INDENT = '  ';

export function searchPage(
  line: string,
  groups: readonly FoundGroup[],
  { total, notes }: { total: number; notes: readonly SearchNote[] },
  formats: Formats,
): SearchPage {
  const lines = [
    `# Search: ${line}`,
    '',
    joinParts([formats.plural(total, 'answer'), ...notes.map(({ text }) => text)]),
  ];
  const links: { line: number; hit: SearchHit }[] = [];
  const marks: { line: number; start: number; end: number }[] = [];
  const folds: { start: number; end: number }[] = [];
  for (const { label, description, rows } of groups) {
    lines.push('');
    const start = lines.length;
    lines.push(`## ${joinParts([label, description])}`);
    for (const { hit, passage, matches, about } of rows) {
      links.push({ line: lines.length, hit });
      lines.push(`${INDENT}${about}`);
      const indent = INDENT.length * 2;
      for (const [from, to] of matches) marks.push({ line: lines.length, start: from + indent, end: to + indent });
      lines.push(`${INDENT}${INDENT}${passage}`);
    }
    folds.push({ start, end: lines.length - 1 });
  }
  return { text: `${lines.join('\n')}\n`, links, marks, folds };
}

import { isForeign, type FactView } from '../facts/factViews';
import type { ForeignNote } from '../foreignFiles';
import type { LayersOverview, LayersService } from '../layersService';
import type { RollingFile, RollingService } from '../rolling/rollingService';
import type { Exchange } from '../../model/layers';
import type { NotebookNote, NotebookService } from '../notes/notebookService';
import { joinParts, timeOf, type Formats } from '../../text/formats';
import {
  factNode,
  historyOf,
  type FactRowOptions,
  conceptNode,
  exchangeNode,
  foreignNoteNode,
  foreignSessionsNode,
  memoryFileNode,
  noteNode,
  sessionRow,
} from './knowledgeFacts';
import { treeRow, type NodeIcon, type TreeNode } from '../../sessions/view/treeNode';

/** All that is known of a project, as the view shows it. */
export interface KnowledgeContent {
  readonly overview: LayersOverview;
  readonly notes: readonly NotebookNote[];
  readonly memory: readonly (RollingFile & { readonly file: string })[];
  /** What lies in the project and is not from the user, besides facts. */
  readonly foreign: ForeignContent;
  /** How many sessions have something that the layers do not have yet. */
  readonly unbuilt: number;
}

export interface ForeignContent {
  readonly notes: readonly (ForeignNote & { readonly file: string })[];
  /** How many files of sessions. */
  readonly sessionFiles: number;
}

export interface KnowledgeTreeOptions extends FactRowOptions {
  readonly nowMs: number;
  /** How many rows of a group are shown. */
  readonly limitOf: (group: string) => number;
}

/** So many rows of a group are shown at first, and so many more each time that more are asked for: few of what asks for a decision. */
export function knowledgePage(group: string): number {
  return group === 'review' ? 5 : 100;
}

/** What has to be looked at first, then facts by kind, then what they came from, then the files. Empty groups are left out. */
export function knowledgeTree(content: KnowledgeContent, options: KnowledgeTreeOptions): TreeNode[] {
  const groups = [
    newSessionsNode(content.unbuilt, options),
    foreignGroup(content, options),
    ...factGroups(content.overview.facts, options),
    conceptsGroup(content, options),
    exchangesGroup(content, options),
    notesGroup(content, options),
    memoryGroup(content, options),
  ];
  return groups.filter((group) => group !== undefined);
}

/** An exchange, and the session that it is of. */
export interface FoundExchange {
  readonly sessionId: string;
  readonly exchange: Exchange;
}

/** The rows under a session or a concept, the latest first. */
export function exchangeRows(
  node: TreeNode,
  found: readonly FoundExchange[],
  options: KnowledgeTreeOptions,
): TreeNode[] {
  const at = ({ exchange: { ts } }: FoundExchange): number => timeOf(ts) ?? 0;
  const latestFirst = [...found].reverse().sort((a, b) => at(b) - at(a));
  // A session's own rows are told apart from those of concepts by their project alone.
  const place = node.kind === 'concept' ? { under: node.id } : {};
  const nodeOf = ({ sessionId, exchange }: FoundExchange): TreeNode =>
    exchangeNode(sessionId, exchange, { ...options, ...place });
  return paged({ group: node.id, id: node.id }, latestFirst, nodeOf, options);
}

/** How many facts that held have to be looked at; what is only proposed may wait, and calls nobody. */
export function reviewCount(facts: readonly FactView[]): number {
  return facts.filter((fact) => fact.state === 'review' && fact.isProposed !== true).length;
}

/** What is known in one line, for the head of the view: `12 rules · 3 solutions`. */
export function knowledgeSummary(facts: readonly FactView[], formats: Formats): string {
  const holding = facts.filter(({ state, isProposed }) => state === 'valid' || (state === 'review' && !isProposed));
  const count = (kind: FactView['kind']): number => holding.filter((fact) => fact.kind === kind).length;
  const solutions = count('solutions');
  return joinParts([
    formats.plural(count('rules'), 'rule'),
    solutions === 0 ? '' : formats.plural(solutions, 'solution'),
  ]);
}

interface GroupSpec {
  readonly id: string;
  readonly label: string;
  readonly icon: NodeIcon;
  readonly about: string;
  readonly isOpen?: boolean;
  /** What its rows are, where they are not what it is called. */
  readonly unit?: string;
}

const factGroupSpecs: readonly (GroupSpec & { readonly holds: (fact: FactView) => boolean })[] = [
  {
    id: 'review',
    label: 'To Review',
    icon: { id: 'question', color: 'list.warningForeground' },
    about: 'What Claude has acted against again and again, and what it would like to be remembered: does it hold?',
    holds: (fact) => fact.state === 'review' && !isForeign(fact),
  },
  {
    id: 'rules',
    label: 'Rules',
    icon: { id: 'law' },
    about: 'What you said has to hold. The latest statement on a subject is the one that counts.',
    isOpen: true,
    holds: ({ state, kind }) => state === 'valid' && kind === 'rules',
  },
  {
    id: 'solutions',
    label: 'Solutions',
    icon: { id: 'lightbulb' },
    about: 'Problems that came back, and what solved them.',
    isOpen: true,
    holds: ({ state, kind }) => state === 'valid' && kind === 'solutions',
  },
  {
    id: 'core_logic',
    label: 'Core Logic',
    icon: { id: 'symbol-structure' },
    about: 'What you decided, and how the project is built.',
    isOpen: true,
    holds: ({ state, kind }) => state === 'valid' && kind === 'core_logic',
  },
];

function factGroups(facts: readonly FactView[], options: KnowledgeTreeOptions): (TreeNode | undefined)[] {
  const histories = historyOf(facts);
  const told = new Set([...histories.values()].flat());
  const replacedBy = (fact: FactView): readonly FactView[] => histories.get(fact.id) ?? [];
  const nodeOf = (fact: FactView): TreeNode => factNode(fact, replacedBy(fact), options);
  const gone = facts.filter((fact) => (fact.state === 'superseded' || fact.state === 'rejected') && !told.has(fact));
  const inactive: GroupSpec = {
    id: 'inactive',
    label: 'Not Counting',
    icon: { id: 'circle-slash' },
    about: 'What you rejected, and what was replaced by something that does not count any more.',
  };
  return [
    ...factGroupSpecs.map((spec) => {
      const rows = facts.filter(spec.holds);
      // What is merely proposed waits for whoever has the time.
      const isOpen = spec.id !== 'review' || rows.some(({ isProposed }) => isProposed !== true);
      return group({ ...spec, isOpen }, rows, nodeOf, options);
    }),
    group(inactive, gone, nodeOf, options),
  ];
}

/** What came with the project: it is off until somebody accepts it. */
function foreignGroup({ overview, foreign }: KnowledgeContent, options: KnowledgeTreeOptions): TreeNode | undefined {
  const rows = [
    ...overview.facts.filter(isForeign).map((fact) => factNode(fact, [], options)),
    ...foreign.notes.map((note) => foreignNoteNode(note, options)),
    ...(foreign.sessionFiles > 0 ? [foreignSessionsNode(foreign.sessionFiles, options)] : []),
  ];
  const spec = {
    id: 'foreign',
    label: 'Found Here, Not From You',
    icon: { id: 'unverified', color: 'list.warningForeground' },
    about:
      'It came with the project, by a clone, a pull or another tool. Claude is told of none of it before you accept it. Look at it first: it may be made to mislead.',
    isOpen: true,
  };
  return group(spec, rows, (row) => row, options);
}

function conceptsGroup({ overview }: KnowledgeContent, options: KnowledgeTreeOptions): TreeNode | undefined {
  const concepts = overview.concepts.toSorted((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : 0));
  const spec = {
    id: 'concepts',
    label: 'Concepts',
    icon: { id: 'symbol-namespace' },
    about: 'What your requests were about: those that share files and keywords are one concept.',
  };
  return group(spec, concepts, (concept) => conceptNode(concept, options), options);
}

function exchangesGroup({ overview }: KnowledgeContent, options: KnowledgeTreeOptions): TreeNode | undefined {
  const spec = {
    id: 'exchanges',
    label: 'Exchanges',
    icon: { id: 'comment-discussion' },
    about: 'Your requests, and what came of them.',
    unit: 'session',
  };
  return group(spec, overview.sessions, (session) => sessionRow(session, options), options);
}

function notesGroup({ notes }: KnowledgeContent, options: KnowledgeTreeOptions): TreeNode | undefined {
  const spec = {
    id: 'notebook',
    label: 'Notebook',
    icon: { id: 'notebook' },
    about: 'A summary of each session that you asked for, and one note of what they say together. You may edit them.',
  };
  return group(spec, notes, (note) => noteNode(note, options), options);
}

function memoryGroup({ memory }: KnowledgeContent, options: KnowledgeTreeOptions): TreeNode | undefined {
  const spec = {
    id: 'memory',
    label: 'Rolling Memory',
    icon: { id: 'book' },
    about: 'Grows with every session, and rotates into archives with summaries.',
  };
  return group(spec, memory, (file) => memoryFileNode(file, options), options);
}

/** Undefined for a group without rows. */
function group<T>(
  spec: GroupSpec,
  rows: readonly T[],
  nodeOf: (row: T) => TreeNode,
  options: KnowledgeTreeOptions,
): TreeNode | undefined {
  if (rows.length === 0) return undefined;
  const { formats, projectId } = options;
  const id = `knowledge:${spec.id}`;
  const count = spec.unit === undefined ? formats.exact(rows.length) : formats.plural(rows.length, spec.unit);
  return {
    id,
    kind: 'knowledge',
    label: spec.label,
    description: count,
    tooltip: spec.about,
    icon: spec.icon,
    contextValue: `knowledge ${spec.id}`,
    spoken: `${spec.label}, ${count}. ${spec.about}`,
    fold: spec.isOpen === true ? 'expanded' : 'collapsed',
    children: paged({ group: spec.id, id }, rows, nodeOf, options),
    projectId,
  };
}

/** As many rows as are asked for, and one that asks for more. */
function paged<T>(
  { group: name, id }: { readonly group: string; readonly id: string },
  rows: readonly T[],
  nodeOf: (row: T) => TreeNode,
  { limitOf, formats }: KnowledgeTreeOptions,
): TreeNode[] {
  const shown = rows.slice(0, limitOf(name)).map(nodeOf);
  const left = rows.length - shown.length;
  return left > 0 ? [...shown, moreNode({ group: name, id }, left, formats)] : shown;
}

function moreNode({ group: name, id }: { group: string; id: string }, left: number, formats: Formats): TreeNode {
  return treeRow({
    id: `${id}:more`,
    kind: 'more',
    label: `Show ${formats.exact(Math.min(left, knowledgePage(name)))} more`,
    description: `${formats.exact(left)} left`,
    tooltip: 'Or search for what you look for.',
    icon: { id: 'ellipsis' },
    contextValue: 'more',
    more: name,
  });
}

function newSessionsNode(count: number, { formats, projectId }: KnowledgeTreeOptions): TreeNode | undefined {
  if (count === 0) return undefined;
  const label = `Take in ${formats.plural(count, 'session')}`;
  const news = 'something is new';
  return treeRow({
    id: 'knowledge:new',
    kind: 'newMessages',
    label,
    description: news,
    tooltip: 'What was said there since the layers were last built is not known yet. This builds them.',
    icon: { id: 'sync' },
    contextValue: 'unbuilt',
    spoken: `${label}, ${news}. Builds the layers.`,
    projectId,
  });
}

/** Of the memory's services, what the list asks. */
interface KnowledgeServices {
  readonly layers: Pick<LayersService, 'overview' | 'foreign'>;
  readonly notebook: Pick<NotebookService, 'list'>;
  readonly rolling: Pick<RollingService, 'list'>;
}

/** All that a list of what is known of a project shows, but for exchanges. Reads a few files, however many sessions there are. */
export async function readKnowledge(
  { layers, notebook, rolling }: KnowledgeServices,
  projectId: string,
): Promise<Pick<KnowledgeContent, 'overview' | 'notes' | 'memory' | 'foreign'>> {
  const overview = await layers.overview(projectId);
  const { isEnabled, problem, dir } = overview.status;
  if (!isEnabled || problem !== undefined) {
    return { overview, notes: [], memory: [], foreign: { notes: [], sessionFiles: 0 } };
  }
  const [notes, files, found] = await Promise.all([
    notebook.list(projectId),
    rolling.list(projectId),
    layers.foreign(projectId),
  ]);
  const noteDir = overview.status.notebook.dir;
  const foreign = found.notes.map((note) => {
    return { ...note, file: `${note.room === 'notebook' ? noteDir : dir}/${note.name}` };
  });
  return {
    overview,
    notes,
    memory: files.map((file) => ({ ...file, file: `${dir}/${file.name}` })),
    foreign: { notes: foreign, sessionFiles: found.sessions.length },
  };
}

import * as z from 'zod/mini';
import type { CompressionScope } from '../../model/compression';
import type { KeepitRef, SessionRef } from '../results';
import { escapeMarkdown } from '../../text/cleanText';
import { parsedJson } from '../../text/ownValue';

/** An icon by its name in the editor's own set. `color` only ever underlines what the shape and the words say. */
export interface NodeIcon {
  readonly id: string;
  readonly color?: string;
}

/** A compressed version of one session. */
export interface VersionRef extends SessionRef {
  versionId: string;
}

/** A saved composition of a project. */
export interface CompositionRef {
  projectId: string;
  name: string;
}

/** Something known of a project: a rule, a solution, a decision. */
interface FactRef {
  projectId: string;
  factId: string;
}

/** A hook that ran, by its place in its session's activity. */
export interface FiringRef extends SessionRef {
  index: number;
}

/** A message of a session that a row leads to. */
interface MessageRef extends SessionRef {
  messageUuid: string;
}

/** One row of a tree, ready to be shown. Rows are plain data: a host maps them and decides nothing. */
export interface TreeNode {
  /** Unique in its tree and stable over refreshes: selection and folding survive by it. */
  readonly id: string;
  readonly kind:
    | 'project'
    | 'month'
    | 'suggested'
    | 'session'
    | 'subAgent'
    | 'problem'
    | 'weight'
    | 'keepit'
    | 'newMessages'
    | 'part'
    | 'version'
    | 'composition'
    | 'component'
    | 'knowledge'
    | 'fact'
    | 'concept'
    | 'exchange'
    | 'note'
    | 'install'
    | 'switch'
    | 'firing'
    | 'piece'
    | 'more';
  readonly label: string;
  readonly description: string;
  /** Markdown; everything that people or models wrote is escaped. */
  readonly tooltip: string;
  readonly icon?: NodeIcon;
  /** Words that menus test, separated by spaces: `session inMemory new`. */
  readonly contextValue: string;
  /** What a screen reader says: the same facts as label, description and icon. */
  readonly spoken: string;
  readonly fold: 'none' | 'collapsed' | 'expanded';
  /** A foldable row without children has some that are not known yet: a session's sub-agents. */
  readonly children: readonly TreeNode[];
  readonly projectId?: string;
  readonly session?: SessionRef;
  /** The sub-agent of the session that the row stands for. */
  readonly agent?: { readonly id: string; readonly title: string };
  readonly keepit?: KeepitRef;
  readonly version?: VersionRef;
  readonly composition?: CompositionRef;
  readonly fact?: FactRef;
  /** Where what the row tells was said. */
  readonly message?: MessageRef;
  /** The file that the row stands for; absolute. */
  readonly file?: string | undefined;
  /** The switch that the row is: whether it is on, and the dotted key of its setting. */
  readonly toggle?: { readonly isOn: boolean; readonly key: string };
  readonly firing?: FiringRef;
  /** The group of which the row shows more. */
  readonly more?: string;
  /** What a compression that begins at this row covers. */
  readonly scope?: CompressionScope;
}

type TreeRow = Pick<TreeNode, 'id' | 'kind' | 'label' | 'contextValue'> & Partial<TreeNode>;

/** A row that says aloud, and in its tooltip, what it shows, where nothing else is told; without children unless it has some. */
export function treeRow(node: TreeRow): TreeNode {
  const { label, description = '' } = node;
  const spoken = [label, description].filter(Boolean).join(', ');
  return { description, tooltip: escapeMarkdown(label), spoken, fold: 'none', children: [], ...node };
}

/** A test for texts: whether all words occur in one, in any letter case and any form of the same letters. Made once per filter. */
export function wordMatcher(words: string): (text: string) => boolean {
  const folded = fold(words)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (folded.length === 0) return () => true;
  return (text) => {
    const content = fold(text);
    return folded.every((word) => content.includes(word));
  };
}

/** `é` typed in two ways, and letters of full width, are found both. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** What the sessions view calls its rows while they are dragged: VS Code's own name for rows of the view. */
export const SESSIONS_MIME = 'application/vnd.code.tree.keepit.sessions';

/** A session, as rows, panels and commands name it. */
export const sessionRefSchema = z.object({ projectId: z.string(), sessionId: z.string() });
const refsSchema = z.array(sessionRefSchema);
/** Rows by their handles, as VS Code names them to views that are not their own; ours end with the id that we gave them. */
const rowsSchema = z.object({ itemHandles: z.array(z.string()) });
const ROW_ID = /session:([^:]+):([^:]+)$/;

/** The text under which sessions are dragged. */
export function draggedText(sessions: readonly SessionRef[]): string {
  return JSON.stringify(sessions.map(({ projectId, sessionId }) => ({ projectId, sessionId })));
}

/** The sessions that were dragged, by our own text or by VS Code's; none when it was something else. */
export function sessionsIn(text: string): SessionRef[] {
  const value = parsedJson(text);
  const refs = refsSchema.safeParse(value);
  if (refs.success) return refs.data;
  return (rowsSchema.safeParse(value).data?.itemHandles ?? []).flatMap((handle) => {
    const [, projectId, sessionId] = ROW_ID.exec(handle) ?? [];
    return projectId === undefined || sessionId === undefined ? [] : [{ projectId, sessionId }];
  });
}

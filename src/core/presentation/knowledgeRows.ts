import type { ForeignNote } from '../knowledge/foreignFiles';
import type { RollingFile } from '../knowledge/rolling/rollingService';
import type { Concept, Exchange, ExchangeOutcome } from '../model/layers';
import type { NotebookNote } from '../knowledge/notes/notebookService';
import { escapeMarkdown, oneLine } from '../text/cleanText';
import { formatAge, formatBytes, joinParts, shortId, timeOf } from '../text/formats';
import type { FactRowOptions } from './knowledgeFacts';
import type { NodeIcon, TreeNode } from './treeNode';
import { treeRow as row } from './treeRow';

const LABEL_LENGTH = 140;
const TOOLTIP_LENGTH = 600;
const NAMES_SHOWN = 12;

export interface KnowledgeRowOptions extends FactRowOptions {
  readonly nowMs: number;
}

/** What requests were about; the requests themselves are looked for when it is unfolded. */
export function conceptNode(concept: Concept, { formats, projectId }: KnowledgeRowOptions): TreeNode {
  const { id, name, summary, exchanges, files, keywords, updated, history = [] } = concept;
  const updatedMs = timeOf(updated);
  const date = updatedMs === undefined ? '' : formats.date(updatedMs);
  const told = oneLine(summary, TOOLTIP_LENGTH);
  const names = (icon: string, all: readonly string[]): string =>
    all.length === 0 ? '' : `$(${icon}) ${escapeMarkdown(oneLine(someOf(all), TOOLTIP_LENGTH))}`;
  const last = history.at(-1);
  return row({
    id: `concept:${projectId}:${id}`,
    kind: 'concept',
    label: oneLine(name, LABEL_LENGTH),
    description: joinParts([formats.plural(exchanges.length, 'exchange'), date]),
    tooltip: [
      `**${escapeMarkdown(oneLine(name, LABEL_LENGTH))}**`,
      told === '' ? '' : escapeMarkdown(told),
      names('tag', keywords),
      names('file', files),
      last === undefined
        ? ''
        : `$(history) ${escapeMarkdown(oneLine(`${last.ts.slice(0, 10)}: ${last.change}`, LABEL_LENGTH))}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    icon: { id: 'symbol-namespace' },
    contextValue: 'concept',
    fold: exchanges.length === 0 ? 'none' : 'collapsed',
    projectId,
  });
}

/** A session whose exchanges are looked for when it is unfolded. */
export function sessionRow(
  { sessionId, sourceMtimeMs }: { readonly sessionId: string; readonly sourceMtimeMs: number },
  { projectId, titleOf, formats }: KnowledgeRowOptions,
): TreeNode {
  const title = titleOf(sessionId);
  return row({
    id: `exchanges:${projectId}:${sessionId}`,
    kind: 'knowledge',
    label: title ?? `Session ${shortId(sessionId)}`,
    description: title === undefined ? 'its transcript is gone' : formats.date(sourceMtimeMs),
    icon: { id: 'comment-discussion' },
    contextValue: 'exchangesOfSession',
    fold: 'collapsed',
    projectId,
    session: { projectId, sessionId },
  });
}

const outcomeIcons: Record<ExchangeOutcome, NodeIcon> = {
  done: { id: 'pass', color: 'charts.green' },
  failed: { id: 'error', color: 'list.errorForeground' },
  corrected: { id: 'discard', color: 'list.warningForeground' },
  abandoned: { id: 'circle-slash', color: 'disabledForeground' },
};

const outcomeWords: Record<ExchangeOutcome, string> = {
  done: 'done',
  failed: 'failed',
  corrected: 'you corrected it',
  abandoned: 'abandoned',
};

/** A request with what came of it. One exchange may be shown in two places: `under` tells its rows apart. */
export function exchangeNode(
  sessionId: string,
  exchange: Exchange,
  options: KnowledgeRowOptions & { readonly under?: string },
): TreeNode {
  const { projectId, nowMs, formats, titleOf, under = projectId } = options;
  const { id, summary, details, files, outcome, uuid, ts } = exchange;
  const atMs = timeOf(ts);
  const label = oneLine(summary, LABEL_LENGTH);
  const told = oneLine(details, TOOLTIP_LENGTH);
  const word = outcome === undefined ? '' : outcomeWords[outcome];
  const title = titleOf(sessionId) ?? `Session ${shortId(sessionId)}`;
  return row({
    id: `exchange:${under}:${sessionId}:${id}`,
    kind: 'exchange',
    label,
    description: joinParts([word, atMs === undefined ? '' : formatAge(atMs, nowMs)]),
    tooltip: [
      `**${escapeMarkdown(label)}**`,
      told === '' || told === label ? '' : escapeMarkdown(told),
      files.length === 0 ? '' : `$(file) ${escapeMarkdown(oneLine(someOf(files), TOOLTIP_LENGTH))}`,
      `$(comment-discussion) ${escapeMarkdown(joinParts([title, atMs === undefined ? '' : formats.dateTime(atMs)]))}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    icon: outcome === undefined ? { id: 'comment' } : outcomeIcons[outcome],
    contextValue: uuid === undefined ? 'exchange' : 'exchange sourced',
    projectId,
    ...(uuid !== undefined && { message: { projectId, sessionId, messageUuid: uuid } }),
  });
}

function someOf(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return names.slice(0, NAMES_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const CONVERSATION = /(?:^|\/)conversations\/([^/]+)\.md$/;

/** A note of the notebook; summaries bear the title of their session. */
export function noteNode({ name, file }: NotebookNote, { projectId, titleOf }: KnowledgeRowOptions): TreeNode {
  const sessionId = CONVERSATION.exec(name)?.[1];
  const isMaster = /(?:^|\/)master\.md$/.test(name) && !name.includes('archive/');
  const scope = /^([^/]+)\//.exec(name)?.[1];
  const isScoped = scope !== undefined && scope !== 'conversations' && scope !== 'archive';
  const title = sessionId === undefined ? undefined : (titleOf(sessionId) ?? `Session ${shortId(sessionId)}`);
  return row({
    id: `note:${projectId}:${name}`,
    kind: 'note',
    label: isMaster ? 'Project Memory' : (title ?? name),
    description: joinParts([isScoped ? scope : '', isMaster ? 'master.md' : title === undefined ? '' : 'summary']),
    tooltip: escapeMarkdown(file),
    icon: { id: isMaster ? 'star-full' : name.includes('archive/') ? 'archive' : 'note' },
    contextValue: 'note',
    projectId,
    file,
  });
}

/** A note that this memory did not write. */
export function foreignNoteNode(
  { room, name, file }: ForeignNote & { readonly file: string },
  { projectId }: KnowledgeRowOptions,
): TreeNode {
  return row({
    id: `foreign:${projectId}:${room}:${name}`,
    kind: 'note',
    label: name,
    description: joinParts(['not from you', room === 'notebook' ? 'notebook' : 'rolling memory']),
    tooltip: `${escapeMarkdown(file)}\n\n$(unverified) This memory did not write it. Claude is not told of it before you accept it.`,
    icon: { id: 'unverified', color: 'list.warningForeground' },
    contextValue: 'note foreign',
    projectId,
    file,
  });
}

/** Files of sessions that another tool, or somebody else, has left. */
export function foreignSessionsNode(count: number, { projectId, formats }: KnowledgeRowOptions): TreeNode {
  return row({
    id: `foreign:${projectId}:sessions`,
    kind: 'note',
    label: formats.plural(count, 'file of sessions', 'files of sessions'),
    description: 'not from you',
    tooltip: 'Nothing is built of them. `keepit memory migrate-legacy` takes them over; facts in them are proposed.',
    icon: { id: 'unverified', color: 'list.warningForeground' },
    contextValue: 'foreignSessions',
    projectId,
  });
}

const memoryIcons: Record<RollingFile['kind'], string> = {
  memory: 'book',
  set: 'note',
  archive: 'archive',
  summary: 'list-flat',
};

/** A file of the rolling memory. */
export function memoryFileNode(
  { name, kind, bytes, file }: RollingFile & { readonly file: string },
  { projectId }: KnowledgeRowOptions,
): TreeNode {
  return row({
    id: `memory:${projectId}:${name}`,
    kind: 'note',
    label: name,
    description: formatBytes(bytes),
    tooltip: escapeMarkdown(file),
    icon: { id: memoryIcons[kind] },
    contextValue: 'note',
    projectId,
    file,
  });
}

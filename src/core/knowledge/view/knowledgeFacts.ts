import { isForeign, type FactView } from '../facts/factViews';
import { escapeMarkdown, oneLine } from '../../text/cleanText';
import { joinParts, type Formats, formatAge, formatBytes, shortId } from '../../text/formats';
import type { ForeignNote } from '../foreignFiles';
import type { RollingFile } from '../rolling/rollingService';
import type { Concept, Exchange, ExchangeOutcome } from '../../model/layers';
import type { NotebookNote } from '../notes/notebookService';
import { type NodeIcon, type TreeNode, treeRow as row } from '../../sessions/view/treeNode';
import { pushTo } from '../../text/ownValue';

/** What rows of facts depend on besides the facts. */
export interface FactRowOptions {
  readonly projectId: string;
  readonly formats: Formats;
  /** A session's title; undefined when it is not known any more. */
  readonly titleOf: (sessionId: string) => string | undefined;
}

const LABEL_LENGTH = 160;
const TOOLTIP_LENGTH = 600;

const kindIcons: Record<FactView['kind'], string> = {
  rules: 'law',
  solutions: 'lightbulb',
  core_logic: 'symbol-structure',
};

const kindWords: Record<FactView['kind'], string> = {
  rules: 'Rule',
  solutions: 'Solution',
  core_logic: 'Core logic',
};

/** Why a fact does not simply hold, in a word and in a sentence. */
const stateWords: Record<Exclude<FactView['state'], 'valid'>, { word: string; sentence: string; icon: string }> = {
  review: {
    word: 'does it still hold?',
    sentence: 'Claude has acted against it again and again. Confirm it, put it in other words, or reject it.',
    icon: 'question',
  },
  superseded: { word: 'replaced', sentence: 'A later statement has replaced it.', icon: 'history' },
  rejected: {
    word: 'rejected',
    sentence: 'You rejected it: it counts no more, and is not found again.',
    icon: 'circle-slash',
  },
};

const proposedWords = {
  word: 'proposed',
  sentence: 'It may be worth remembering. It counts for nothing before you confirm it.',
  icon: 'sparkle',
};

const foreignWords = {
  word: 'not from you',
  sentence:
    'It was found in this project, and this memory did not write it. Claude is not told of it before you confirm it.',
  icon: 'unverified',
};

function wordsOf(fact: FactView): typeof proposedWords | undefined {
  const { state, isProposed } = fact;
  if (state === 'valid') return undefined;
  if (isForeign(fact)) return foreignWords;
  return state === 'review' && isProposed === true ? proposedWords : stateWords[state];
}

/** Who a fact comes from, as people say it. */
function originOf({ source }: FactView): string {
  if (source?.by === 'user') return 'you said so';
  if (source?.by === 'session') return 'seen in the work';
  if (source?.by === 'model') return 'by Claude';
  return source?.by === 'tool' ? 'a tool or a page said so' : '';
}

/** A fact as a row; what it has replaced is folded under it, the latest first. */
export function factNode(fact: FactView, replaced: readonly FactView[], options: FactRowOptions): TreeNode {
  const { projectId, formats } = options;
  const label = oneLine(fact.content, LABEL_LENGTH);
  const state = wordsOf(fact)?.word;
  const against = fact.contradictions === 0 ? '' : `acted against ${formats.exact(fact.contradictions)}×`;
  const date = formats.date(fact.source?.ts);
  const notes = [state, fact.isConfirmed ? 'confirmed' : '', against, originOf(fact), date];
  const history = replaced.length === 0 ? '' : `replaced ${formats.plural(replaced.length, 'earlier one')}`;
  return {
    id: `fact:${projectId}:${fact.id}`,
    kind: 'fact',
    label,
    description: joinParts([...notes, history]),
    tooltip: tooltipOf(fact, replaced, options),
    icon: iconOf(fact),
    contextValue: flagsOf(fact),
    spoken: joinParts([kindWords[fact.kind], label, ...notes, history], ', '),
    fold: replaced.length === 0 ? 'none' : 'collapsed',
    children: replaced.map((one) => factNode(one, [], options)),
    projectId,
    fact: { projectId, factId: fact.id },
    ...(fact.source !== undefined && {
      message: { projectId, sessionId: fact.source.sessionId, messageUuid: fact.source.messageUuid },
    }),
  };
}

function iconOf(fact: FactView): NodeIcon {
  const words = wordsOf(fact);
  if (fact.state === 'review') return { id: words?.icon ?? '', color: 'list.warningForeground' };
  if (words !== undefined) return { id: words.icon, color: 'disabledForeground' };
  return fact.isConfirmed ? { id: 'verified', color: 'charts.green' } : { id: kindIcons[fact.kind] };
}

function flagsOf(fact: FactView): string {
  return joinParts(
    [
      'fact',
      fact.state,
      fact.isConfirmed ? 'confirmed' : 'unconfirmed',
      fact.source === undefined ? '' : 'sourced',
      fact.origin ?? '',
    ],
    ' ',
  );
}

function tooltipOf(fact: FactView, replaced: readonly FactView[], { formats, titleOf }: FactRowOptions): string {
  const { source } = fact;
  const words = wordsOf(fact);
  const excerpt = oneLine(source?.excerpt ?? '', TOOLTIP_LENGTH);
  const content = oneLine(fact.content, TOOLTIP_LENGTH);
  const title = source === undefined ? undefined : (titleOf(source.sessionId) ?? 'a session that is gone');
  const rows = [
    `**${escapeMarkdown(content)}**`,
    excerpt === '' || excerpt === content ? '' : `> ${escapeMarkdown(excerpt)}`,
    words === undefined ? '' : `$(${words.icon}) ${words.sentence}`,
    joinParts([
      kindWords[fact.kind],
      fact.isConfirmed ? 'confirmed by you' : fact.isProposed === true ? '' : fact.trust,
      fact.contradictions === 0 ? '' : `acted against ${formats.plural(fact.contradictions, 'time')}`,
    ]),
    title === undefined
      ? ''
      : `$(comment-discussion) ${escapeMarkdown(joinParts([originOf(fact), title, formats.dateTime(source?.ts)]))}`,
    fact.advice === undefined ? '' : `$(sparkle) Claude, asked about it: ${escapeMarkdown(fact.advice)}`,
    ...replaced.map((one) => `$(history) Before: ${escapeMarkdown(oneLine(one.content, LABEL_LENGTH))}`),
  ];
  return joinParts(rows, '\n\n');
}

/** What each fact has replaced, directly or by way of others; only of facts that are themselves replaced by none. */
export function historyOf(facts: readonly FactView[]): ReadonlyMap<string, readonly FactView[]> {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const histories = new Map<string, FactView[]>();
  for (const fact of facts) {
    const holder = holderOf(fact, byId);
    if (holder !== undefined && holder !== fact) pushTo(histories, holder.id, fact);
  }
  return histories;
}

/** The fact that holds in the place of a replaced one; undefined when that one is gone, or rejected, or they turn in a circle. */
function holderOf(fact: FactView, byId: ReadonlyMap<string, FactView>): FactView | undefined {
  const seen = new Set<string>();
  let one: FactView | undefined = fact;
  while (one?.state === 'superseded' && !seen.has(one.id)) {
    seen.add(one.id);
    one = byId.get(one.supersededBy ?? '');
  }
  return one?.state === 'valid' || one?.state === 'review' ? one : undefined;
}

const ROW_LENGTH = 140;
const NAMES_SHOWN = 12;

interface KnowledgeRowOptions extends FactRowOptions {
  readonly nowMs: number;
}

/** What requests were about; the requests themselves are looked for when it is unfolded. */
export function conceptNode(concept: Concept, { formats, projectId }: KnowledgeRowOptions): TreeNode {
  const { id, name, summary, exchanges, files, keywords, updated, history = [] } = concept;
  const date = formats.date(updated);
  const told = oneLine(summary, TOOLTIP_LENGTH);
  const names = (icon: string, all: readonly string[]): string =>
    all.length === 0 ? '' : `$(${icon}) ${escapeMarkdown(oneLine(someOf(all), TOOLTIP_LENGTH))}`;
  const last = history.at(-1);
  return row({
    id: `concept:${projectId}:${id}`,
    kind: 'concept',
    label: oneLine(name, ROW_LENGTH),
    description: joinParts([formats.plural(exchanges.length, 'exchange'), date]),
    tooltip: joinParts(
      [
        `**${escapeMarkdown(oneLine(name, ROW_LENGTH))}**`,
        told === '' ? '' : escapeMarkdown(told),
        names('tag', keywords),
        names('file', files),
        last === undefined
          ? ''
          : `$(history) ${escapeMarkdown(oneLine(`${last.ts.slice(0, 10)}: ${last.change}`, ROW_LENGTH))}`,
      ],
      '\n\n',
    ),
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
  const label = oneLine(summary, ROW_LENGTH);
  const told = oneLine(details, TOOLTIP_LENGTH);
  const word = outcome === undefined ? '' : outcomeWords[outcome];
  const title = titleOf(sessionId) ?? `Session ${shortId(sessionId)}`;
  return row({
    id: `exchange:${under}:${sessionId}:${id}`,
    kind: 'exchange',
    label,
    description: joinParts([word, formatAge(ts, nowMs)]),
    tooltip: joinParts(
      [
        `**${escapeMarkdown(label)}**`,
        told === '' || told === label ? '' : escapeMarkdown(told),
        files.length === 0 ? '' : `$(file) ${escapeMarkdown(oneLine(someOf(files), TOOLTIP_LENGTH))}`,
        `$(comment-discussion) ${escapeMarkdown(joinParts([title, formats.dateTime(ts)]))}`,
      ],
      '\n\n',
    ),
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

import { isForeign, type FactView } from '../knowledge/facts/factViews';
import { escapeMarkdown, oneLine } from '../text/cleanText';
import { joinParts, timeOf, type Formats } from '../text/formats';
import type { NodeIcon, TreeNode } from './treeNode';

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
  heard: {
    word: 'makes no rule',
    sentence: 'A tool or a page told its reader so. Only your own words make rules: it is shown, and never followed.',
    icon: 'megaphone',
  },
};

const proposedWords = {
  word: 'proposed',
  sentence: 'Claude would like this to be remembered. It counts for nothing before you confirm it.',
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
  if (source?.by === 'model') return 'proposed by Claude';
  return source?.by === 'tool' ? 'a tool or a page said so' : '';
}

/** A fact as a row; what it has replaced is folded under it, the latest first. */
export function factNode(fact: FactView, replaced: readonly FactView[], options: FactRowOptions): TreeNode {
  const { projectId, formats } = options;
  const label = oneLine(fact.content, LABEL_LENGTH);
  const atMs = timeOf(fact.source?.ts);
  const state = wordsOf(fact)?.word;
  const sure = sureText(fact, 'confirmed');
  const against = fact.contradictions === 0 ? '' : `acted against ${formats.exact(fact.contradictions)}×`;
  const date = atMs === undefined ? '' : formats.date(atMs);
  const notes = [state, sure, against, originOf(fact), date];
  const history = replaced.length === 0 ? '' : `replaced ${formats.plural(replaced.length, 'earlier one')}`;
  return {
    id: `fact:${projectId}:${fact.id}`,
    kind: 'fact',
    label,
    description: joinParts([...notes, history]),
    tooltip: tooltipOf(fact, replaced, options),
    icon: iconOf(fact),
    contextValue: flagsOf(fact),
    spoken: [kindWords[fact.kind], label, ...notes, history].filter(Boolean).join(', '),
    fold: replaced.length === 0 ? 'none' : 'collapsed',
    children: replaced.map((one) => factNode(one, [], options)),
    projectId,
    fact: { projectId, factId: fact.id },
    ...(fact.source !== undefined && {
      message: { projectId, sessionId: fact.source.sessionId, messageUuid: fact.source.messageUuid },
    }),
  };
}

/** How sure it is; of what somebody else wrote nobody can say. */
function sureText({ isConfirmed, confidence, origin }: FactView, confirmed: string): string {
  if (origin === 'foreign') return '';
  return isConfirmed ? confirmed : `${Math.round(confidence * 100)} % sure`;
}

function iconOf(fact: FactView): NodeIcon {
  const words = wordsOf(fact);
  if (fact.state === 'review') return { id: words?.icon ?? '', color: 'list.warningForeground' };
  if (words !== undefined) return { id: words.icon, color: 'disabledForeground' };
  return fact.isConfirmed ? { id: 'verified', color: 'charts.green' } : { id: kindIcons[fact.kind] };
}

function flagsOf(fact: FactView): string {
  return [
    'fact',
    fact.state,
    fact.isConfirmed ? 'confirmed' : 'unconfirmed',
    fact.source === undefined ? '' : 'sourced',
    fact.origin ?? '',
  ]
    .filter(Boolean)
    .join(' ');
}

function tooltipOf(fact: FactView, replaced: readonly FactView[], { formats, titleOf }: FactRowOptions): string {
  const { source } = fact;
  const words = wordsOf(fact);
  const atMs = timeOf(source?.ts);
  const excerpt = oneLine(source?.excerpt ?? '', TOOLTIP_LENGTH);
  const content = oneLine(fact.content, TOOLTIP_LENGTH);
  const title = source === undefined ? undefined : (titleOf(source.sessionId) ?? 'a session that is gone');
  const rows = [
    `**${escapeMarkdown(content)}**`,
    excerpt === '' || excerpt === content ? '' : `> ${escapeMarkdown(excerpt)}`,
    words === undefined ? '' : `$(${words.icon}) ${words.sentence}`,
    joinParts([
      kindWords[fact.kind],
      sureText(fact, 'confirmed by you'),
      fact.contradictions === 0 ? '' : `acted against ${formats.plural(fact.contradictions, 'time')}`,
    ]),
    title === undefined
      ? ''
      : `$(comment-discussion) ${escapeMarkdown(
          joinParts([originOf(fact), title, atMs === undefined ? '' : formats.dateTime(atMs)]),
        )}`,
    ...replaced.map((one) => `$(history) Before: ${escapeMarkdown(oneLine(one.content, LABEL_LENGTH))}`),
  ];
  return rows.filter((row) => row !== '').join('\n\n');
}

/** What each fact has replaced, directly or by way of others; only of facts that are themselves replaced by none. */
export function historyOf(facts: readonly FactView[]): ReadonlyMap<string, readonly FactView[]> {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const histories = new Map<string, FactView[]>();
  for (const fact of facts) {
    const holder = holderOf(fact, byId);
    if (holder !== undefined && holder !== fact) histories.set(holder.id, [...(histories.get(holder.id) ?? []), fact]);
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

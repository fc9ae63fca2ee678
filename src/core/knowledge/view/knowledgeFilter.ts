import type { FactView } from '../facts/factViews';
import type { Concept, Exchange } from '../../model/layers';
import { oneLine } from '../../text/cleanText';
import { wordMatcher } from '../../sessions/view/treeNode';

/** Which part of what is known is wanted. `history`: what was replaced or rejected. */
export type KnowledgePart = 'all' | 'review' | 'rules' | 'solutions' | 'core_logic' | 'history';

/** What a list of what is known is narrowed to. */
export interface KnowledgeFilter {
  /** Words that must all occur; '' for all. */
  readonly text: string;
  readonly part: KnowledgePart;
}

export const noKnowledgeFilter: KnowledgeFilter = { text: '', part: 'all' };

/** What each part is called in a list to choose from. */
export const partTitles: Record<KnowledgePart, string> = {
  all: 'Everything',
  review: 'To review',
  rules: 'Rules',
  solutions: 'Solutions',
  core_logic: 'Core logic',
  history: 'What was replaced or rejected',
};

/** Whether the filter narrows anything. */
export function isFilteringKnowledge({ text, part }: KnowledgeFilter): boolean {
  return text.trim() !== '' || part !== 'all';
}

/** Tests for all that is listed; made once per filter. */
interface KnowledgeMatcher {
  readonly fact: (fact: FactView) => boolean;
  readonly concept: (concept: Concept) => boolean;
  readonly exchange: (exchange: Exchange) => boolean;
  /** A session's or a file's name. */
  readonly name: (text: string) => boolean;
}

/** Facts alone have parts: of everything else nothing matches while one is asked for. */
export function knowledgeMatcher({ text, part }: KnowledgeFilter): KnowledgeMatcher {
  const matches = wordMatcher(text);
  const isAll = part === 'all';
  return {
    fact: (fact) => isInPart(fact, part) && matches(`${fact.content}\n${fact.source?.excerpt ?? ''}`),
    concept: ({ name, summary, keywords, files }) =>
      isAll && matches([name, summary, ...keywords, ...files].join('\n')),
    exchange: ({ summary, details, keywords, files }) =>
      isAll && matches([summary, details, ...keywords, ...files].join('\n')),
    name: (name) => isAll && matches(name),
  };
}

function isInPart({ kind, state, isProposed }: FactView, part: KnowledgePart): boolean {
  if (part === 'all') return true;
  if (part === 'review') return state === 'review';
  if (part === 'history') return state === 'superseded' || state === 'rejected';
  return kind === part && (state === 'valid' || (state === 'review' && isProposed !== true));
}

const NAMED_LENGTH = 40;

/** The filter in words, for a view's message: `“retry”, rules`. */
export function describeKnowledgeFilter({ text, part }: KnowledgeFilter): string {
  const words = text.trim() === '' ? '' : `“${oneLine(text, NAMED_LENGTH)}”`;
  return [words, part === 'all' ? '' : partTitles[part].toLowerCase()].filter(Boolean).join(', ');
}

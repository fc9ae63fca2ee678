import { withoutSecrets } from '../text/secrets/cleanText';
import type { TitleEntry } from './entry';
import { previewOf } from './previewText';
import type { ForeignTitle, SessionTitles } from './types';

/** A file rarely has more; beyond it the oldest are dropped. */
const MAX_SUMMARIES = 1000;

/** The first human message of the live conversation is nearly always among the first in the file. */
const MAX_FIRST_WORDS = 16;

/** How much of a message is cleaned for its first line: keys and tokens that begin in that line are mostly shorter, and are then known as a whole. */
const CLEANED_CHARS = 16_384;

interface Words {
  readonly node: number;
  text: string;
  isClean: boolean;
}

/** Collects everything that can name the session: what it knows is shown, sent and stored, and so is free of secrets from the beginning. */
export class TitleCollector {
  private custom: string | undefined;
  private ai: string | undefined;
  private readonly summaries = new Map<string, string>();
  /** The first of the conversation; what is clean is shown. */
  private readonly firstWords: Words[] = [];

  add(entry: TitleEntry): void {
    const title = withoutSecrets(entry.title);
    if (entry.source === 'custom') this.custom = title;
    else if (entry.source === 'ai') this.ai = title;
    else if (entry.leafUuid !== undefined) this.addSummary(entry.leafUuid, title);
  }

  /** The words of a human message of the session's own thread, in file order. */
  addWords(node: number, text: string): void {
    if (this.firstWords.length >= MAX_FIRST_WORDS) return;
    if (text.trim() !== '') this.firstWords.push({ node, text: text.slice(0, CLEANED_CHARS), isClean: false });
  }

  /** Words that are a record of their own are not words twice. */
  dropWords(node: number): void {
    const at = this.firstWords.findIndex((words) => words.node === node);
    if (at >= 0) this.firstWords.splice(at, 1);
  }

  /** `owns` tells whether a uuid is in this file; `isLive` whether a node is part of the live conversation. */
  titles(owns: (uuid: string) => boolean, isLive: (node: number) => boolean): SessionTitles {
    const { custom, ai } = this;
    let summary: string | undefined;
    const foreign: ForeignTitle[] = [];
    for (const [leafUuid, title] of this.summaries) {
      if (owns(leafUuid)) summary = title;
      else foreign.push({ leafUuid, title });
    }
    const firstWords = this.firstLine(isLive) ?? this.firstLine(() => true);
    return {
      ...(custom !== undefined && { custom }),
      ...(ai !== undefined && { ai }),
      ...(summary !== undefined && { summary }),
      ...(firstWords !== undefined && { firstWords }),
      foreign,
    };
  }

  /** The first line that says something; words that are all private or secret say nothing. */
  private firstLine(isWanted: (node: number) => boolean): string | undefined {
    for (const words of this.firstWords) {
      const line = isWanted(words.node) ? lineOf(words) : '';
      if (line !== '') return line;
    }
    return undefined;
  }

  private addSummary(leafUuid: string, title: string): void {
    this.summaries.delete(leafUuid);
    this.summaries.set(leafUuid, title);
    if (this.summaries.size <= MAX_SUMMARIES) return;
    const oldest = this.summaries.keys().next();
    if (oldest.done !== true) this.summaries.delete(oldest.value);
  }
}

/** One line without secrets: cleaning takes a while, and of most words nobody ever asks for it. */
function lineOf(words: Words): string {
  if (!words.isClean) {
    words.text = previewOf(withoutSecrets(words.text));
    words.isClean = true;
  }
  return words.text;
}

/** What to call a session. `adopted` is a title that another file's `summary` line gave to a leaf of this one. */
export function bestTitle(titles: SessionTitles, adopted?: string): string | undefined {
  return titles.custom ?? titles.ai ?? titles.summary ?? adopted ?? titles.firstWords;
}

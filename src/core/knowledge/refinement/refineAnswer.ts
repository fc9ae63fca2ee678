import * as z from 'zod/mini';
import { wordsOf } from '../../text/words';
import { parseObject } from '../../versions/models/summaryAnswer';
import { schemaProblem } from '../../model/schemaProblem';
import { writable } from '../../text/writable';
import type { RefinableItem } from './refinable';
import { singleSpaced } from '../../text/singleSpaced';

const answerSchema = z.object({
  blocks: z.array(z.object({ kind: z.enum(['heading', 'note']), text: z.string(), messages: z.array(z.int()) })),
});

/** Better words for one item. */
export interface Refinement {
  readonly item: RefinableItem;
  /** Concepts have one. */
  readonly name?: string;
  readonly summary?: string;
}

export interface Refinements {
  readonly accepted: readonly Refinement[];
  /** Those whose own words stay, and why. */
  readonly rejected: readonly { readonly id: string; readonly reason: string }[];
}

const MAX_SUMMARY = 400;
const MAX_NAME = 60;
/** Of the words that tell something so many may be the model's own. */
const OWN_WORDS = 0.5;
/** Of the names in our own words so many have to be there again. */
const KEPT_NAMES = 0.6;
/** Names that are meant letter by letter: paths, identifiers, versions, figures. */
const NAME =
  /(?<![\p{L}\p{N}_@.~-])[\p{L}\p{N}_@.~-]*\/[\p{L}\p{N}_@./~-]+|(?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*(?:_|\p{Ll}(?=\p{Lu}))[\p{L}\p{N}_$]+|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.[a-z]{1,5}(?![\p{L}\p{N}])|\d+(?:[.,:]\d+)*/gu;

/** Reads an answer: all of it is refused when it leaves something out or speaks of something else, and single items when they drop or invent. */
export function readRefinements(
  text: string,
  items: readonly RefinableItem[],
): { readonly value: Refinements } | { readonly problem: string } {
  const answer = answerSchema.safeParse(parseObject(text));
  if (!answer.success) {
    const { key, allowed } = schemaProblem(answer.error);
    return { problem: key === '' ? 'it was not one JSON object' : `"${key}" must be ${allowed}` };
  }
  const told = new Map<string, string>();
  const known = new Set(items.map(({ number }) => number));
  for (const { kind, text: words, messages } of answer.data.blocks) {
    const [number] = messages;
    if (number === undefined || messages.length > 1 || !known.has(number)) {
      return { problem: '"messages" must hold one of the given numbers' };
    }
    if (told.has(`${kind} ${number}`)) return { problem: `[${number}] has more than one ${kind}` };
    told.set(`${kind} ${number}`, singleSpaced(writable(words)));
  }
  const missing = items.find(({ kind, number }) => !told.has(`${kind === 'concept' ? 'heading' : 'note'} ${number}`));
  if (missing !== undefined) return { problem: `[${missing.number}] was left out` };
  return { value: judged(items, told) };
}

function judged(items: readonly RefinableItem[], told: ReadonlyMap<string, string>): Refinements {
  const accepted: Refinement[] = [];
  const rejected: { id: string; reason: string }[] = [];
  for (const item of items) {
    const name = item.kind === 'concept' ? told.get(`heading ${item.number}`) : undefined;
    const summary = told.get(`note ${item.number}`);
    const reason = problemOf(item, name, summary);
    if (reason !== undefined) rejected.push({ id: item.id, reason });
    else accepted.push({ item, ...(name !== undefined && { name }), ...(summary !== undefined && { summary }) });
  }
  return { accepted, rejected };
}

function problemOf(item: RefinableItem, name: string | undefined, summary: string | undefined): string | undefined {
  if (name !== undefined && (name === '' || name.length > MAX_NAME)) return 'its name is empty or too long';
  if (summary !== undefined && (summary === '' || summary.length > MAX_SUMMARY)) return 'it is empty or too long';
  const said = `${name ?? ''}\n${summary ?? ''}`;
  const source = item.source.toLowerCase();
  const invented = namesIn(said).find((one) => !source.includes(one));
  if (invented !== undefined) return 'it names something that is not there';
  const words = contentOf(said);
  const known = new Set(contentOf(item.source));
  const own = words.filter((stem) => !known.has(stem));
  if (words.length > 0 && own.length > OWN_WORDS * words.length) return 'it tells something else';
  return summary === undefined || keepsNames(item, said) ? undefined : 'it drops names';
}

function keepsNames(item: RefinableItem, said: string): boolean {
  const names = namesIn(item.summary);
  const lower = said.toLowerCase();
  const kept = names.filter((name) => lower.includes(name.slice(name.lastIndexOf('/') + 1)));
  return kept.length >= Math.floor(names.length * KEPT_NAMES);
}

function namesIn(text: string): string[] {
  return [
    ...new Set([...text.matchAll(NAME)].map(([name]) => name.toLowerCase().replace(/(?<![.,:/-])[.,:/-]+$/, ''))),
  ];
}

function contentOf(text: string): string[] {
  return wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 ? [stem] : []));
}

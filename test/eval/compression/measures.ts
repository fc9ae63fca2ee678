// What a version is judged by.
import { sentencesOf } from '../../../src/core/text/sentences';
import type { Role } from '../../../src/core/transcript/types';
import type { Wanted } from './corpora';
import { NEGATION, wordsOf } from '../../../src/core/text/words';
import { measureFidelity, referenceOf } from '../../../src/core/versions/fidelity';
import type { SourceMessage } from '../../../src/core/material/types';
import type { Fidelity } from '../../../src/core/model/compression';

/** The product's own measure. */
export function fidelityOf(messages: readonly SourceMessage[], version: string): Fidelity {
  return measureFidelity(referenceOf(messages, []), version);
}

/** Names, paths and values: what can be looked for letter by letter. */
const NAME =
  /[\p{L}\p{N}_@.-]*(?:\/[\p{L}\p{N}_@.-]+)+|[\p{L}_$][\p{L}\p{N}_$]*(?:_|\p{Ll}(?=\p{Lu}))[\p{L}\p{N}_$]+|[\p{L}\p{N}_-]+\.[a-z]{2,5}\b|\b\d+(?:\.\d+)+\b/gu;
const SHORTEST_NAME = 4;

function namesOf(text: string): Set<string> {
  const names = new Set<string>();
  for (const [match] of text.matchAll(NAME)) {
    const name = match.slice(match.lastIndexOf('/') + 1).replace(/[.-]+$/, '');
    if (name.length >= SHORTEST_NAME) names.add(name.toLowerCase());
  }
  return names;
}

/** All that was said and done, as one text. */
export function spokenText(messages: readonly SourceMessage[]): string {
  return messages
    .flatMap(({ texts, tools }) => [
      ...texts.map(({ text }) => text),
      ...tools.map(({ input, target }) => `${target} ${JSON.stringify(input)}`),
    ])
    .join('\n');
}

/** The same, and what the tools answered. */
export function wholeText(messages: readonly SourceMessage[]): string {
  const results = messages.flatMap(({ tools }) => tools.map(({ result }) => result));
  return `${spokenText(messages)}\n${results.join('\n')}`;
}

/** The beginning of a session, and the names in it that its last quarter uses again: what went on needed them. */
export function neededLater(messages: readonly SourceMessage[]): {
  first: readonly SourceMessage[];
  needed: ReadonlySet<string>;
} {
  const cut = Math.ceil(messages.length * 0.75);
  const first = messages.slice(0, cut);
  const before = namesOf(spokenText(first));
  const needed = new Set([...namesOf(spokenText(messages.slice(cut)))].filter((name) => before.has(name)));
  return { first, needed };
}

/** The share of names that a version still has. */
export function heldNames(needed: ReadonlySet<string>, version: string): number {
  const text = version.toLowerCase();
  return [...needed].filter((name) => text.includes(name)).length / needed.size;
}

/** A quoted value with the mark that it is told apart by. */
const VALUE = /'([^']+)'/g;
const POLAR = /\b(?:always|never|do not|don't)\b/i;
/** Words of rules that are told in a hundred ways. */
const MANNER = new Set(
  wordsOf(
    'always never use using include end start names string preferred main to all the use as for with from module add when writing do not write',
  ).map(({ stem }) => stem),
);

/** Whether some passage of a version tells a rule: its values literally, most of its words, and whether it forbids. */
export function isTold(rule: string, version: string): boolean {
  const values = [...rule.matchAll(VALUE)].map(([, value = '']) => value);
  const stems = new Set(
    wordsOf(rule.replace(VALUE, ' '))
      .filter(({ stem, weight }) => weight > 0 && !MANNER.has(stem) && stem !== NEGATION)
      .map(({ stem }) => stem),
  );
  const forbids = /^(?:never|do not)/i.test(rule);
  return passagesOf(version).some((passage) => {
    if (!values.every((value) => passage.includes(value))) return false;
    const words = wordsOf(passage);
    const there = new Set(words.map(({ stem }) => stem));
    const held = [...stems].filter((stem) => there.has(stem)).length;
    if (held < Math.ceil(stems.size * 0.65)) return false;
    return values.length > 0 || !POLAR.test(rule) || there.has(NEGATION) === forbids;
  });
}

/** Sentences, and pairs of sentences that follow each other in a paragraph. */
function passagesOf(version: string): string[] {
  return version.split(/\n+/).flatMap((line) => {
    const sentences = line.split(/(?<=[.!?])\s+/);
    return sentences.flatMap((sentence, at) => {
      const next = sentences[at + 1];
      return next === undefined ? [sentence] : [sentence, `${sentence} ${next}`];
    });
  });
}

function stemsIn(text: string): Map<string, number> {
  return new Map(
    wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 && stem !== NEGATION ? [[stem, weight] as const] : [])),
  );
}

/** Whether so much of these words stands among so many words in a row. */
function standTogether(wanted: ReadonlyMap<string, number>, text: string, share: number, within: number): boolean {
  const words = wordsOf(text).map(({ stem }) => stem);
  const needed = [...wanted.values()].reduce((sum, weight) => sum + weight, 0) * share;
  for (let from = 0; from < words.length; from++) {
    if (!wanted.has(words[from] ?? '')) continue;
    const near = new Set(words.slice(from, from + within));
    let sum = 0;
    for (const [stem, weight] of wanted) if (near.has(stem)) sum += weight;
    if (sum >= needed) return true;
  }
  return false;
}

const FEWEST_WORDS = 3;
const PASSAGE_WORDS = 90;

/** A thing that somebody put in words of their own: held where most of its words that its evidence has stand near each other. */
export function wantedItem(what: string, evidence: string): Wanted | undefined {
  const there = stemsIn(evidence);
  const words = new Map([...stemsIn(what)].filter(([stem]) => there.has(stem)));
  if (words.size < FEWEST_WORDS) return undefined;
  return { isHeldBy: (version) => standTogether(words, version, 0.6, PASSAGE_WORDS) };
}

/** Whether a version says a sentence, give or take a few words. */
export function saysSentence(sentence: string, version: string): boolean {
  return standTogether(stemsIn(sentence), version, 0.75, wordsOf(sentence).length * 2 + 6);
}

/** The fewest sentences that say of an answer what there is of it. */
export function evidenceSentences(
  answer: string,
  said: readonly { readonly role: Role; readonly content: string }[],
): { role: Role; sentence: string }[] {
  const sentences = said.flatMap(({ role, content }) => sentencesOf(content).map((sentence) => ({ role, sentence })));
  const missing = new Set(stemsIn(answer).keys());
  const found: { role: Role; sentence: string }[] = [];
  for (;;) {
    const newIn = ({ sentence }: { sentence: string }): number =>
      [...stemsIn(sentence).keys()].filter((stem) => missing.has(stem)).length;
    const best = sentences.toSorted((a, b) => newIn(b) - newIn(a) || a.sentence.length - b.sentence.length)[0];
    if (best === undefined || newIn(best) < (found.length === 0 ? 1 : 2)) return found;
    found.push(best);
    for (const stem of stemsIn(best.sentence).keys()) missing.delete(stem);
  }
}

/** What was changed on disk, and what is meant to the letter: versions, ports, flags. */
export function artifactsOf(messages: readonly SourceMessage[]): Set<string> {
  const found = new Set<string>();
  for (const { texts, tools } of messages) {
    for (const { name, input } of tools) {
      const file = input['file_path'];
      if (/^(?:Edit|MultiEdit|Write)$/.test(name) && typeof file === 'string') found.add(file.replace(/^.*\//, ''));
    }
    const commands = tools.flatMap(({ input: { command } }) => (typeof command === 'string' ? [command] : []));
    for (const text of [...texts.map(({ text: said }) => said), ...commands])
      for (const [match] of text.slice(0, 4000).matchAll(ARTIFACT)) found.add(match.trim());
  }
  return found;
}

const ARTIFACT = /\s--[a-z][\w-]+|[\w@/-]+[@=^~]+\d+\.\d+[\w.]*|\bv\d+\.\d+[\w.]*|(?:localhost|port):? ?\d{2,5}/gi;

/** How well two rows of figures agree on what is more: 1 for the same order, 0 for none. */
export function rankCorrelation(pairs: readonly (readonly [number, number])[]): number {
  const ranks = (values: readonly number[]): number[] =>
    values.map((value) => {
      const below = values.filter((other) => other < value).length;
      return below + (values.filter((other) => other === value).length - 1) / 2;
    });
  const [a, b] = [ranks(pairs.map(([one]) => one)), ranks(pairs.map(([, other]) => other))];
  const mean = (pairs.length - 1) / 2;
  const sum = (of: (at: number) => number): number => a.reduce((all, _, at) => all + of(at), 0);
  const at = (values: readonly number[], index: number): number => (values[index] ?? 0) - mean;
  return sum((i) => at(a, i) * at(b, i)) / Math.sqrt(sum((i) => at(a, i) ** 2) * sum((i) => at(b, i) ** 2));
}

// What a version is judged by.
import { collectFacts } from '../../../src/core/material/collectFacts';
import { NEGATION, wordsOf } from '../../../src/core/text/words';
import { measureFidelity } from '../../../src/core/versions/compressionEngine';
import type { SourceMessage } from '../../../src/core/material/types';
import type { Fidelity } from '../../../src/core/model/compression';

/** The product's own measure. */
export function fidelityOf(messages: readonly SourceMessage[], version: string): Fidelity {
  return measureFidelity({ facts: collectFacts(messages), keepits: [] }, version);
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

function spokenText(messages: readonly SourceMessage[]): string {
  return messages
    .flatMap(({ texts, tools }) => [
      ...texts.map(({ text }) => text),
      ...tools.map(({ input, target }) => `${target} ${JSON.stringify(input)}`),
    ])
    .join('\n');
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

/** The share of an answer's words that a text has, of those that the original has. */
export function answerRecall(answer: string, original: string, version: string): number | undefined {
  const stemsOf = (text: string): Set<string> =>
    new Set(
      wordsOf(text)
        .filter(({ weight, stem }) => weight > 0 && stem !== NEGATION)
        .map(({ stem }) => stem),
    );
  const possible = stemsOf(original);
  const wanted = [...stemsOf(answer)].filter((stem) => possible.has(stem));
  if (wanted.length === 0) return undefined;
  const there = stemsOf(version);
  return wanted.filter((stem) => there.has(stem)).length / wanted.length;
}

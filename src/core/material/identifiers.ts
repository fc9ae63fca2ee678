import type { SourceMessage } from './types';
import type { Mention } from './factTally';
import { bareText } from './saidText';
import { wordsOf } from '../text/words';

const MAX_NAME = 120;
/** Names of code: `parseLines`, `max_size`, `MAX_SIZE`, `Reader.next`; a dot leads to a member, not to a file. */
const NAME =
  /(?<![\p{L}\p{N}_$./#@-])(?:[a-z][a-z\d]*[A-Z][A-Za-z\d]*|[A-Z][a-z\d]+[A-Z][A-Za-z\d]*|[A-Za-z\d]+(?:_[A-Za-z\d]+)+)(?![\p{L}\p{N}_$/-]|\.[A-Za-z])/gu;
const URL = /https?:\/\/[^\s<>()[\]"'`\\|{}]{4,}/g;
const REFERENCE = /(?<![\p{L}\p{N}_&#/])#\d{1,6}(?!\p{L}|\d)/gu;
/** A code span that is one word: a name, an option, a package, a version. */
const CODE_SPAN = /(?<!`)`([^`\s]{3,60})`(?!`)/g;
const NO_NAME =
  /\/|^[^\p{L}#@-]*$|^\.?[\w-]+\.[a-z]{1,5}$|^(?:true|false|null|undefined|none|this|self|string|number|boolean|void|any|(?:java|type)script|git(?:hub|lab)|vs ?code)$/iu;

/** Marked as code, but a word like any other. */
const PLAIN_WORD = /^\p{L}\p{Ll}*$/u;

const weights = { human: 1.5, marked: 0.7, plain: 0.5, word: 0.3 } as const;

/** The names that a message's words use: of code, addresses, numbers of issues. Tool calls are not looked at. */
export function identifiersOf(message: SourceMessage): Mention[] {
  const found = new Map<string, Mention>();
  const add = (raw: string, weight: number): void => {
    const key = raw.replace(/^["'“*]+|(?<!["'”.,;:!?*])["'”.,;:!?*]+$/g, '').replace(/\(\)$/, '');
    if (key.length < 2 || key.length > MAX_NAME || wordsOf(key).length === 0) return;
    const known = found.get(key);
    const counts = message.role === 'user' ? weight * weights.human : weight;
    if (known === undefined || known.weight < counts)
      found.set(key, { kind: 'identifier', key, text: key, weight: counts });
  };
  for (const block of message.texts) {
    const text = bareText(block.text);
    for (const [url] of text.matchAll(URL)) add(url, weights.marked);
    for (const [reference] of text.matchAll(REFERENCE)) add(reference, weights.marked);
    for (const [, span = ''] of text.matchAll(CODE_SPAN))
      if (!NO_NAME.test(span)) add(span, PLAIN_WORD.test(span) ? weights.word : weights.marked);
    for (const [name] of text.replace(URL, ' ').matchAll(NAME)) if (!NO_NAME.test(name)) add(name, weights.plain);
  }
  return [...found.values()];
}

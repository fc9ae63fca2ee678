import { commandNames, commandSecrets } from './commandSecrets';
import { keyBlocks } from './keyBlocks';
import { namedSecrets } from './namedSecrets';
import { secretForms, type SecretForm } from './secretForms';
import type { FoundSecret } from './secretValues';
import { urlSecrets } from './urlSecrets';
import { WordFinder, type FoundWords } from './wordFinder';

/** A kind of secret that was taken out of a text, and how often. */
export interface RedactedSecrets {
  /** For people: `GitHub token`. */
  readonly kind: string;
  readonly count: number;
}

export interface Redaction {
  readonly text: string;
  /** In the order of first appearance; empty when nothing was taken out. */
  readonly secrets: readonly RedactedSecrets[];
}

/** Parts of the names that secrets are given. */
const NAME_WORDS =
  'pass pwd pw psw mdp secret token key cred auth jwt sig pat senha parola clave kennwort wachtwoord contraseña contrasena hasło haslo lösenord salasana jelszo heslo пароль 密码 密碼 口令 パスワード 비밀번호 암호';

/** What a text is looked through for, and what each find is a hint of. */
interface Hints {
  readonly finder: WordFinder;
  readonly forms: readonly SecretForm[];
  /** By word: the forms that it is a hint of. */
  readonly formsOf: readonly (readonly number[])[];
  /** By word: its place among the commands. */
  readonly commands: ReadonlyMap<number, number>;
  readonly addresses: number;
  readonly blocks: number;
}

let hints: Hints | undefined;

/** Made when it is first needed: it takes some milliseconds. */
function readHints(): Hints {
  const forms = secretForms();
  const formsOf: number[][] = [];
  const places = new Map<string, number>();
  const placeOf = (word: string): number => {
    const place = places.get(word) ?? places.size;
    places.set(word, place);
    formsOf[place] ??= [];
    return place;
  };
  for (const [index, { keywords }] of forms.entries()) for (const word of keywords) formsOf[placeOf(word)]?.push(index);
  const names = new Set(NAME_WORDS.split(' ').map(placeOf));
  const commands = new Map(commandNames.map((name, index) => [placeOf(name), index]));
  const [addresses, blocks] = [placeOf('://'), placeOf('private key')];
  const finder = new WordFinder([...places.keys()], [...names, ...commands.keys(), addresses]);
  return { finder, forms, formsOf, commands, addresses, blocks };
}

/**
 * Takes out what gives access: keys, tokens, passwords. What is left says what stood there. Linear in the text; finding is by known
 * forms and by the names that secrets are given, so a secret in a form of its own, without a name, stays.
 */
export function redactSecrets(text: string): Redaction {
  hints ??= readHints();
  const words = hints.finder.find(text);
  if (words === undefined) return { text, secrets: [] };
  return takenOut(text, joined(findSecrets(text, words, hints)));
}

/** What is looked for first names what several have found. */
function findSecrets(text: string, { words, places }: FoundWords, known: Hints): FoundSecret[] {
  const names: number[] = [];
  const addresses: number[] = [];
  const commands: { word: number; end: number }[] = [];
  for (let at = 0; at < places.length; at += 2) {
    const [word = 0, end = 0] = [places[at], places[at + 1]];
    const command = known.commands.get(word);
    if (command !== undefined) commands.push({ word: command, end });
    else if (word === known.addresses) addresses.push(end);
    else names.push(end);
  }
  const blocks = words.includes(known.blocks) ? keyBlocks(text) : [];
  const forms = new Set(words.flatMap((word) => known.formsOf[word] ?? []));
  return [
    ...blocks.map((range) => ({ ...range, kind: 'private key' })),
    ...[...forms].sort((a, b) => a - b).flatMap((form) => formSecrets(text, known.forms[form])),
    ...urlSecrets(text, addresses),
    ...commandSecrets(text, commands),
    ...namedSecrets(text, names),
  ];
}

function formSecrets(text: string, form: SecretForm | undefined): FoundSecret[] {
  const found: FoundSecret[] = [];
  if (form === undefined) return found;
  for (const match of text.matchAll(form.pattern)) {
    const secret = match.groups?.['secret'] ?? '';
    const end = match.index + match[0].length;
    if (startsThere(text, match.index) && form.isSecret(secret))
      found.push({ start: end - secret.length, end, kind: form.kind });
  }
  return found;
}

/** What of images and bundles stands before what looks like a token in them. */
const DATA = /^[A-Za-z0-9+/]{40}$/;

/** Whether something begins here: not within a word, but behind the written end of a line or a written character. */
function startsThere(text: string, at: number): boolean {
  if (at === 0 || !/\w/.test(text.charAt(at - 1)) || !/\w/.test(text.charAt(at)))
    return !DATA.test(text.slice(at - 40, at));
  return /\\[nrtbf]$|%[\da-f]{2}$/i.test(text.slice(Math.max(0, at - 3), at));
}

/** Each piece of the text once, named by the first that found it. */
function joined(found: readonly FoundSecret[]): FoundSecret[] {
  const ranked = found
    .map((secret, rank) => ({ ...secret, rank }))
    .sort((a, b) => a.start - b.start || a.rank - b.rank);
  const pieces: (FoundSecret & { readonly rank: number })[] = [];
  for (const secret of ranked) {
    const last = pieces.at(-1);
    if (last === undefined || secret.start >= last.end) {
      pieces.push(secret);
      continue;
    }
    const named = secret.rank < last.rank ? secret : last;
    pieces[pieces.length - 1] = { ...named, start: last.start, end: Math.max(last.end, secret.end) };
  }
  return pieces;
}

function takenOut(text: string, found: readonly FoundSecret[]): Redaction {
  const counts = new Map<string, number>();
  let redacted = '';
  let done = 0;
  for (const { start, end, kind } of found) {
    redacted += `${text.slice(done, start)}[redacted: ${kind}]`;
    done = end;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return { text: redacted + text.slice(done), secrets: [...counts].map(([kind, count]) => ({ kind, count })) };
}

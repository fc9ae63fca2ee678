import { namedSecrets } from './namedSecrets';
import { type FoundSecret, isPlaceholder, isRandom, isUsualWord, type SecretForm, secretForms } from './secretLooks';
import names from './secretNames.json';
import { WordFinder, type FoundWords } from './wordFinder';
import type { TextRange } from './privateText';
import { countUp } from '../ownValue';

/** A kind of secret that was taken out of a text, and how often. */
export interface RedactedSecrets {
  /** For people: `GitHub token`. */
  readonly kind: string;
  readonly count: number;
}

interface Redaction {
  readonly text: string;
  /** In the order of first appearance; empty when nothing was taken out. */
  readonly secrets: readonly RedactedSecrets[];
}

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
  const ofNames = new Set(names.parts.split(' ').map(placeOf));
  const commands = new Map(commandNames.map((name, index) => [placeOf(name), index]));
  const [addresses, blocks] = [placeOf('://'), placeOf('private key')];
  const finder = new WordFinder([...places.keys()], [...ofNames, ...commands.keys(), addresses]);
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
  for (const match of text.matchAll(form.pattern())) {
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
    countUp(counts, kind);
  }
  return { text: redacted + text.slice(done), secrets: [...counts].map(([kind, count]) => ({ kind, count })) };
}

const MARKER = /-----(BEGIN|END)[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Longer than any key, with line numbers and escapes in it. */
const LONGEST_KEY = 40_000;
const KEY_LINE = /[A-Za-z0-9+/=]{16,}/g;
const HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\r\n\\]{0,80}/g;
/** Between two lines of a key: ends of lines, as such or written out, quotes, the signs of a diff, numbers of lines. */
const NO_TEXT = /^[\s\d"'`+,>|:;.→\\nrt-]*$/;

/** Private keys in their blocks, of any kind. One that was cut reaches as far as its lines do, before or behind. */
function keyBlocks(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  const markers = [...text.matchAll(MARKER)].map(({ index, 0: { length }, 1: type }) => {
    return { start: index, end: index + length, isEnd: type === 'END' };
  });
  let done = 0;
  for (const [at, marker] of markers.entries()) {
    const next = markers[at + 1];
    if (marker.start < done) continue;
    const range = marker.isEnd ? tail(text, marker, done) : block(text, marker, next);
    if (range !== undefined) ranges.push(range);
    done = range?.end ?? marker.end;
  }
  return ranges;
}

interface Marker extends TextRange {
  readonly isEnd: boolean;
}

/** The key that begins here; whoever only names the beginning has none. */
function block(text: string, { start, end }: Marker, next: Marker | undefined): TextRange | undefined {
  const body = text.slice(end, Math.min(next?.start ?? text.length, end + LONGEST_KEY));
  const lines = linesOf(body);
  if (lines === 0) return undefined;
  const isWhole = next?.isEnd === true && next.start - end <= LONGEST_KEY;
  return { start, end: isWhole ? next.end : end + lines };
}

/** How far the lines of a key reach without anything else between. */
function linesOf(body: string): number {
  let end = 0;
  for (const { index, 0: line } of body.matchAll(KEY_LINE)) {
    if (!isBetweenLines(body.slice(end, index))) break;
    end = index + line.length;
  }
  return end === 0
    ? 0
    : end + (/^(?:\s|\\n){1,4}[A-Za-z0-9+/]{1,15}={0,2}(?!\w)/.exec(body.slice(end))?.[0].length ?? 0);
}

/** A key whose beginning was cut away: the lines before its end. */
function tail(text: string, { start, end }: Marker, after: number): TextRange | undefined {
  const offset = Math.max(after, start - LONGEST_KEY);
  const before = text.slice(offset, start);
  let first = before.length;
  for (const { index, 0: line } of [...before.matchAll(KEY_LINE)].reverse()) {
    const between = before.slice(index + line.length, first);
    if (!isBetweenLines(first === before.length ? between.replace(/[A-Za-z0-9+/]{1,15}={0,2}(?=\s*$)/, '') : between))
      break;
    first = index;
  }
  return first === before.length ? undefined : { start: offset + first, end };
}

function isBetweenLines(between: string): boolean {
  return between.length < 400 && NO_TEXT.test(between.replace(HEADER, ''));
}

/** From behind `://`: a name, a colon, and what stands before the last @ of the host's part. */
const CREDENTIALS = /[^\s/:@"'`<>\\]{0,100}:(?<secret>[^\s/"'`<>\\]{1,200})@(?=[\w[$%{.-])/y;

/** The passwords of addresses; `ends` are the ends of `://` in the text. */
function urlSecrets(text: string, ends: readonly number[]): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const end of ends) {
    CREDENTIALS.lastIndex = end;
    const secret = CREDENTIALS.exec(text)?.groups?.['secret'] ?? '';
    if (secret === '') {
      const token = tokenAt(text, end);
      if (token !== undefined) found.push(token);
      continue;
    }
    if (isPlaceholder(secret) || isUsualWord(secret) || /^\d{1,5},/.test(secret)) continue;
    const last = CREDENTIALS.lastIndex - 1;
    found.push({ start: last - secret.length, end: last, kind: 'password in a URL' });
  }
  return found;
}

const LONE_TOKEN = /(?<secret>[\w.~%-]{16,300})@(?=[\w[$%{.-])/y;

/** A token in the place of the user's name. */
function tokenAt(text: string, start: number): FoundSecret | undefined {
  LONE_TOKEN.lastIndex = start;
  const token = LONE_TOKEN.exec(text)?.groups?.['secret'] ?? '';
  return isRandom(token) ? { start, end: start + token.length, kind: 'token in a URL' } : undefined;
}

/** Options of a command that take a secret, in letters of their own or together with a name. */
interface Command {
  readonly names: readonly string[];
  readonly options: RegExp;
}

const VALUE = String.raw`\\{0,8}["']?(?<secret>[^\s"'\\|;&<>]{2,200})`;

/** A word alone may be anything. */
const WITH_SIGN = String.raw`(?=[^"'\\]{0,200}[\d!@#$%^&*])`;

const COMMANDS: readonly Command[] = [
  {
    names: ['curl', 'wget', 'xh ', 'http '],
    options: option(
      String.raw`(?:(?:-u|-U|-a|--user|--proxy-user|--auth)(?:[ =]{0,2})\\{0,8}["']?[^\s"':]{0,100}:|(?:-b|--cookie)[ =]?\\{0,8}["']?[\w.-]{1,60}=(?=[^\s"';\\]{16}))`,
      '',
    ),
  },
  { names: ['mysql', 'mariadb', 'mycli', '7z '], options: option('-p', VALUE) },
  {
    names: [
      'sshpass',
      'docker login',
      'podman login',
      'nerdctl login',
      'registry login',
      'skopeo login',
      'auth login',
      'az login',
      'oc login',
      'mongo',
      'rabbitmqadmin',
      'cqlsh',
    ],
    options: option('-p[ =]?', VALUE),
  },
  { names: ['redis-cli', 'valkey-cli'], options: option('-a[ =]?', VALUE) },
  { names: ['ldap'], options: option('-w[ =]?', VALUE) },
  { names: ['sqlcmd', 'bcp ', 'isql', 'zip ', 'unzip '], options: option('-P[ =]?', VALUE) },
  {
    names: ['smbclient', 'mount.cifs', 'rpcclient'],
    options: option(String.raw`-U[ =]?\\{0,8}["']?[^\s"'%]{1,100}%`, ''),
  },
  {
    names: ['sqlplus', 'expdp', 'impdp', 'rman'],
    options: /\s[^\s"'/@]{1,60}\/(?<secret>[^\s"'/@\\]{2,200})(?=@)/g,
  },
  {
    names: [' -u ', ' --user', ' --username'],
    options: option('-[pP] ', String.raw`(?=[^\s\\]{0,60}\d)(?=[^\s\\]{0,60}[A-Za-z])${VALUE}`),
  },
  { names: ['lftp'], options: option(String.raw`-u[ =]?[^\s"',]{1,100},`, '') },
  { names: ['snmp'], options: option('(?:-[AX][ =]?|community )', VALUE) },
  { names: ['ssh-keygen'], options: option('-N[ =]?', VALUE) },
  { names: ['openssl enc'], options: option('-k ', VALUE) },
  { names: ['xfreerdp', 'mstsc', 'cmdkey'], options: option('/p(?:ass)?:', VALUE) },
  { names: ['net user'], options: /^r\s{1,4}(?!\/)\S{1,100}\s{1,4}["']?(?<secret>[^\s"'/*\\]{2,200})/g },
  { names: ['schtasks'], options: option('/rp ', VALUE) },
  { names: ['keyvault secret set'], options: option('--value[ =]', VALUE) },
  { names: ['put-parameter'], options: option('--value[ =]', String.raw`${VALUE}(?=.{0,400}SecureString)`) },
  { names: ['type securestring'], options: option('--value[ =]', VALUE) },
  { names: ['encrypt_string'], options: /\s["'](?<secret>[^\s"'\\]{3,200})(?=["'])/g },
  { names: ['nmcli'], options: option('password ', VALUE) },
  { names: ['net use'], options: /\s\\{2,8}\S{1,200}\s{1,4}(?<secret>[^\s/*"'][^\s"'\\]{1,200})/g },
  { names: ['vault login'], options: /\s(?<secret>[^\s"'\\=-][^\s"'\\=]{7,300})/g },
  {
    names: ['identified'],
    options:
      /\s(?:BY\s{1,4}|by\s{1,4}(?=[^\s;]{4,200}\s{0,4};))(?<secret>[^\s"'\\;:?,]{4,200})(?=\s{0,4}(?:;|\\n|["'\r\n]|$|\b(?:USING|WITH|REQUIRE|DEFAULT|ACCOUNT)\b))/g,
  },
  {
    names: ['mysqli_connect', 'new mysqli', 'new pdo', 'getconnection'],
    options: positional(String.raw`(?:[^,()]|\([^()]{0,80}\)){1,200},\s{0,4}`, ''),
  },
  { names: ['connect('], options: positional(String.raw`[^,()]{1,200},\s{0,4}`, WITH_SIGN) },
  {
    names: ['auth=(', 'auth = (', 'setauth(', 'basicauth(', 'credential(', 'credentials(', 'passwordauthentication('],
    options: positional('', ''),
  },
  { names: ['login('], options: positional('(?!.{0,4}/)', WITH_SIGN) },
  { names: ['openssl', 'gpg', 'keytool'], options: option('(?:-pass(?:in|out)?[ =]?)?pass:', '') },
  { names: ['htpasswd'], options: /\s-\w{0,6}b\w{0,6}\s+\S{1,200}\s+\S{1,100}\s+["']?(?<secret>[^\s"']{2,200})/g },
  {
    names: ['rabbitmqctl', 'net user', 'influx'],
    options: /\s(?:add_user|change_password|user|-password)\s+(?!\/)\S{1,100}\s+["']?(?<secret>[^\s"'/]{2,200})/g,
  },
];

/** Longest part of a text that one command is looked for in. */
const LONGEST_COMMAND = 600;

/** What commands use to find where they stand. */
const commandNames: readonly string[] = COMMANDS.flatMap(({ names }) => names);

/** Before the value stands the option, and before that a space. */
function option(name: string, value: string): RegExp {
  return new RegExp(
    String.raw`(?<=\s)${name}${value === '' ? String.raw`(?<secret>[^\s"'\\|;<>]{1,200})` : value}`,
    'g',
  );
}

/** In a call, the text behind that of the user's name. */
function positional(before: string, ahead: string): RegExp {
  const quote = String.raw`\\{0,8}["']`;
  return new RegExp(
    String.raw`\(\s{0,4}${before}${quote}[^"'\\]{0,100}${quote},\s{0,4}${quote}(?<secret>${ahead}[^"'\\]{4,200})`,
    'g',
  );
}

/** What commands are given as a secret by their short options. `found` says where which of `commandNames` ends. */
function commandSecrets(text: string, found: readonly { word: number; end: number }[]): FoundSecret[] {
  const secrets: FoundSecret[] = [];
  const seen = new Map<Command, number>();
  for (const { word, end } of found) {
    const name = commandNames[word] ?? '';
    const command = COMMANDS.find(({ names }) => names.includes(name));
    if (command === undefined || end <= (seen.get(command) ?? 0) || isWithin(text, end, name)) continue;
    const line = lineAt(text, end - 1);
    seen.set(command, end + line.length - 1);
    for (const match of line.matchAll(command.options)) {
      const secret = match.groups?.['secret'] ?? '';
      if (isPlaceholder(secret) || isUsualWord(secret) || isNoSecret(secret)) continue;
      const at = end - 1 + match.index + match[0].length - secret.length;
      secrets.push({ start: at, end: at + secret.length, kind: 'password in a command' });
    }
  }
  return secrets;
}

/** Calls may have more before what they are known by. */
function isWithin(text: string, end: number, name: string): boolean {
  return !name.endsWith('(') && !startsThere(text, end - name.length);
}

/** The rest of a command: to the end of its line, unless that says that it goes on, or to what comes after it. */
function lineAt(text: string, start: number): string {
  const rest = text.slice(start, start + LONGEST_COMMAND);
  const ending = /(?<!\\)\r?\n|\s(?:\|\|?|&&|;)\s|(?<!\\)\\n(?![a-z])/.exec(rest);
  return ending === null ? rest : rest.slice(0, ending.index);
}

/** Ports, folders and the like, which the same letters take in other commands. */
function isNoSecret(value: string): boolean {
  return /^\d{1,5}(?::\d{1,5})?(?:\/\w+)?$|^[-=/.~]|^\d+(?:\.\d+){3}(?::|$)|:\d+(?::|$)/.test(value);
}

import { isPasswordsName, namesPassword, strengthOf, type NameStrength } from './secretNames';
import type { TextRange } from './privateText';
import { columnBelow } from './secretColumns';
import {
  entropyOf,
  isCode,
  isMadeUp,
  isNameCharacter,
  isNameLike,
  isNumbered,
  nameAround,
  isPlaceholder,
  isPlainValue,
  isRandom,
  isUsualWord,
  UUID,
  bareEnd,
  isListed,
  type FoundSecret,
} from './secretLooks';

/** What a name that was found stands in. */
interface Named {
  readonly text: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly strength: NameStrength;
}

/** How a value stands behind its name, from the surest to the least sure. */
type Style = 'option' | 'setting' | 'quoted' | 'line' | 'bare' | 'told' | 'said';

interface Value {
  readonly start: number;
  readonly end: number;
  readonly style: Style;
}

const LONGEST_NAME = 60;
const IN_COLUMN = { style: 'bare' } as const;
const KINDS = { assigned: 'secret in an assignment', said: 'secret beside its name' };

/**
 * What stands beside a name for secrets, as a setting, an option, a field, an argument or in a sentence, where it may well be one. `ends`
 * are the ends of words in the text that such names have in them.
 */
export function namedSecrets(text: string, ends: readonly number[]): FoundSecret[] {
  const found: FoundSecret[] = [];
  let seen = -1;
  let tableEnd = -1;
  for (const end of ends) {
    if (end <= seen) continue;
    const named = nameAt(text, end);
    if (named === undefined) continue;
    seen = named.end;
    const value = valueOf(named);
    if (value !== undefined && isLikely(text.slice(value.start, value.end), value, named)) {
      found.push({ start: value.start, end: value.end, kind: isInSentence(value) ? KINDS.said : KINDS.assigned });
      seen = value.end;
    } else if (end > tableEnd) {
      const column = columnBelow(text, named);
      const cells = column?.cells.filter((cell) => isLikely(text.slice(cell.start, cell.end), IN_COLUMN, named)) ?? [];
      found.push(...cells.map((cell) => ({ ...cell, kind: KINDS.said })));
      tableEnd = column?.end ?? tableEnd;
    }
  }
  return found;
}

function isInSentence({ style }: Value): boolean {
  return style === 'said' || style === 'told';
}

function nameAt(text: string, wordEnd: number): Named | undefined {
  const { start, end } = nameAround(text, wordEnd, LONGEST_NAME);
  const isInAddress = text[start - 1] === ':' && text[end] === ':';
  if (end - start > LONGEST_NAME || isInAddress) return undefined;
  const isEscape = text[start - 1] === '\\';
  return namedBy(text, { start, end }) ?? (isEscape ? namedBy(text, { start: start + 1, end }) : undefined);
}

/** The end of a line that is written out may stand before a name: `\ntoken`. */
function namedBy(text: string, { start, end }: TextRange): Named | undefined {
  const name = text.slice(start, end);
  const strength = strengthOf(name, text.slice(Math.max(0, start - 24), start));
  return strength === undefined ? undefined : { text, name, start, end, strength };
}

/** Behind a name, in this order: what closes it, its type, what assigns, and what begins a block or makes the value of a text. */
const CLOSES = /(?:\\{0,8}["'`]|\*{2})?\]?(?:\?(?!\?)|!)?/y;
const TYPE = /(?:[ \t]{0,20}:[ \t]{0,4}|[ \t]{1,4})[A-Za-z][\w.<>[\]| ]{0,40}?(?=[ \t]{1,4}=[^=>]|=[^=>\s"'`\\])/y;
const SIGN = /[ \t]{0,20}(\?\?=|\|\|=|<<<|:=|=>|->|\?=|={1,3}|:-|::?(?:\*{2})?|：|\|\||\?\?)[ \t]{0,20}/y;
const BLOCK = /[|>][-+]?[ \t]{0,4}\r?\n\s{1,40}/y;
const MAKER =
  /(?:new )?(?:String|Some|Secret\w{0,10}|SecureString|Password|Buffer|[bB]ytes)(?:(?:::|\.)(?:from|new|of|valueOf))?\((?=\\{0,8}["'`])/y;
const CELL_BEFORE = /\|[ \t]{1,20}(?:\*{2})?(?:\w{1,20} ){0,3}$/;
/** The next cell of a table, or a value alone on the line after. */
const NEXT_CELL = /(?:\*{2})?[ \t]{1,20}\|[ \t]{1,20}(?=[^\s|])/y;
const NEXT_LINE = /(?:\*{2})?[ \t]{0,4}:(?:\*{2})?[ \t]{0,4}\r?\n[ \t]{0,8}(?=[^\s"'`]{6,100}[ \t]{0,4}(?:[\r\n]|$))/y;
/** What sets a name to what stands behind a space. */
const SETS =
  /(?:^|[\r\n]|\\n|&& |; |["'`$] ?|: )[ \t+-]{0,20}(?:ENV|ARG|setenv|SetEnv|setx|set(?: -\w{1,4}){1,3})[ \t]{1,4}$/;
const URL_ASSIGNS = /%3[AD]/iy;
/** What stands in for a value that is read from elsewhere. */
const INSTEAD =
  /(?:<%=)?[^\r\n"'`|?=;]{1,60}(?:\\{0,8}["'][\w.-]{1,60}\\{0,8}["'][\])])?[ \t]{0,4}(?:\|\||\?\?)[ \t]{0,4}(?=\\{0,8}["'`])/y;
const TAKES =
  /(?:\\{0,8}["'`])?(?:,[ \t]{0,40}|\([ \t]{0,4}|[ \t]{1,4}(?:to|as|by)?[ \t]{0,4}|[ \t]{1,4}value[ \t]{0,2}=[ \t]{0,2})(?=\\{0,8}["'`])/iy;
/** The value is the next field: of an object, of a list, of a variable with a default, of a property; or it is typed into the field named. */
const NEXT_FIELDS = [
  /\\{0,8}["']?,?(?:\s|\\{1,8}n|[+>-]|\d{1,6}[→|:]){0,60}\\{0,8}["']?\b\w{0,20}(?:value|val)\\{0,8}["']?[ \t]{0,4}[:=][ \t]{0,4}/iy,
  /\\{0,8}["']\s{0,4}\{[^{}]{0,300}?\bdefault[ \t]{0,8}=[ \t]{0,4}/y,
  /[ \t]{0,4}\{ ?get;[^{}]{0,30}\}[ \t]{0,4}=[ \t]{0,4}/y,
  /\\{0,8}["'`](?:\)\.(?:type|fill|send_?keys|set_?value|val)\(|,[ \t]{0,4}with:)[ \t]{0,4}(?=\\{0,8}["'`])/iy,
  /[ \t]{1,4}(?:-Value|\/t[ \t]{1,4}\w{1,20}[ \t]{1,4}\/d)[ \t]{1,4}/iy,
  /[ \t][05789][ \t]{1,4}(?=\S{6})/y,
  /\sfor\s[\w'"`@%.-]{1,80}[ \t]{0,4}=[ \t]{0,4}(?=')/iy,
];
const ELEMENT_BEFORE = /<(?:entry|property|prop|setting|param|parameter|variable|env)\b[^<>]{0,120}$/i;
/** The end of an element's beginning, with what it has there. */
const ATTRIBUTES = /(?:\s{1,4}[\w:.-]{1,40}=\\{0,8}"[^"<>\\]{0,200}\\{0,8}"){0,5}>/y;
/** The element behind that holds the value: `<key>ApiKey</key> <string>…</string>` */
const NEXT_ELEMENT = /<\/(?:key|name)>(?:\s|\\{1,8}n|[+-]|\d{1,6}[→|:]){0,60}<(?:string|value|val)>/y;
const OPTION = /(?:[ \t]{1,8}|[ \t]{0,20}\\\r?\n\s{1,20})(?=[^\s-])/y;
const SAYS_OF =
  /\s(?:for|of|to|on|at|in|from|we|I|you|they|that|für|para|pour|wir|ich|du)\s[\w .'@/-]{1,50}?(?:\s{1,3}(?:is|was|ist|lautet|es|est)(?::|\s)\s{0,3}|:\s{1,3})(?:now\s)?/y;
const COPULA = /\s(?:is|was|ist|lautet|es|est)\b|:/;
const SAYS =
  /(?:s|['’]s|\s(?:for|of|to|on|für|para|pour)\s[\w .'@/-]{1,50}?)?\s{1,3}(?:(?:is|was|are|ist|lautet|es|est|è|é|to|of|as)(?::|\s)\s{0,3})?(?:now\s|(?:set|changed|reset) to\s|called\s)?/y;
const SAYS_WITHOUT_SPACE = /\s?(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]|:|：|=)?\s?/uy;
const QUOTE = /(?:[bBrRuUfFN@$]{0,2})(\\{0,8}["'`])/y;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function endOf(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 0);
}

/** Where a value begins that a name is set to, and by which sign. */
function assignedAt(text: string, nameEnd: number): { at: number; sign: string } | undefined {
  const before = endOf(TYPE, text, endOf(CLOSES, text, nameEnd));
  const sign = matchAt(SIGN, text, before) ?? matchAt(URL_ASSIGNS, text, nameEnd);
  if (sign === null) return undefined;
  const after = sign.index + sign[0].length;
  const begun = endOf(BLOCK, text, after);
  return { at: begun > after ? begun : endOf(MAKER, text, after), sign: sign[1] ?? '=' };
}

function valueOf(named: Named): Value | undefined {
  const { text, start, end } = named;
  const inside = insideOf(named);
  if (inside !== undefined) return elementOf(text, inside);
  const apart = besideOf(named);
  if (apart !== undefined) return valueAt(text, end + apart, 'bare');
  const assigned = assignedAt(text, end);
  if (assigned !== undefined) return assignedTo(named, assigned.at, assigned.sign);
  if (text[end] === ' ' && SETS.test(text.slice(Math.max(0, start - 30), start)))
    return valueAt(text, end + 1, 'setting');
  return fieldOf(named) ?? saidOf(named);
}

/** Where an element begins that is named so: `<password>`, `<entry key="db.password">`. */
function insideOf({ text, start, end }: Named): number | undefined {
  const next = matchAt(NEXT_ELEMENT, text, end);
  if (next !== null) return end + next[0].length;
  const attributes = matchAt(ATTRIBUTES, text, end)?.[0];
  if (attributes !== undefined)
    return /<\/?(?:[\w-]{1,30}:)?$/.test(text.slice(Math.max(0, start - 32), start))
      ? end + attributes.length
      : undefined;
  const isQuoted = /^["']>/.test(text.slice(end, end + 2));
  return isQuoted && ELEMENT_BEFORE.test(text.slice(Math.max(0, start - 150), start)) ? end + 2 : undefined;
}

/** What comes next in an object, a call or a command. */
function fieldOf({ text, name, start, end }: Named): Value | undefined {
  for (const pattern of NEXT_FIELDS) {
    const field = matchAt(pattern, text, end);
    if (field !== null) return valueAt(text, end + field[0].length, isConstant(name) ? 'setting' : 'line');
  }
  const takes = text[start - 1] === '$' ? null : matchAt(TAKES, text, end);
  if (takes !== null) return unlessNamed(text, quotedAt(text, end + takes[0].length));
  const option = name.startsWith('-') ? matchAt(OPTION, text, end) : null;
  return option === null ? undefined : valueAt(text, end + option[0].length, 'option');
}

/** What is quoted may be the name of the next field. */
function unlessNamed(text: string, value: Value | undefined): Value | undefined {
  return value === undefined || /^\\{0,8}["'`]\s{0,4}:/.test(text.slice(value.end, value.end + 14)) ? undefined : value;
}

/** How far behind the name the next cell of a table begins, or a value that is alone on the next line. */
function besideOf({ text, start, end }: Named): number | undefined {
  const isCell = CELL_BEFORE.test(text.slice(Math.max(0, start - 80), start));
  return (isCell ? matchAt(NEXT_CELL, text, end) : null)?.[0].length ?? matchAt(NEXT_LINE, text, end)?.[0].length;
}

function saidOf({ text, end }: Named): Value | undefined {
  const isSpaced = isNameCharacter(text.charCodeAt(end - 1));
  const says =
    (isSpaced ? matchAt(SAYS_OF, text, end) : null) ?? matchAt(isSpaced ? SAYS : SAYS_WITHOUT_SPACE, text, end);
  return says === null ? undefined : valueAt(text, end + says[0].length, COPULA.test(says[0]) ? 'told' : 'said');
}

/** `<password>…</password>` */
function elementOf(text: string, start: number): Value | undefined {
  const end = text.indexOf('<', start);
  return end > start && end - start <= 300 && !/\s/.test(text.slice(start, end))
    ? { start, end, style: 'quoted' }
    : undefined;
}

function assignedTo(named: Named, at: number, sign: string): Value | undefined {
  const { text, start, end } = named;
  if (sign === '||' || sign === '??') return quotedAt(text, at);
  const instead = matchAt(INSTEAD, text, at);
  if (instead !== null) return quotedAt(text, at + instead[0].length);
  if (sign === ':-') return text.startsWith('${', start - 2) ? valueAt(text, at, 'setting') : undefined;
  const isTight = sign === '=' && /^(?:=|%3[AD])$/i.test(text.slice(end, at));
  if (!isTight) return valueAt(text, at, isOwnLine(named) ? 'line' : 'bare');
  return tightValue(named, at) ?? valueAt(text, at, text[start - 1] === '.' || isOwnLine(named) ? 'line' : 'bare');
}

/** The value of a setting or an option, right behind the sign. */
function tightValue({ text, name, start, end }: Named, at: number): Value | undefined {
  if (name.startsWith('-')) return valueAt(text, at, 'option');
  if (at > end + 1 || isConstant(name) || isListed(text, start) || isOfSetting(text, start))
    return valueAt(text, at, 'setting');
  const value = /^$|[\s=]/.test(text.charAt(start - 1)) ? valueAt(text, at, 'setting') : undefined;
  if (value === undefined) return undefined;
  return /^(?:$|\s|\\{1,8}[nr"]|["'`])/.test(text.slice(value.end, value.end + 10)) ? value : undefined;
}

function isOwnLine({ text, start }: Named): boolean {
  return OWN_LINE.test(text.slice(Math.max(0, start - 60), start));
}

/** `//npm.example.org/:_authToken=…`, `--set auth.password=…`, `-Ddb.password=…` */
function isOfSetting(text: string, start: number): boolean {
  return (
    text.startsWith(':_', start - 1) ||
    /(?:--[\w-]{1,40}[ =]|\s-[DPX])[\w.-]{0,80}\.$/.test(text.slice(Math.max(0, start - 130), start))
  );
}

/** Only an indent, the signs of a diff or a list, the number of a line and the rest of a dotted name before it. */
const OWN_LINE = /(?:^|[\r\n"'`]|\\n|: )[ \t>+-]{0,60}(?:\d{1,20}[→|:]?[ \t]{0,60})?(?:[\w.]{1,60}\.)?\\{0,8}["']?$/;
/** Nothing but a comment behind it, or the end of what is quoted. */
const END_OF_LINE = /^[ \t]*(?:#.*)?(?:$|[\r\n]|\\{0,8}["'`]|\\{1,8}n)/;

function isConstant(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name.replace(/^n(?=[A-Z])/, ''));
}

function valueAt(text: string, at: number, style: Style): Value | undefined {
  const quoted = quotedAt(text, at);
  if (quoted !== undefined) return style === 'option' || style === 'setting' ? { ...quoted, style } : quoted;
  const end = bareEnd(text, at);
  if (end === at) return undefined;
  const isWholeLine = style === 'line' && END_OF_LINE.test(text.slice(end, end + 40));
  return { start: at, end, style: style === 'line' && !isWholeLine ? 'bare' : style };
}

function quotedAt(text: string, at: number): Value | undefined {
  const [opening = '', quote = ''] = matchAt(QUOTE, text, at) ?? [];
  if (quote === '') return undefined;
  const start = at + opening.length;
  const line = text.slice(start, start + 400).split(/[\r\n]/, 1)[0] ?? '';
  let length = line.indexOf(quote);
  while (length > 0 && line[length - 1] === '\\' && !quote.startsWith('\\')) length = line.indexOf(quote, length + 1);
  if (length < 0) length = bareEnd(text, start) - start;
  return length === 0 ? undefined : { start, end: start + length, style: 'quoted' };
}

const LEAST: Record<NameStrength, number> = { password: 4, secret: 8, key: 16 };

function isLikely(value: string, { style }: Pick<Value, 'style'>, { strength, name }: Named): boolean {
  if (namesPassword(value.toLowerCase()) || isPasswordsName(value)) return false; // a label of the field
  if (value.length < LEAST[strength] || isPlaceholder(value) || isUsualWord(value) || isPlainValue(value)) return false;
  if (strength === 'key') return isKey(value);
  if (style === 'told' || style === 'said')
    return (strength === 'password' && isMadeUp(value)) || isSaid(value, strength);
  return strength === 'password' ? isPassword(value, style) : isToken(value, style, name);
}

/** Random where code may stand as well; a word with a number or a long one where nothing but the value can stand. */
function isToken(value: string, style: Style, name: string): boolean {
  if (/\s|\{\w*\}/.test(value) || (isCode(value) && style !== 'quoted')) return false;
  if (isRandom(value)) return true;
  const isSetting = style === 'setting' || style === 'option';
  return isSetting && !value.includes('/') && (value.length >= 12 || /\d/.test(value)) && !isNamed(value, name);
}

/** Many things are called keys: only one piece without any word in it that is no hash or id either is a secret. */
function isKey(value: string): boolean {
  if (!isRandom(value) || UUID.test(value) || /^[\da-f]+$/i.test(value) || entropyOf(value) < 3.2) return false;
  const parts = value.split(/[^A-Za-z0-9]+/).filter((part) => part.length >= 3 && !isNameLike(part));
  return parts.join('').length >= 0.7 * value.length;
}

/** Sentences put all kinds of words behind the name of a secret: only what no word looks like counts. */
function isSaid(value: string, strength: NameStrength): boolean {
  if (isCode(value) || /^[A-Z][a-z]+$/.test(value)) return false;
  const hasSigns = /[^A-Za-z0-9_.,:;'-]/.test(value.slice(0, -1)) && !/[/()|]/.test(value);
  if (strength === 'password')
    return (isRandom(value) || (hasSigns && /[A-Za-z]/.test(value) && /\d/.test(value))) && value.length >= 6;
  return (
    isRandom(value) && /[A-Za-z]/.test(value) && value.length >= 12 && entropyOf(value) >= 2.8 && !UUID.test(value)
  );
}

function isPassword(value: string, style: Style): boolean {
  const isSure = style === 'option' || style === 'setting';
  if (style === 'quoted') return isQuotedPassword(value);
  if (isCode(value) && !(isSure && (/[^\w.$()[\]{}]/.test(value) || isNumbered(value)))) return false;
  if (isSure || style === 'line') return true;
  return (
    value.length >= 6 && !/[([{]/.test(value) && (isRandom(value) || /\d/.test(value) || /[!@#$%^&*+]/.test(value))
  );
}

/** What is quoted is meant as it is; labels and messages have spaces or say what they are about. */
function isQuotedPassword(value: string): boolean {
  if (/\s/.test(value))
    return (
      !/[A-Z][a-z] |[.!?:…]$|passw|secret/i.test(value) &&
      value.split(/\s+/).every((word) => /^[a-z]{3,}$/.test(word)) &&
      value.split(/\s+/).length >= 4
    );
  return (
    (isNumbered(value) || !isCode(value)) && !/^\.|\/$|^(?:[a-z]+[-_])+(?:password|passcode|secret|token)$/.test(value)
  );
}

/** `token=token_name`: the value repeats its name. */
function isNamed(value: string, name: string): boolean {
  return isNameLike(value) && value.toLowerCase().includes(name.toLowerCase().replace(/^-+/, ''));
}

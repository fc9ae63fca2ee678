import { isProse } from '../../material/statements';
import { phrasesIn } from '../../text/phrases';
import { mailFields } from '../../text/wordLists';
import { withoutShown } from '../../transcript/harnessBlocks';
import { countUp } from '../../text/ownValue';

/** Lines that a program has written: with the time before them, or the level. */
const LOGGED_LINE =
  /^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d{1,2}:\d\d(?::\d\d)?[\].,]|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b[\]:]?[ \t])/;
/** The head of a mail: what follows is somebody's letter, up to the line that parts the signature from it. */
const MAIL_FIELD = /^([\p{L}-]{1,12}): \S/u;
const MAIL_FIELDS = new Set(mailFields());
const LEAST_FIELDS = 2;
const BEGINNING = /^[ \t]{0,8}(\S{1,30})[ \t]{1,8}\S{1,30}/;
const LEAST_LOGGED = 3;
/** A prompt, a rule, a frame, columns, a place in code, the head of a difference. */
const PRINTED =
  /^\s*(?:[❯➜»$%]|=>|>>>|@@|[|│├└┌┐┘+]{1,3}\s|(?:[-=_*~·─]\s?){4,}|diff --git |index [0-9a-f]{7}|at \S+ ?\(|File ")|\S {3,}\S|[\w)\]]\.\w{1,5}:\d+(?::\d+)?\b|[{};]\s*$/u;
const POINT = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/;
const SENTENCE_END = /[.?!…。？！][\s"'”»)]*$/u;
const SIGNATURE = /^-- ?$/;
/** A tag at the beginning of a line opens what was put in as a whole; those by which people structure or mark their own words do not. */
const OPENING_TAG = /^[ \t]*<([a-z][\w-]{0,40})(?:[ \t][^<>]{0,200})?>/i;
const OWN_TAG =
  /^(?:rules?|instructions?|requirements?|conventions?|constraints?|guidelines?|preferences?|tasks?|goals?|important|notes?|request|prompt|private|b|i|u|em|strong|code|kbd|mark|br|p|li)$/i;
/** Longer ones may be somebody else's words. */
const QUOTED = /"[^"\n]{12,2000}(?:"|$)|“[^“”\n]{12,2000}(?:”|$)|«[^«»\n]{12,2000}(?:»|$)|„[^„“\n]{12,2000}(?:“|$)/gmu;
/** The words before a quotation that may say whose it is. */
const BEFORE_QUOTED = 40;
const LEADS_TO = /^\s{0,3}[:,]?\s{0,3}$/u;

/** A line without what somebody or something else is told to have said, as it said it. */
function withoutReported(line: string): string {
  return line.replace(QUOTED, (quoted, at: number) => {
    const before = line.slice(Math.max(0, at - BEFORE_QUOTED), at);
    const said = phrasesIn('reports', before).at(-1);
    return said !== undefined && LEADS_TO.test(before.slice(said.end)) ? '…' : quoted;
  });
}

/**
 * A message without what it shows of others: quotations, reminders of the harness, reported speech, mails, logs, and documents between tags. Nobody lays down a rule
 * by showing what a page says; only what people say in words of their own is theirs. Linear.
 */
export function ownWords(text: string): string {
  const lines = withoutShown(text).split('\n');
  const own: string[] = [];
  const printed = printedIn(lines);
  const unclosed = new Set<string>();
  for (let at = 0; at < lines.length; at++) {
    const document = documentAt(lines, at, unclosed) ?? letterAt(lines, at);
    if (document !== undefined) {
      own.push(document.rest);
      at = document.end;
      continue;
    }
    const line = lines[at] ?? '';
    own.push(printed.has(at) ? '' : withoutReported(line));
  }
  return own.join('\n');
}

/**
 * What programs print, from its first line to its last: lines with a time, a level, a prompt or columns, with the same sign before each, of
 * hardly any letters, or of a difference between files. A paragraph of whole sentences between two of them is somebody's.
 */
function printedIn(lines: readonly string[]): ReadonlySet<number> {
  const counts = new Map<string, number>();
  for (const line of lines) countUp(counts, signOf(line));
  const isLogged = (line: string): boolean =>
    LOGGED_LINE.test(line) || (signOf(line) !== '' && (counts.get(signOf(line)) ?? 0) >= LEAST_LOGGED);
  const printed = new Set([...lines.keys()].filter((at) => isLogged(lines[at] ?? '')));
  const marked = [...lines.keys()].filter((at) => printed.has(at) || isMarked(lines[at] ?? ''));
  if (marked.length < LEAST_LOGGED) return printed;
  for (const at of marked) printed.add(at);
  for (const [index, at] of marked.entries()) {
    const next = marked[index + 1] ?? at;
    const between = lines.slice(at + 1, next);
    if (!between.some((line) => line.trim() === '') || !isSaid(between))
      for (let inner = at + 1; inner < next; inner++) printed.add(inner);
  }
  return printed;
}

/** Looks as if a program had written it. */
function isMarked(line: string): boolean {
  return line.trim() !== '' && (PRINTED.test(line) || (!isProse(line.trim()) && !POINT.test(line)));
}

function isSaid(lines: readonly string[]): boolean {
  const words = lines.filter((line) => line.trim() !== '');
  return words.length > 0 && words.every((line) => isProse(line)) && SENTENCE_END.test(words.at(-1) ?? '');
}

/** The first two words of a line, where they are neither words nor the beginning of a list's point. */
function signOf(line: string): string {
  const [sign = '', first = ''] = BEGINNING.exec(line) ?? [];
  return /^(?:[-*+•>]|\d{1,3}[.)])$/.test(first) || /^[\p{L}\s,'’-]*$/u.test(sign) ? '' : sign;
}

/** Something that is shown as a whole: its last line, and what is said after it in that line. */
interface Shown {
  readonly end: number;
  readonly rest: string;
}

/** `unclosed`: tags that nothing closes further down, which need not be looked for again. */
function documentAt(lines: readonly string[], at: number, unclosed: Set<string>): Shown | undefined {
  const tag = OPENING_TAG.exec(lines[at] ?? '')?.[1]?.toLowerCase();
  if (tag === undefined || OWN_TAG.test(tag) || unclosed.has(tag)) return undefined;
  const closing = `</${tag}>`;
  for (let end = at; end < lines.length; end++) {
    const line = lines[end] ?? '';
    const found = line.toLowerCase().lastIndexOf(closing);
    if (found !== -1) return { end, rest: line.slice(found + closing.length) };
  }
  unclosed.add(tag);
  return undefined;
}

function letterAt(lines: readonly string[], at: number): Shown | undefined {
  let end = at;
  while (MAIL_FIELDS.has(MAIL_FIELD.exec(lines[end] ?? '')?.[1]?.toLowerCase() ?? '')) end++;
  if (end - at < LEAST_FIELDS) return undefined;
  while (end < lines.length && !SIGNATURE.test(lines[end] ?? '')) end++;
  return { end, rest: '' };
}

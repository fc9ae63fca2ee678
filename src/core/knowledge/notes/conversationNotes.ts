import { cutMessages } from '../../versions/cutMessages';
import { collectCheckpoints } from '../../material/collectCheckpoints';
import { isProse } from '../../material/statements';
import { hasPhrase } from '../../text/phrases';
import { bareText } from '../../material/saidText';
import { cutAtWord, sentencesOf } from '../../text/sentences';
import { wordsOf } from '../../text/words';
import { collectUnits } from '../../versions/local/collectUnits';
import { findProjectRoot, withoutRoot } from '../../material/projectRoot';
import { findSuperseded } from '../../versions/local/supersession';
import type { Unit } from '../../versions/local/unit';
import { UnitWeights } from '../../versions/local/unitWeights';
import type { SourceMessage } from '../../material/types';
import type { NotedItem, SessionReading } from '../../model/sessionReading';
import { hash64 } from '../../text/hash64';
import { statedIn } from '../facts/stated';
import { writable } from '../../text/secrets/cleanText';
import { withoutShown } from '../../transcript/shownText';
import { ToldByTools } from './toldByTools';
import { readNoteCues, type NoteCues } from './noteCues';
import { FOOT, type NoteSection } from './noteDocument';
import { pointText, type PointLabel } from './trackingPoint';

/** A session as it is summarized. */
export interface SpokenSession {
  readonly sessionId: string;
  readonly title: string;
  readonly messages: readonly SourceMessage[];
  /** What a model noted of it, which goes before what code finds. */
  readonly noted?: Pick<SessionReading, 'digest' | 'items'> | undefined;
}

/** How many points of each kind are told at most: what is more is no summary. In the order in which they are told. */
const MOST: Readonly<Record<PointLabel, number>> = {
  Status: 2,
  Decision: 8,
  Rule: 8,
  Discovery: 6,
  Fixed: 5,
  Open: 5,
  Question: 2,
};
const LABELS: readonly PointLabel[] = ['Status', 'Decision', 'Rule', 'Discovery', 'Fixed', 'Open', 'Question'];
/** Short sessions have little to tell. */
const LEAST_POINTS = 6;
const MOST_POINTS = 28;
const MAX_POINT = 280;
const MAX_CONTEXT = 240;
const MAX_TITLE = 80;
const MOST_FILES = 12;
/** Less than this says nothing by itself: `Done.`, `Fixed it.` */
const LEAST_WORDS = 3;
/** What the first words of a session are worth beside the last ones. */
const EARLIEST = 0.6;
/** Points that share so many of their words say the same. */
const ALIKE = 0.6;
const COMPARED = 60;
/** Says what was wrong, whatever else it says. */
const FINDING =
  /\b(?:the|real|actual|root|main) (?:issue|problem|cause|reason|culprit)s? (?:is|was|here)\b|turn(?:s|ed) out|\bbecause\b.{0,200}\bwas(?:n['’]t)?\b|原因|причин|ursache|la causa|la cause/iu;
/** Speaks of what could be. */
const POSSIBLE =
  /\b(?:would|could|might|may|should|if you|need to|needs to|you['’]ll|can be|perhaps|maybe|probably|likely)\b|можно|könnte|podría|pourrait/iu;
/** Puts one thing in the place of another, and says so first. */
const CHOICE =
  /^(?:use|using|used|keep|kept|copy|replaced?|switch\p{L}{0,40}|moved?|store[ds]?|chose)\b.{0,400}\b(?:instead|rather)\b|\bsolution is to\b/iu;
/** How people begin to ask. */
const POLITE =
  /^(?:(?:hi|hey|hello|ok|okay|so|now)[,.! ]+)*(?:(?:can|could|would|will) you (?:please )?|please |i(?:['’]d| would) like (?:you )?to |i want (?:you )?to |let['’]s )/iu;

/** What was found worth telling. */
interface Point {
  readonly label: PointLabel;
  readonly text: string;
  /** Its place in the session. */
  readonly unit: number;
  readonly uuid: string;
  readonly merit: number;
}

/**
 * The summary of a session (seed 002), found by code alone: what it was about; what was decided and why, which rules were laid down, what
 * was found out and mended, what is left; the files. Without secrets and private passages. The same session gives the same notes. The
 * points may be those of somebody else who has `told` the session.
 */
export function conversationNotes(session: SpokenSession, told?: readonly SourceMessage[]): NoteSection[] {
  const messages = spokenBy(session.messages);
  const files = filesIn(messages, findProjectRoot(messages));
  const { noted } = session;
  if (noted !== undefined)
    return sections(session, { points: noted.items.map(notedPoint), files, context: noted.digest });
  const { units } = collectUnits(messages, { starts: new Set(), hasRepeats: false });
  const points = told === undefined ? pointsOf(units, messages) : pointsToldBy(told);
  return sections(session, { points: chosen(points, units.length), files, context: contextOf(messages) });
}

const NOTED_LABELS: Readonly<Record<NotedItem['kind'], PointLabel>> = {
  rule: 'Rule',
  preference: 'Rule',
  decision: 'Decision',
  fact: 'Discovery',
  solution: 'Fixed',
  open: 'Open',
};

/** Their words with what they answer, and why. */
function notedPoint({ kind, quote, to, why, messageUuid }: NotedItem): Pick<Point, 'label' | 'text' | 'uuid'> {
  const said = to === undefined ? quote : `${shortened(plain(to.quote), MAX_POINT / 2)} → ${quote}`;
  const text = why === '' ? said : `${said.replace(/[.。]$/, '')} — ${why}`;
  return { label: NOTED_LABELS[kind], text: shortened(plain(text), MAX_POINT), uuid: messageUuid };
}

/** Nobody decides anything by showing what somebody else has written. */
function spokenBy(messages: readonly SourceMessage[]): SourceMessage[] {
  return cutMessages(messages, []).map((message) =>
    message.role === 'user'
      ? { ...message, texts: message.texts.map((text) => ({ ...text, text: withoutShown(text.text) })) }
      : message,
  );
}

function pointsToldBy(told: readonly SourceMessage[]): Point[] {
  const messages = spokenBy(told);
  const { units } = collectUnits(messages, { starts: new Set(), hasRepeats: false });
  return pointsOf(units, messages);
}

function pointsOf(units: readonly Unit[], messages: readonly SourceMessage[]): Point[] {
  const weighed = new UnitWeights(units);
  const superseded = findSuperseded(units);
  const uuidOf = new Map(messages.map(({ index, uuid }) => [index, uuid]));
  const finder = new PointFinder(units, messages);
  return units.flatMap((unit, at): Point[] => {
    const found = superseded.has(at) ? undefined : finder.pointAt(at);
    const uuid = uuidOf.get(unit.messages[0] ?? -1) ?? '';
    return found === undefined ? [] : [{ ...found, unit: at, uuid, merit: weighed.merits[at] ?? 0 }];
  });
}

/** What an utterance is to a later reader; undefined for what is not worth telling. */
class PointFinder {
  private readonly lastAnswer: number;
  private readonly lastMessage: number;
  private readonly told = new Set<number>();
  /** What the layers take for rules; requests that ask for one thing, once, are none. */
  private readonly rules: readonly string[];
  private readonly tools: ToldByTools;

  constructor(
    private readonly units: readonly Unit[],
    messages: readonly SourceMessage[],
  ) {
    this.lastAnswer = messages.findLast(({ role, texts }) => role === 'assistant' && texts.length > 0)?.index ?? -1;
    this.lastMessage = messages.at(-1)?.index ?? -1;
    this.tools = new ToldByTools(messages);
    this.rules = messages.flatMap((message) => statedIn(message)).map(({ content }) => comparable(content));
  }

  pointAt(at: number): Pick<Point, 'label' | 'text'> | undefined {
    const unit = this.units[at];
    if (unit === undefined || this.told.has(at) || !isTold(unit)) return undefined;
    const cues = readNoteCues(unit.text);
    const label = unit.role === 'user' ? this.humanLabel(unit, cues) : this.assistantLabel(unit, cues);
    if (label === undefined || contentOf(unit.text) < LEAST_WORDS || this.isRepeated(unit)) return undefined;
    const reason = label === 'Decision' && !cues.isReason ? this.reasonAfter(at) : '';
    const text = plain(unit.text.replace(/^Open: /, ''));
    return { label, text: shortened(reason === '' ? text : `${text.replace(/[.。]$/, '')} — ${reason}`, MAX_POINT) };
  }

  /** What a page says is no decision of anybody, and says nothing of where the work stands. */
  private isRepeated({ role, text, messages }: Unit): boolean {
    return role === 'assistant' && this.tools.holds(text, messages[0] ?? -1);
  }

  private humanLabel(unit: Unit, cues: NoteCues): PointLabel | undefined {
    if (!isProse(unit.text)) return undefined;
    if (cues.isQuestion) return unit.messages[0] === this.lastMessage ? 'Question' : undefined;
    if (hasPhrase('decides', unit.text)) return 'Decision';
    return this.isRule(unit.text) ? 'Rule' : undefined;
  }

  private isRule(text: string): boolean {
    const said = comparable(text);
    return this.rules.some((rule) => rule.includes(said) || said.includes(rule));
  }

  private assistantLabel({ text, messages }: Unit, cues: NoteCues): PointLabel | undefined {
    const isLast = messages[0] === this.lastAnswer;
    if (text.startsWith('Open: ')) return 'Open';
    if (cues.isQuestion) return isLast ? 'Question' : undefined;
    if (cues.isAnnouncement || cues.isCourtesy || text.endsWith(':')) return undefined;
    if (isLast && cues.isOpen && !cues.isFix) return 'Open';
    return claimLabel(text, cues) ?? (isLast && !POSSIBLE.test(text) ? 'Status' : undefined);
  }

  /** The rest of the paragraph often says why. */
  private reasonAfter(at: number): string {
    const [unit, next] = [this.units[at], this.units[at + 1]];
    if (unit === undefined || next?.paragraph !== unit.paragraph || next.kind !== 'sentence') return '';
    const cues = readNoteCues(next.text);
    if (!cues.isReason || cues.isQuestion) return '';
    this.told.add(at + 1);
    return plain(next.text);
  }
}

/** The beginning of a sentence, whatever its signs are: the layers may have cut it in another place. */
function comparable(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
    .slice(0, COMPARED);
}

/** What the assistant says to be so. */
function claimLabel(text: string, cues: NoteCues): PointLabel | undefined {
  const isCertain = !POSSIBLE.test(text);
  if (FINDING.test(text)) return isCertain ? 'Discovery' : undefined;
  if (isCertain && (hasPhrase('decides', text) || CHOICE.test(text))) return 'Decision';
  if (isCertain && cues.isFix) return 'Fixed';
  return cues.isReason ? 'Discovery' : undefined;
}

function isTold({ kind, merit, text, isOpening }: Unit): boolean {
  return (kind === 'sentence' || kind === 'item') && merit > 0 && (isOpening === true || !/[:：]$/.test(text));
}

function contentOf(text: string): number {
  return wordsOf(text).reduce((sum, { weight }) => sum + weight, 0);
}

/** In one line, without the signs of emphasis and the sighs of who is searching. */
function plain(text: string): string {
  const line = text
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/^(?:actually|wait|ah|oh|okay|ok|so)(?:[,.! ]+(?:actually|wait|so))*[,.!]? +[-–—]? ?/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** The weightiest of each kind, so many as the session is long, in the order of the session. What comes later knows more. */
function chosen(points: readonly Point[], units: number): Point[] {
  const room = Math.min(MOST_POINTS, LEAST_POINTS + Math.round(2 * Math.log2(1 + units)));
  const last = Math.max(1, ...points.map(({ unit }) => unit));
  const worth = ({ merit, unit }: Point): number => merit * (EARLIEST + ((1 - EARLIEST) * unit) / last);
  const best = LABELS.flatMap((label) => {
    const own = points.filter((point) => point.label === label).sort((a, b) => worth(b) - worth(a) || a.unit - b.unit);
    return distinct(own, MOST[label]).map((point, rank) => ({ point, rank }));
  });
  const byRank = best.sort((a, b) => a.rank - b.rank).slice(0, room);
  const kept = new Set(byRank.map(({ point }) => point));
  return LABELS.flatMap((label) => points.filter((point) => point.label === label && kept.has(point)));
}

/** The first so many that do not say what one before them says. */
function distinct(points: readonly Point[], most: number): Point[] {
  const kept: { point: Point; stems: ReadonlySet<string> }[] = [];
  for (const point of points) {
    if (kept.length === most) break;
    const stems = stemsOf(point.text);
    if (!kept.some((one) => isAlike(one.stems, stems))) kept.push({ point, stems });
  }
  return kept.map(({ point }) => point);
}

function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((stem) => other.has(stem)).length;
  return shared / Math.max(1, Math.min(one.size, other.size)) >= ALIKE;
}

function stemsOf(text: string): Set<string> {
  return new Set(wordsOf(text).flatMap(({ stem, weight }) => (weight > 0 ? [stem] : [])));
}

/** What was asked for first. */
function contextOf(messages: readonly SourceMessage[]): string {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ texts }) => texts.flatMap(({ text }) => sentencesOf(bareText(text))));
  return shortened(plain(asked.find((text) => contentOf(text) >= LEAST_WORDS) ?? asked[0] ?? ''), MAX_CONTEXT);
}

function shortened(text: string, maxChars: number): string {
  const cut = cutAtWord(text, maxChars);
  return cut.length < text.length ? `${cut.replace(/(?<![\s,;:–—-])[\s,;:–—-]+$/, '')}…` : cut;
}

const WRITES = /^(?:Edit|MultiEdit|Write|NotebookEdit|Update|Create)/;

interface FileNote {
  readonly path: string;
  readonly isWritten: boolean;
}

/** The files that mattered most, those that were written first. */
function filesIn(messages: readonly SourceMessage[], root: string): FileNote[] {
  const written = new Set<string>();
  for (const { tools } of messages) {
    for (const { name, input, isError } of tools) {
      const path = input['file_path'] ?? input['notebook_path'];
      if (WRITES.test(name) && !isError && typeof path === 'string') written.add(withoutRoot(path, root));
    }
  }
  const isIn = (path: string): boolean => [...written].some((one) => one === path || one.endsWith(`/${path}`));
  const spoken = collectCheckpoints(messages)
    .filter(({ kind }) => kind === 'path')
    .sort((a, b) => b.weight - a.weight)
    .map(({ text }) => withoutRoot(text, root))
    .filter((path) => !isIn(path) && !path.startsWith('/'));
  const all = [
    ...[...written].map((path) => ({ path, isWritten: true })),
    ...spoken.map((path) => ({ path, isWritten: false })),
  ];
  return all.slice(0, MOST_FILES);
}

function sections(
  { sessionId, title, messages }: SpokenSession,
  {
    points,
    files,
    context,
  }: { points: readonly Pick<Point, 'label' | 'text' | 'uuid'>[]; files: readonly FileNote[]; context: string },
): NoteSection[] {
  const requests = messages.filter(({ role }) => role === 'user').length;
  const heading = titleOf(title, context);
  const counted = `${requests} ${requests === 1 ? 'request' : 'requests'}, ${spanOf(messages)}.`;
  const asked =
    context === '' ? counted : `${context.replace(/[.。:]$/, '')}${/[?!？！…]$/.test(context) ? '' : '.'} ${counted}`;
  return [
    { heading: '', blocks: [{ key: 'title', text: `# ${heading === '' ? sessionId : heading}` }] },
    { heading: '## Context', blocks: [{ key: 'context', text: guarded(writable(asked)) }] },
    {
      heading: '## Tracking Points',
      blocks: points.map(({ label, text, uuid }) => ({
        key: hash64(`${uuid}\0${text}`),
        text: pointText(label, writable(text)),
      })),
    },
    {
      heading: '## Related Files/Artifacts',
      blocks: files.map(({ path, isWritten }) => ({
        key: `file ${hash64(path)}`,
        text: `- \`${path}\`${isWritten ? ' (written)' : ''}`,
      })),
    },
    {
      heading: FOOT,
      blocks: [{ key: 'foot', text: `*Session ${sessionId}, ${spanOf(messages)}, ${messages.length} messages*` }],
    },
  ];
}

/** In the words of whoever named the session, else of what was asked first. */
function titleOf(title: string, context: string): string {
  const named = plain(bareText(writable(title)));
  const text = (named === '' ? context : named).replace(POLITE, '');
  return shortened(text.charAt(0).toUpperCase() + text.slice(1).replace(/\?$/, ''), MAX_TITLE);
}

/** Words that would be taken for a list, a heading or a rule stay words. */
function guarded(text: string): string {
  return /^(?:#{1,6}\s|>|[-+*]\s|\d{1,9}[.)]\s|```|~~~|-{3,}\s*$)/.test(text) ? `\\${text}` : text;
}

function spanOf(messages: readonly SourceMessage[]): string {
  const dates = messages.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [timestamp.slice(0, 10)]));
  const [first = 'undated'] = dates;
  const last = dates.at(-1) ?? first;
  return first === last ? first : `${first} to ${last}`;
}

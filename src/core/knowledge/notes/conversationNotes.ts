import { plural } from '../../text/formats';
import { uniqueBy, sumOf } from '../../text/ownValue';
import { filesOf, openTasks, type FileUse } from '../../material/deeds';
import type { SourceMessage } from '../../material/types';
import type { NotedItem, SessionReading } from '../../model/sessionReading';
import { hash64 } from '../../text/hash64';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { QUESTION, sentencesOf, shortened } from '../../text/sentences';
import { wordsOf, bareText } from '../../text/words';
import { withoutShown } from '../../transcript/harnessBlocks';
import { closingOf, outcomeText, turnsOf, type Closing, type SourceTurn } from '../closing';
import { decisionsIn, questionsIn } from '../facts/decisions';
import { SolutionFinder } from '../facts/solutions';
import { decidedIn, ownSentences, statedIn } from '../facts/stated';
import { FOOT, type NoteSection, pointText, type PointLabel } from './noteDocument';

/** A session as it is summarized. */
export interface SpokenSession {
  readonly sessionId: string;
  readonly title: string;
  readonly messages: readonly SourceMessage[];
  /** What a model noted of it, which goes before what code finds. */
  readonly noted?: Pick<SessionReading, 'digest' | 'items'> | undefined;
  /** What was said right before these messages, where they are the end of a session. */
  readonly before?: readonly SourceMessage[] | undefined;
}

/** How many points of each kind are told at most, the latest: what is more is no summary. In the order in which they are told. */
const MOST: Readonly<Record<PointLabel, number>> = {
  Status: 1,
  Decision: 12,
  Rule: 12,
  Done: 8,
  Discovery: 12,
  Fixed: 5,
  Open: 8,
  Question: 2,
};
const LABELS: readonly PointLabel[] = ['Status', 'Decision', 'Rule', 'Done', 'Discovery', 'Fixed', 'Open', 'Question'];
const MAX_POINT = 320;
const MAX_CONTEXT = 240;
const MAX_TITLE = 80;
const MOST_FILES = 12;
/** Less than this says nothing by itself: `Done.`, `Fixed it.` */
const LEAST_WORDS = 3;
/** How people begin to ask. */
const POLITE =
  /^(?:(?:hi|hey|hello|ok|okay|so|now)[,.! ]+)*(?:(?:can|could|would|will) you (?:please )?|please |i(?:['’]d| would) like (?:you )?to |i want (?:you )?to |let['’]s )/iu;

/** What was found worth telling. */
interface Point {
  readonly label: PointLabel;
  readonly text: string;
  readonly uuid: string;
}

/**
 * The summary of a session (seed 002), found by code alone, and of what the transcript proves: what it was about, what people laid down and
 * decided in their words, what Claude said came of each request, what failed and was mended, what is open; the files. Without secrets and
 * private passages. The same session gives the same notes.
 */
export function conversationNotes(session: SpokenSession): NoteSection[] {
  const { messages, noted } = session;
  const files = filesOf(messages).slice(0, MOST_FILES);
  if (noted !== undefined)
    return sections(session, { points: noted.items.map(notedPoint), files, context: noted.digest });
  return sections(session, { points: chosen(pointsOf(session)), files, context: contextOf(messages) });
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
export function notedPoint({ kind, quote, to, why, messageUuid }: NotedItem): Point {
  const said = to === undefined ? quote : `${shortened(plain(to.quote), MAX_POINT / 2)} → ${quote}`;
  const text = why === '' ? said : `${said.replace(/[.。]$/, '')} — ${why}`;
  return { label: NOTED_LABELS[kind], text: shortened(plain(text), MAX_POINT), uuid: messageUuid };
}

function pointsOf({ messages, before = [] }: SpokenSession): Point[] {
  const finder = new SolutionFinder();
  let last = turnsOf(before).at(-1);
  const points: Point[] = [];
  const add = (label: PointLabel, text: string, uuid: string): void => {
    points.push({ label, text: shortened(plain(text), MAX_POINT), uuid });
  };
  const turns = turnsOf(messages);
  for (const turn of turns) {
    const sources = turn.messages;
    for (const { content, evidence } of sources.flatMap(statedIn)) add('Rule', content, evidence.messageUuid);
    for (const { texts, uuid, role } of sources)
      if (role === 'user') for (const text of texts.flatMap(decidedIn)) add('Decision', text, uuid);
    for (const { description, evidence } of decisionsIn(turn, last))
      add('Decision', description, evidence[0].messageUuid);
    for (const { problem, solution, evidence } of finder.read(sources, ''))
      add('Fixed', `${problem} → ${solution}`, evidence[0].messageUuid);
    const closing = closingOf(turn);
    const label = closing === undefined ? 'Discovery' : turn === turns.at(-1) ? 'Status' : 'Done';
    const { text, uuid } = closing ?? answerOf(turn);
    if (text !== '') add(label, text, uuid);
    last = turn;
  }
  return [...points, ...openEnds(messages)];
}

/** Tasks that are not done, and what Claude asked last. */
function openEnds(messages: readonly SourceMessage[]): Point[] {
  const { tasks, uuid } = openTasks(messages);
  const open = tasks.map((text) => ({ label: 'Open' as const, text, uuid }));
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return open;
  const asked = questionsIn(last);
  return asked === '' ? open : [...open, { label: 'Question', text: shortened(asked, MAX_POINT), uuid: last.uuid }];
}

/** What Claude answered to who only asked. */
function answerOf({ human, messages }: SourceTurn): Closing {
  const sentences = human?.texts.flatMap(({ text }) => ownSentences(text)) ?? [];
  const isAsked = sentences.some((one) => QUESTION.test(one));
  const last = messages.findLast(({ role }) => role === 'assistant');
  const said = isAsked && last?.tools.length === 0 ? (last.texts.at(-1)?.text ?? '') : '';
  return { uuid: last?.uuid ?? '', text: outcomeText(withoutSecrets(bareText(said))) };
}

/** Of each kind the latest, each text once. */
function chosen(points: readonly Point[]): Point[] {
  return LABELS.flatMap((label) => {
    const own = points.filter((point) => point.label === label);
    return uniqueBy(own, ({ text }) => text).slice(-MOST[label]);
  });
}

/** In one line, without the signs of emphasis. */
function plain(text: string): string {
  const line = text
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** What was asked for first, in words of the person's own. */
function contextOf(messages: readonly SourceMessage[]): string {
  const asked = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ texts }) => texts.flatMap(({ text }) => sentencesOf(bareText(withoutShown(text)))));
  return shortened(plain(asked.find((text) => contentOf(text) >= LEAST_WORDS) ?? asked[0] ?? ''), MAX_CONTEXT);
}

function contentOf(text: string): number {
  return sumOf(wordsOf(text), ({ weight }) => weight);
}

function sections(
  { sessionId, title, messages }: SpokenSession,
  { points, files, context }: { points: readonly Point[]; files: readonly FileUse[]; context: string },
): NoteSection[] {
  const requests = messages.filter(({ role }) => role === 'user').length;
  const heading = titleOf(title, context);
  const counted = `${plural(requests, 'request')}, ${spanOf(messages)}.`;
  const asked =
    context === '' ? counted : `${context.replace(/[.。:]$/, '')}${/[?!？！…]$/.test(context) ? '' : '.'} ${counted}`;
  return [
    { heading: '', blocks: [{ key: 'title', text: `# ${heading === '' ? sessionId : heading}` }] },
    { heading: '## Context', blocks: [{ key: 'context', text: guarded(withoutSecrets(asked)) }] },
    {
      heading: '## Tracking Points',
      blocks: points.map(({ label, text, uuid }) => ({
        key: hash64(`${uuid}\0${text}`),
        text: pointText(label, withoutSecrets(text)),
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
  const named = plain(bareText(withoutSecrets(title)));
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

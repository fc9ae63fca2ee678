import { notedPoint } from '../notes/conversationNotes';
import type { RollingSummary } from '../../model/rolling';
import type { SessionReading } from '../../model/sessionReading';
import { hash64 } from '../../text/hash64';
import { phrasesIn } from '../../text/phrases';
import { cutAtWord, sentencesOf } from '../../text/sentences';
import { themesOf } from '../notes/evolution';
import { readSummary, type TrackingPoint } from '../notes/noteDocument';
import { pushTo, uniqueBy } from '../../text/ownValue';

/** The sessions that an archive tells of: how many, and what a model noted of those that it has read. */
interface ArchivedSessions {
  readonly sessions: number;
  readonly read: readonly SessionReading[];
}

const MOST_DECISIONS = 20;
const MOST_ISSUES = 20;
const MAX_THEME = 300;
const MAX_OVERALL = 600;

/**
 * The summary of an archive (seed 004, L3): of its points, whoever wrote them, and first of what a model noted of its sessions. The same
 * archive gives the same summary.
 */
export function summarizeArchive(
  sourceFile: string,
  text: string,
  { sessions, read }: ArchivedSessions,
  generatedAt: string,
): RollingSummary {
  const points = uniqueBy(
    [...readSummary(text).points, ...read.flatMap(({ items }) => items.map(notedPoint))],
    (point) => point.text.toLowerCase(),
  );
  const of = (...labels: readonly TrackingPoint['label'][]): TrackingPoint[] =>
    points.filter(({ label }) => labels.includes(label));
  const dated = points.map(({ label, text: said }) => ({ key: hash64(said), label, text: said, date: '', order: 0 }));
  return {
    sourceFile,
    generatedAt,
    themes: [
      ...topicsOf(read),
      ...themesOf(dated).map(({ name, points: about }) => ({
        name: name === '' ? 'General' : name,
        summary: cutAtWord(about.map((point) => point.text).join(' '), MAX_THEME),
      })),
    ],
    keyDecisions: of('Decision', 'Rule').slice(-MOST_DECISIONS).map(decisionOf),
    issues: [
      ...of('Fixed').map((point) => ({ issue: point.text, status: 'resolved' })),
      ...of('Open', 'Question').map((point) => ({ issue: point.text, status: 'open' })),
    ].slice(-MOST_ISSUES),
    overallSummary: overallOf(text, points, { sessions, read }),
  };
}

/** What sessions were about, as the model called it. */
function topicsOf(read: readonly SessionReading[]): RollingSummary['themes'] {
  const byTopic = new Map<string, string[]>();
  for (const { topic, summary } of read.flatMap(({ requests }) => requests)) pushTo(byTopic, topic, summary);
  return [...byTopic].map(([name, told]) => ({ name, summary: cutAtWord(told.join(' '), MAX_THEME) }));
}

function decisionOf({ text }: TrackingPoint): { decision: string; reason: string } {
  const dash = text.indexOf(' — ', 1);
  const [because = { start: text.length, end: text.length }] = phrasesIn('because', text);
  const { start, end } = dash > 0 && dash < because.start ? { start: dash, end: dash + 2 } : because;
  const reason = start === 0 ? '' : text.slice(end).trim();
  const decision = reason === '' ? text : text.slice(0, start).replace(/,?\s{0,3}$/, '');
  return { decision, reason: reason.replace(/[.。]$/, '') };
}

/** What the sessions were about, as the model told where it has read all of them; in a text without sessions, how it begins. */
function overallOf(text: string, points: readonly TrackingPoint[], { sessions, read }: ArchivedSessions): string {
  if (read.length > 0 && read.length === sessions)
    return cutAtWord(
      read.map(({ title, digest }) => `${title}: ${sentencesOf(digest)[0] ?? ''}`).join(' '),
      MAX_OVERALL,
    );
  const asked = [...text.matchAll(/^Asked: (.+)$/gm)].map(([, request = '']) => request);
  if (asked.length > 0) return cutAtWord(`This period was about: ${asked.join(' ')}`, MAX_OVERALL);
  const told = points.length > 0 ? points.map((point) => point.text) : sentencesOf(text);
  return cutAtWord(told.join(' '), MAX_OVERALL);
}

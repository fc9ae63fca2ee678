import { cutAtWord, sentencesOf } from '../../text/sentences';
import { hash64 } from '../../text/hash64';
import type { RollingSummary } from '../../model/rolling';
import { themesOf } from '../notes/themes';
import { readSummary, type TrackingPoint } from '../notes/trackingPoint';

const MOST_DECISIONS = 20;
const MOST_ISSUES = 20;
const MAX_THEME = 300;
const MAX_OVERALL = 600;
const REASON = /^(.+?)(?: — |,? (?:because|since|so that|weil|parce que|porque|потому что) )(.+)$/iu;

/** The summary of an archive (seed 004, L3): of its points, whoever wrote them. The same archive gives the same summary. */
export function summarizeArchive(sourceFile: string, text: string, generatedAt: string): RollingSummary {
  const points = uniquePoints(readSummary(text).points);
  const of = (...labels: readonly TrackingPoint['label'][]): TrackingPoint[] =>
    points.filter(({ label }) => labels.includes(label));
  const dated = points.map(({ label, text: said }) => ({ key: hash64(said), label, text: said, date: '', order: 0 }));
  return {
    sourceFile,
    generatedAt,
    themes: themesOf(dated).map(({ name, points: about }) => ({
      name: name === '' ? 'General' : name,
      summary: cutAtWord(about.map((point) => point.text).join(' '), MAX_THEME),
    })),
    keyDecisions: of('Decision', 'Rule').slice(-MOST_DECISIONS).map(decisionOf),
    issues: [
      ...of('Fixed').map((point) => ({ issue: point.text, status: 'resolved' })),
      ...of('Open', 'Question').map((point) => ({ issue: point.text, status: 'open' })),
    ].slice(-MOST_ISSUES),
    overallSummary: overallOf(text, points),
  };
}

function uniquePoints(points: readonly TrackingPoint[]): TrackingPoint[] {
  return [...new Map(points.map((point) => [point.text.toLowerCase(), point])).values()];
}

function decisionOf({ text }: TrackingPoint): { decision: string; reason: string } {
  const [, decision = text, reason = ''] = REASON.exec(text) ?? [];
  return { decision, reason: reason.replace(/[.。]$/, '') };
}

/** What the sessions were about; in a text without sessions, how it begins. */
function overallOf(text: string, points: readonly TrackingPoint[]): string {
  const asked = [...text.matchAll(/^Asked: (.+)$/gm)].map(([, request = '']) => request);
  if (asked.length > 0) return cutAtWord(`This period was about: ${asked.join(' ')}`, MAX_OVERALL);
  const told = points.length > 0 ? points.map((point) => point.text) : sentencesOf(text);
  return cutAtWord(told.join(' '), MAX_OVERALL);
}

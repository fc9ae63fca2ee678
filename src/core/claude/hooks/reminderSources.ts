import { isTrusted, type FactView } from '../../knowledge/facts/factViews';
import { storedKeepits } from '../../keepits/effectiveKeepits';
import { readSummary } from '../../knowledge/notes/noteDocument';
import type { Concept } from '../../model/layers';
import type { ProjectManifest } from '../../model/manifest';
import type { SessionState } from '../../model/preparedBrief';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { harmless } from './briefText';
import { wholeUnits } from './hookAnswer';
import type { ReminderSource } from './reminders';

/** A hook reads all that it may remind of: so much of each kind, the latest first. */
export const MOST_OF_A_KIND = 400;

/** A keepit of less weight is a hint. */
const LEAST_KEEPIT = 0.5;
const MAX_UNIT = 600;
const MAX_TITLE = 60;
const SHORT_ID = 8;
const MOST_FILES = 4;

/** Where and when something was said. */
export interface ExchangePlace {
  readonly sessionId: string;
  readonly at: string;
}

/** All that prompts may remind of. */
export interface ReminderMaterial {
  readonly facts: readonly FactView[];
  readonly concepts: readonly Concept[];
  /** Of each exchange that a concept consists of. */
  readonly exchanges: ReadonlyMap<string, ExchangePlace>;
  readonly summaries: readonly { readonly name: string; readonly text: string }[];
  /** The latest first. */
  readonly sessions: readonly SessionState[];
  readonly manifest: ProjectManifest | undefined;
}

/**
 * What prompts may remind of: what the user stated, confirmed or marked, and what sessions were about. Each says what it is, and when and in
 * which session it was said, so that one can go there.
 */
export function reminderSources(material: ReminderMaterial): ReminderSource[] {
  const kinds = [factSources, keepitSources, summarySources, conceptSources];
  const known = new Set<string>();
  return kinds.flatMap((sourcesOf) =>
    sourcesOf(material)
      .slice(0, MOST_OF_A_KIND)
      .map((source) => ({ ...source, text: wholeUnits(harmless(withoutSecrets(source.text)), MAX_UNIT) }))
      .filter(({ text }) => text !== '' && !known.has(text) && known.add(text)),
  );
}

function factSources(material: ReminderMaterial): ReminderSource[] {
  return material.facts.filter(isTrusted).map(({ id, content, isConfirmed, source }) => ({
    id: `fact ${id}`,
    text: content,
    ...origin(material, isConfirmed ? 'confirmed by the user' : 'the user said', source?.sessionId, source?.ts),
  }));
}

function keepitSources(material: ReminderMaterial): ReminderSource[] {
  return Object.values(material.manifest?.sessions ?? {}).flatMap((entry) =>
    storedKeepits(entry)
      .filter(({ weight }) => weight >= LEAST_KEEPIT)
      .map(({ markerId, content }) => ({
        id: `keepit ${markerId}`,
        text: content,
        ...origin(material, 'marked by the user', entry.sessionId, entry.lastTimestamp),
      })),
  );
}

function summarySources(material: ReminderMaterial): ReminderSource[] {
  return material.summaries.flatMap(({ name, text }) => {
    const { points, date } = readSummary(text);
    return points.map((point) => ({
      id: `point ${point.text}`,
      text: point.text,
      ...origin(material, point.label.toLowerCase(), name, date),
    }));
  });
}

/** A concept grows over sessions: it is told of the last one that was about it. */
function conceptSources(material: ReminderMaterial): ReminderSource[] {
  return material.concepts.map(({ id, name, summary, updated, files, exchanges }) => {
    const places = exchanges.flatMap((exchange) => material.exchanges.get(exchange) ?? []);
    const last = places.reduce<ExchangePlace | undefined>(
      (latest, place) => (latest === undefined || latest.at <= place.at ? place : latest),
      undefined,
    );
    return {
      id: `concept ${id}`,
      text: `${name}: ${summary}${files.length === 0 ? '' : ` (${files.slice(0, MOST_FILES).join(', ')})`}`,
      ...origin(material, `worked on as concept ${id}`, last?.sessionId, last?.at ?? updated),
    };
  });
}

/** What something is, its day, and its session: the beginning of the id, which `keepit show` takes, and the title. */
function origin(
  { manifest, sessions }: ReminderMaterial,
  what: string,
  sessionId: string | undefined,
  at: string | undefined,
): Pick<ReminderSource, 'label' | 'sessionId'> {
  const day = at?.slice(0, 10) ?? '';
  const words = [what, ...(day === '' ? [] : [day])];
  if (sessionId === undefined) return { label: words.join(', ') };
  const registered = Object.entries(manifest?.sessions ?? {}).find(([id]) => id === sessionId)?.[1];
  const kept = sessions.find((session) => session.sessionId === sessionId);
  const title = titleText(registered?.metadata.title ?? kept?.title ?? '');
  words.push(`session ${sessionId.slice(0, SHORT_ID)}${title === '' ? '' : ` “${title}”`}`);
  return { label: words.join(', '), sessionId };
}

function titleText(title: string): string {
  const line = harmless(withoutSecrets(title))
    .replace(/[\s“”]+/g, ' ')
    .trim();
  return line.length > MAX_TITLE ? `${wholeUnits(line, MAX_TITLE - 1)}…` : line;
}

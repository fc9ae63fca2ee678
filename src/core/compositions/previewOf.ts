import type { CompressionRecord } from '../model/compression';
import type { CompositionRequest } from '../model/composition';
import type { KeepitMarker } from '../model/keepit';
import { oneLine } from '../text/cleanText';
import { withoutSecrets } from '../text/secrets/cleanText';
import { lostFacts } from '../versions/diff/compareVersions';
import { ageLevel } from './shares';
import { readableText } from './composedDocument';
import { uncovered } from './composer';
import type { CompositionPreview, PreviewComponent, PreviewKeepit, PreviewOption } from './compositionPreview';
import type { Composed, ComposedSession } from './sessionForms';

interface PreviewSettings {
  /** The project that is composed for: sessions of others are named with theirs. */
  readonly projectId: string;
  readonly windowTokens?: number | undefined;
}

/** What a model's window is taken to be where nobody says. */
const USUAL_WINDOW_TOKENS = 200_000;

/** A composition as it is shown. */
export function previewOf(
  composed: Composed,
  { totalTokenBudget: budget }: Pick<CompositionRequest, 'totalTokenBudget'>,
  { projectId, windowTokens = USUAL_WINDOW_TOKENS }: PreviewSettings,
): CompositionPreview {
  const { sessions, frameTokens, totalTokens, omitted } = composed;
  const components = sessions.map((one) => componentOf(one, totalTokens));
  return {
    components: components.map((one, at) => {
      const project = sessions[at]?.open.session.project;
      return one.projectId === projectId || project === undefined ? one : { ...one, project };
    }),
    omitted: omitted.map(({ projectId: other = projectId, sessionId, reason }) => ({
      projectId: other,
      sessionId,
      reason,
    })),
    budget,
    totalTokens,
    frameTokens,
    leftTokens: budget - totalTokens,
    windowTokens,
    shareOfWindow: totalTokens / windowTokens,
    keeps: keptShare(sessions),
    toMake: sessions.filter(({ kind }) => kind === 'new').length,
    keepits: keepitRows(sessions),
    lost: lostIn(composed),
  };
}

/** How much of what mattered in its sessions a composition holds: the mean of all that were asked for. */
export function keptShare(sessions: readonly ComposedSession[]): number {
  return sessions.reduce((sum, { fidelity }) => sum + fidelity, 0) / Math.max(1, sessions.length);
}

function componentOf(one: ComposedSession, totalTokens: number): PreviewComponent {
  const { open, allocation, isFixed, why, repeatedTokens, tokens } = one;
  const { ref, title, firstTimestamp, lastTimestamp, distance, originalTokens, originalMessages } = open.session;
  const { included, left } = keepitsIn(one);
  const pick = pickOf(one);
  return {
    ...ref,
    title,
    firstTimestamp,
    lastTimestamp,
    distance,
    level: ageLevel(distance),
    originalTokens,
    originalMessages,
    options: optionsOf(one, pick),
    pick,
    allocation: Math.round(allocation),
    share: totalTokens === 0 ? 0 : tokens / totalTokens,
    repeatedTokens,
    isFixed,
    why,
    uncoveredMessages: uncovered(one).reduce((sum, [first, last]) => sum + last - first + 1, 0),
    keepitsIn: included.length,
    keepitsOut: left.length,
  };
}

function pickOf({ kind, pieces, tokens, fidelity, open: { session } }: ComposedSession): PreviewOption {
  const versionIds = kind === 'fresh' || kind === 'new' ? [] : pieces.map(({ piece }) => piece.versionId);
  return { kind, versionIds, tokens, fidelity, ratio: session.originalTokens / Math.max(1, tokens), isPicked: true };
}

/** What a person may choose instead, by what is recorded of it. */
function optionsOf({ open: { session } }: ComposedSession, pick: PreviewOption): PreviewOption[] {
  const { versions, originalTokens: tokens, transcript } = session;
  const original: PreviewOption[] =
    transcript === undefined
      ? []
      : [
          {
            kind: 'original',
            versionIds: ['original'],
            tokens,
            fidelity: 1,
            ratio: 1,
            isPicked: pick.kind === 'original',
          },
        ];
  const stored = versions.map((version): PreviewOption => ({
    kind: version.partNumber === undefined ? 'version' : 'parts',
    versionIds: [version.versionId],
    tokens: version.outputTokens,
    fidelity: version.fidelity?.score ?? 0,
    ratio: version.compressionRatio,
    isPicked: pick.versionIds.length === 1 && pick.versionIds[0] === version.versionId,
  }));
  const all = [...original, ...stored];
  return all.some(({ isPicked }) => isPicked) ? all : [...all, pick];
}

/** The keepits of a session that are in a composition, and those that are not. */
interface KeepitFigures {
  readonly included: readonly KeepitMarker[];
  readonly left: readonly KeepitMarker[];
}

/** What became of a session's keepits. */
export function keepitsIn({ open, kind, pieces, keepits, section }: ComposedSession): KeepitFigures {
  const all = open.session.keepits;
  const versions = [...open.session.versions, ...(open.named?.versions ?? [])].filter(({ versionId }) =>
    pieces.some(({ piece }) => piece.versionId === versionId),
  );
  const isIn = (keepit: KeepitMarker): boolean => {
    if (section === undefined) return false;
    return kind === 'original' || keepits.includes(keepit) || versions.some((version) => isKeptIn(version, keepit));
  };
  return { included: all.filter(isIn), left: all.filter((keepit) => !isIn(keepit)) };
}

/** Whether a keepit stands in a version, as far as is recorded. */
function isKeptIn(version: CompressionRecord, keepit: KeepitMarker): boolean {
  const entry = version.receipt?.find(({ markerId }) => markerId === keepit.markerId);
  return entry?.kept ?? keepit.survivedIn.includes(version.versionId);
}

/** A list to read has no hundreds of rows; the counts tell how many there are. */
const MOST_LISTED = 60;
const WORDS_LENGTH = 160;

/** Each once: a resumed session holds the keepits of the one that it goes on from. The heaviest first. */
function keepitRows(sessions: readonly ComposedSession[]): CompositionPreview['keepits'] {
  const [included, left] = (['included', 'left'] as const).map((side) => {
    const rows = new Map<string, PreviewKeepit>();
    for (const one of sessions) {
      for (const { markerId, weight, content } of keepitsIn(one)[side]) {
        const words = oneLine(withoutSecrets(content), WORDS_LENGTH);
        if (!rows.has(markerId)) rows.set(markerId, { ...one.open.session.ref, markerId, weight, words });
      }
    }
    return rows;
  });
  const listed = (rows: Iterable<PreviewKeepit>): PreviewKeepit[] =>
    [...rows].sort((a, b) => b.weight - a.weight).slice(0, MOST_LISTED);
  const out = [...(left?.values() ?? [])].filter(({ markerId }) => included?.has(markerId) !== true);
  return {
    included: listed(included?.values() ?? []),
    left: listed(out),
    includedCount: included?.size ?? 0,
    leftCount: out.length,
  };
}

/** What mattered in the sessions that are in, and is said nowhere in the text. */
function lostIn({ sessions, markdown, records = [] }: Composed): CompositionPreview['lost'] {
  const cut = sessions.filter(({ kind, section }) => section !== undefined && kind !== 'original');
  const facts = cut.flatMap(({ open }) => open.spoken?.matters.facts ?? []);
  const refs = new Map(
    cut.flatMap(({ open: { session, spoken } }) =>
      (spoken?.matters.facts ?? []).map(({ messageUuid }) => [messageUuid, session.ref] as const),
    ),
  );
  const lost = lostFacts({ facts, keepits: [], reasons: new Map() }, markdown ?? readableText(records));
  return {
    facts: lost.slice(0, MOST_LISTED).flatMap(({ kind, text, messageUuid }) => {
      const ref = refs.get(messageUuid);
      return ref === undefined
        ? []
        : [{ ...ref, kind, text: oneLine(withoutSecrets(text), WORDS_LENGTH), messageUuid }];
    }),
    count: lost.length,
  };
}

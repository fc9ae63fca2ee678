import type { StoredComposition } from '../compositions';
import type { ComposedContextRecord, CompositionComponent, Delivery } from '../../model/composition';
import type { SessionRef } from '../../sessions/results';
import { escapeMarkdown, oneLine } from '../../text/cleanText';
import { formatAge, formatCount, joinParts, shortId, timeOf, type Formats } from '../../text/formats';
import { sessionKey } from '../../model/fields';
import { keepsText } from './compositionTexts';
import type { NodeIcon, TreeNode } from '../../sessions/view/treeNode';
import { fidelityText } from '../../versions/view/versionTexts';

interface CompositionTreeOptions {
  readonly formats: Formats;
  readonly nowMs: number;
  /** The name of the composition that waits for the next session; undefined when none does. */
  readonly armed: string | undefined;
  /** A session's title; undefined when it is not known any more. */
  readonly titleOf: (ref: SessionRef) => string | undefined;
}

/** The saved compositions of a project, the newest first, each with what it is made of. */
export function compositionTree(
  compositions: readonly StoredComposition[],
  options: CompositionTreeOptions,
): TreeNode[] {
  return compositions.map((composition) => compositionNode(composition, options));
}

/** One composition as a row; what may need doing comes first, a narrow side bar cuts the end off. */
export function compositionNode(composition: StoredComposition, options: CompositionTreeOptions): TreeNode {
  const { projectId, record, freshness } = composition;
  const { formats, nowMs } = options;
  const isArmed = options.armed === record.name;
  const sessions = sessionsOf(record, projectId);
  const builtMs = timeOf(record.builtAt ?? record.createdAt);
  const state = joinParts([
    isArmed ? 'waits for the next session' : '',
    freshness.isFresh ? '' : staleText(composition, formats),
  ]);
  const size = `${formatCount(record.totalTokens)} tokens`;
  const count = formats.plural(sessions.length, 'session');
  const age = builtMs === undefined ? '' : formatAge(builtMs, nowMs);
  const used = usedText(record, formats);
  return {
    id: `composition:${projectId}:${record.name}`,
    kind: 'composition',
    label: record.name,
    description: joinParts([state, size, count, used, age]),
    tooltip: tooltipOf(composition, options),
    icon: iconOf(isArmed, freshness.isFresh),
    contextValue: ['composition', isArmed ? 'armed' : 'unarmed', freshness.isFresh ? 'fresh' : 'stale'].join(' '),
    spoken: joinParts([`Composition ${record.name}`, state, size, count, used, age === '' ? '' : `made ${age}`], ', '),
    fold: 'collapsed',
    children: sessions.map((session) => componentNode(session, { ...options, composition })),
    projectId,
    composition: { projectId, name: record.name },
  };
}

function iconOf(isArmed: boolean, isFresh: boolean): NodeIcon {
  if (isArmed) return { id: 'rocket', color: 'charts.blue' };
  return isFresh ? { id: 'combine' } : { id: 'history', color: 'list.warningForeground' };
}

function staleText({ freshness }: StoredComposition, formats: Formats): string {
  const { newMessages, reasons } = freshness;
  return newMessages > 0 ? formats.plural(newMessages, 'new message') : (reasons[0] ?? 'its sources changed');
}

function usedText({ usedInSessions }: ComposedContextRecord, formats: Formats): string {
  return usedInSessions.length === 0 ? '' : `arrived in ${formats.plural(usedInSessions.length, 'session')}`;
}

interface SessionRow {
  readonly ref: SessionRef;
  readonly components: CompositionComponent[];
}

/** Versions of parts of one session are one row. */
function sessionsOf({ components }: ComposedContextRecord, projectId: string): SessionRow[] {
  const rows = new Map<string, SessionRow>();
  for (const component of components) {
    const ref = { projectId: component.projectId ?? projectId, sessionId: component.sessionId };
    const key = sessionKey(ref);
    const row = rows.get(key) ?? { ref, components: [] };
    row.components.push(component);
    rows.set(key, row);
  }
  return [...rows.values()];
}

function componentNode(
  { ref, components }: SessionRow,
  { composition, titleOf }: CompositionTreeOptions & { composition: StoredComposition },
): TreeNode {
  const { projectId, record } = composition;
  const title = titleOf(ref) ?? `Session ${shortId(ref.sessionId)}`;
  const versions = components.map(({ versionId }) => versionId).join(' + ');
  const tokens = components.reduce((sum, { tokenContribution }) => sum + tokenContribution, 0);
  const [first] = components;
  const fidelity = first?.fidelity === undefined ? '' : `fidelity ${fidelityText(first.fidelity)}`;
  const why = first?.why ?? '';
  return {
    id: `component:${projectId}:${record.name}:${ref.projectId}:${ref.sessionId}`,
    kind: 'component',
    label: title,
    description: joinParts([versions, formatCount(tokens), fidelity]),
    tooltip: [
      `**${escapeMarkdown(title)}**`,
      escapeMarkdown(joinParts([versions, `${formatCount(tokens)} tokens`, why])),
    ].join('\n\n'),
    icon: { id: versions === 'original' ? 'book' : 'layers' },
    contextValue: 'component',
    spoken: joinParts([title, versions, `${formatCount(tokens)} tokens`, fidelity, why], ', '),
    fold: 'none',
    children: [],
    session: ref,
  };
}

const OMITTED_SHOWN = 5;
const LINE_LENGTH = 160;

function tooltipOf({ record, projectId, freshness }: StoredComposition, options: CompositionTreeOptions): string {
  const { formats, titleOf } = options;
  const { omitted = [], redacted = [], keepits, budget } = record;
  const builtMs = timeOf(record.builtAt ?? record.createdAt);
  const sessionName = (sessionId: string, other = projectId): string =>
    titleOf({ projectId: other, sessionId }) ?? shortId(sessionId);
  return joinParts(
    [
      `**${escapeMarkdown(record.name)}**`,
      joinParts([
        `${formats.exact(record.totalTokens)}${budget === undefined ? '' : ` of ${formats.exact(budget)}`} tokens`,
        record.keeps === undefined ? '' : keepsText(record.keeps),
        record.request === undefined ? '' : `strategy ${record.request.strategy}`,
      ]),
      builtMs === undefined ? '' : `Made ${formats.dateTime(builtMs)}`,
      keepits === undefined ? '' : `Keepits: ${keepits.included} in, ${keepits.left} out`,
      freshness.isFresh ? '' : `$(history) ${escapeMarkdown(oneLine(freshness.reasons.join('; '), LINE_LENGTH))}`,
      ...omitted
        .slice(0, OMITTED_SHOWN)
        .map((one) =>
          escapeMarkdown(
            oneLine(`Not in it: ${sessionName(one.sessionId, one.projectId)}: ${one.reason}`, LINE_LENGTH),
          ),
        ),
      omitted.length > OMITTED_SHOWN ? `… and ${omitted.length - OMITTED_SHOWN} more` : '',
      redacted.length === 0
        ? ''
        : `Taken out: ${redacted.map(({ kind, count }) => formats.plural(count, kind)).join(', ')}`,
      deliveriesText(record.deliveries ?? [], formats),
      record.usedInSessions.length === 0
        ? ''
        : escapeMarkdown(`Arrived in ${record.usedInSessions.map((id) => sessionName(id)).join(', ')}`),
    ],
    '\n\n',
  );
}

const deliveryWords: Record<Delivery['to'], string> = {
  resume: 'resumed',
  'next-session': 'armed for the next session',
  stdout: 'printed',
  file: 'saved as a file',
  clipboard: 'copied',
};

function deliveriesText(deliveries: readonly Delivery[], formats: Formats): string {
  const last = deliveries.at(-1);
  if (last === undefined) return '';
  const atMs = timeOf(last.deliveredAt);
  return `Last delivered${atMs === undefined ? '' : ` ${formats.dateTime(atMs)}`}: ${deliveryWords[last.to]}`;
}

import { createTwoFilesPatch } from 'diff';
import { parseKeepits } from '../keepits/markerParser';
import type { ComposedContextRecord } from '../model/composition';
import { sessionKey } from '../model/fields';
import type { SessionRef } from '../sessions/results';
import { changesBetween } from './freshness';

/** A session of a composition, as it is in it. */
export interface ComparedComponent extends SessionRef {
  readonly versions: readonly string[];
  readonly tokens: number;
  readonly fidelity?: number | undefined;
}

/** A keepit by its words: resumed sessions hold the same one under other ids. */
export interface ComparedKeepit {
  readonly weight: number;
  readonly content: string;
}

/** Two compositions side by side. */
export interface CompositionDiff {
  readonly a: ComparedEnd;
  readonly b: ComparedEnd;
  readonly onlyInA: readonly ComparedComponent[];
  readonly onlyInB: readonly ComparedComponent[];
  readonly changed: readonly (SessionRef & {
    readonly before: ComparedComponent;
    readonly after: ComparedComponent;
  })[];
  /** Sessions that are in both alike. */
  readonly same: number;
  readonly keepits: { readonly lost: readonly ComparedKeepit[]; readonly gained: readonly ComparedKeepit[] };
  /** The texts as a unified diff; '' where they are the same. */
  readonly patch: string;
}

interface ComparedEnd {
  readonly projectId: string;
  readonly name: string;
  readonly tokens: number;
  readonly budget?: number | undefined;
  readonly keeps?: number | undefined;
}

/** A composition with its text. */
export interface ReadComposition {
  readonly projectId: string;
  readonly record: ComposedContextRecord;
  readonly text: string;
}

/** What the second composition has and the first has not, and the other way round. */
export function compareCompositions(a: ReadComposition, b: ReadComposition): CompositionDiff {
  const [first, second] = [componentsOf(a), componentsOf(b)];
  const [left, right] = [withProject(a), withProject(b)];
  const changes = changesBetween(left, right, b.projectId).flatMap(({ change, ...ref }) => {
    const key = sessionKey(ref);
    return [{ change, before: first.get(key), after: second.get(key) }];
  });
  return {
    a: endOf(a),
    b: endOf(b),
    onlyInA: changes.flatMap(({ before, after }) => (before !== undefined && after === undefined ? [before] : [])),
    onlyInB: changes.flatMap(({ before, after }) => (after !== undefined && before === undefined ? [after] : [])),
    changed: changes.flatMap(({ change, before, after }) =>
      change !== 'changed' || before === undefined || after === undefined
        ? []
        : [{ projectId: after.projectId, sessionId: after.sessionId, before, after }],
    ),
    same: changes.filter(({ change }) => change === 'same').length,
    keepits: { lost: keepitsOnlyIn(a.text, b.text), gained: keepitsOnlyIn(b.text, a.text) },
    patch: a.text === b.text ? '' : createTwoFilesPatch(a.record.name, b.record.name, a.text, b.text, '', ''),
  };
}

function endOf({ projectId, record: { name, totalTokens: tokens, budget, keeps } }: ReadComposition): ComparedEnd {
  return { projectId, name, tokens, budget, keeps };
}

/** The record with the project of each component: two compositions may be of different ones. */
function withProject({ projectId, record }: ReadComposition): Pick<ComposedContextRecord, 'components'> {
  return { components: record.components.map((one) => ({ ...one, projectId: one.projectId ?? projectId })) };
}

function componentsOf(read: ReadComposition): Map<string, ComparedComponent> {
  const components = new Map<string, ComparedComponent>();
  for (const { projectId = '', sessionId, versionId, tokenContribution, fidelity } of withProject(read).components) {
    const key = sessionKey({ projectId, sessionId });
    const { versions = [], tokens = 0 } = components.get(key) ?? {};
    components.set(key, {
      projectId,
      sessionId,
      versions: [...versions, versionId],
      tokens: tokens + tokenContribution,
      fidelity,
    });
  }
  return components;
}

function keepitsOnlyIn(text: string, other: string): ComparedKeepit[] {
  const there = new Set(parseKeepits(other).spans.map(({ content }) => content));
  return parseKeepits(text)
    .spans.filter(({ content }) => !there.has(content))
    .map(({ weight, content }) => ({ weight, content }));
}

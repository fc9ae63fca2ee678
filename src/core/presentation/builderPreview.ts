import type { CompositionPreview, PreviewComponent, PreviewOption } from '../compositions/compositionPreview';
import type { KeepitMarker } from '../model/keepit';
import type { CompositionStrategy } from '../model/composition';
import { oneLine } from '../text/cleanText';
import type { BuilderKeepit, BuilderOption, BuilderPreview, StrategyOutcome } from './compositionProtocol';
import { sessionKey } from '../model/sessionKey';

/** A list to read has no hundreds of rows; the counts tell how many there are. */
const KEEPITS_LISTED = 60;
const WORDS_LENGTH = 160;

/** A preview as the builder shows it. `projectName` names the projects of sessions that come from elsewhere. */
export function builderPreviewOf(
  preview: CompositionPreview,
  own: { readonly projectId: string; readonly projectName: (projectId: string) => string },
): BuilderPreview {
  const included = keepitRows(preview.components, ({ keepitsIn }) => keepitsIn);
  const isIn = new Set(included.map(({ markerId }) => markerId));
  const left = keepitRows(preview.components, ({ keepitsOut }) => keepitsOut).filter(
    ({ markerId }) => !isIn.has(markerId),
  );
  return {
    components: preview.components.map(({ projectId, ...component }) => ({
      projectId,
      sessionId: component.sessionId,
      title: component.title,
      ...(projectId !== own.projectId && { project: own.projectName(projectId) }),
      firstTimestamp: component.firstTimestamp,
      lastTimestamp: component.lastTimestamp,
      distance: component.distance,
      originalTokens: component.originalTokens,
      options: component.options.filter(isChoosable).map(optionOf),
      pick: optionOf(component.pick),
      repeatedTokens: component.repeatedTokens,
      allocation: component.allocation,
      why: component.why,
      uncoveredMessages: component.uncoveredMessages,
      keepitsIn: component.keepitsIn.length,
      keepitsOut: component.keepitsOut.length,
    })),
    omitted: preview.omitted.map(({ projectId = own.projectId, sessionId, reason }) => ({
      projectId,
      sessionId,
      reason,
    })),
    budget: preview.budget,
    totalTokens: preview.totalTokens,
    frameTokens: preview.frameTokens,
    shareOfWindow: preview.shareOfWindow,
    fidelity: preview.fidelity,
    toMake: preview.toMake,
    isMeasured: true,
    keepits: {
      included: included.slice(0, KEEPITS_LISTED),
      left: left.slice(0, KEEPITS_LISTED),
      includedCount: included.length,
      leftCount: left.length,
    },
  };
}

/** What can be named in a request; what is made anew is asked for otherwise. */
function isChoosable({ kind }: PreviewOption): boolean {
  return kind === 'original' || kind === 'version' || kind === 'parts';
}

function optionOf({ kind, versionIds, tokens, fidelity, ratio }: PreviewOption): BuilderOption {
  return { kind, versionIds: [...versionIds], tokens, fidelity, ratio };
}

/** Each once, the heaviest first. */
function keepitRows(
  components: readonly PreviewComponent[],
  of: (component: PreviewComponent) => readonly KeepitMarker[],
): BuilderKeepit[] {
  const rows = components.flatMap((component) =>
    of(component).map(({ markerId, weight, content }) => ({
      projectId: component.projectId,
      sessionId: component.sessionId,
      markerId,
      weight,
      words: oneLine(content, WORDS_LENGTH),
    })),
  );
  // A resumed session holds the keepits of the one that it goes on from: each is one.
  const known = new Set<string>();
  const once = rows.filter(({ markerId }) => !known.has(markerId) && known.add(markerId));
  return once.sort((a, b) => b.weight - a.weight);
}

/** What a strategy would make of the same sessions, beside what is made of them now. */
export function strategyOutcomeOf(
  strategy: CompositionStrategy,
  preview: CompositionPreview,
  current: CompositionPreview,
): StrategyOutcome {
  const picks = new Map(current.components.map((component) => [sessionKey(component), pickName(component)]));
  return {
    strategy,
    tokens: preview.totalTokens,
    fidelity: preview.fidelity,
    leftOut: preview.components.filter(({ pick }) => isLeftOut(pick.kind)).length,
    changed: preview.components.filter((component) => picks.get(sessionKey(component)) !== pickName(component)).length,
  };
}

/** Whether nothing of the session but keepits is in. */
export function isLeftOut(kind: BuilderOption['kind']): boolean {
  return kind === 'nothing' || kind === 'keepits';
}

function pickName({ pick }: PreviewComponent): string {
  return [pick.kind, ...pick.versionIds, pick.kind === 'new' ? pick.tokens : ''].join(' ');
}

import { CompositionError } from '../../core/compositions/compositionError';
import type { ComposedTexts } from '../../core/compositions/compositions';
import type { CompositionPreview } from '../../core/compositions/compositionPreview';
import { KeepitError } from '../../core/text/keepitError';
import type { MemoryService } from '../../core/memory';
import type { CompositionRequest, CompositionStrategy } from '../../core/model/composition';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { builderPreviewOf, strategyOutcomeOf } from '../../core/presentation/builderPreview';
import { formOf, freshName, requestOf } from '../../core/presentation/compositionForm';
import type {
  BuilderPreview,
  ComponentNote,
  CompositionData,
  CompositionForm,
  CompositionRefusal,
  CompositionScope,
  StrategyOutcome,
} from '../../core/presentation/compositionProtocol';
import { strategyTexts } from '../../core/presentation/compositionTexts';
import { failureText } from '../../core/presentation/windowHint';
import type { Uses } from '../context';
import { sessionKey } from '../../core/model/sessionKey';

/** The id that the composition is going to have: ids differ in tokens. */
export interface Figuring {
  readonly compositionId: string;
}

/** What a form comes to. */
export type BuilderFigures =
  | { readonly kind: 'preview'; readonly preview: BuilderPreview; readonly notes: readonly ComponentNote[] }
  | CompositionRefusal;

/** What of a form can be composed now. */
export interface SoundRequest {
  readonly request: CompositionRequest;
  readonly notes: readonly ComponentNote[];
}

/** Collects what the Composition Builder shows. */
export class CompositionSource {
  constructor(private readonly context: Uses<'host' | 'model' | 'settings'>) {}

  async load(scope: CompositionScope): Promise<CompositionData> {
    const { settings } = this.context;
    const saved = (await this.service()).compositions;
    const names = (await saved.list(scope.projectId)).map(({ record }) => record.name);
    return {
      scope,
      project: this.projectName(scope.projectId),
      windowTokens: settings.compositionWindowTokens,
      names,
      usual: await this.usual(scope, names),
    };
  }

  /** Every number of the builder, or why there are none. */
  async preview(
    scope: CompositionScope,
    form: CompositionForm,
    figuring: Figuring,
    signal?: AbortSignal,
  ): Promise<BuilderFigures> {
    const { request, notes } = await this.sound(form);
    const figure = async (asked: CompositionRequest): Promise<BuilderPreview> =>
      this.shown(scope, await this.figures(scope, asked, figuring, signal));
    try {
      return { kind: 'preview', preview: await figure(request), notes: [...notes] };
    } catch (error) {
      if (!(error instanceof KeepitError)) throw error;
      return { ...(await refusal(request, error, figure)), notes: [...notes] };
    }
  }

  /** What each strategy would make of the same sessions. */
  async strategies(
    scope: CompositionScope,
    form: CompositionForm,
    figuring: Figuring,
    signal: AbortSignal,
  ): Promise<StrategyOutcome[]> {
    const { request } = await this.sound(form);
    const figure = (strategy: CompositionStrategy): Promise<CompositionPreview> =>
      this.figures(scope, { ...request, strategy }, figuring, signal);
    const current = await figure(request.strategy);
    const outcomes: StrategyOutcome[] = [];
    for (const { strategy } of strategyTexts) {
      const preview = strategy === request.strategy ? current : await figure(strategy);
      outcomes.push(strategyOutcomeOf(strategy, preview, current));
    }
    return outcomes;
  }

  /** The text as it would be. Throws `CompositionError`. */
  async text(
    scope: CompositionScope,
    form: CompositionForm,
    { compositionId }: Figuring,
    signal: AbortSignal,
  ): Promise<{ text: string; tokens: number; isProvisional: boolean }> {
    const { request } = await this.sound({ ...form, hasMarkdown: true });
    const { compositions } = await this.service();
    const { markdown = '', record } = await compositions.previewTexts(
      scope.projectId,
      request,
      { compositionId },
      signal,
    );
    return { text: markdown, tokens: record.tokens?.markdown ?? record.totalTokens, isProvisional: false };
  }

  /** The texts in full: versions that are missing are made. */
  async texts(scope: CompositionScope, form: CompositionForm, signal: AbortSignal): Promise<ComposedTexts> {
    const { request } = await this.sound(form);
    const saved = (await this.service()).compositions;
    return saved.previewTexts(scope.projectId, request, {}, signal);
  }

  /** The form as a request, without sessions that left memory and versions that were deleted since they were chosen. */
  async sound(form: CompositionForm): Promise<SoundRequest> {
    const entries = await this.entries(form);
    const notes: ComponentNote[] = [];
    const components = form.components.flatMap((component) => {
      const { projectId, sessionId, versionIds } = component;
      const entry = entries.get(sessionKey(component));
      if (entry === undefined) {
        notes.push({
          projectId,
          sessionId,
          kind: 'gone',
          text: 'This session is no longer in memory: it is left out.',
        });
        return [];
      }
      const known = new Set(['original', ...entry.compressions.map(({ versionId }) => versionId)]);
      const missing = versionIds.filter((versionId) => !known.has(versionId));
      if (missing.length === 0) return [component];
      const text = `${missing.join(' and ')} was deleted: another version is chosen.`;
      notes.push({ projectId, sessionId, kind: 'versionGone', text });
      return [{ ...component, versionIds: [] }];
    });
    const originals = new Map([...entries].map(([key, entry]) => [key, entry.originalTokens]));
    return { request: requestOf({ ...form, components }, originals), notes };
  }

  projectName(projectId: string): string {
    const project = this.context.model.projects.find((one) => one.projectId === projectId);
    return project?.displayName ?? projectId;
  }

  private async service(): Promise<MemoryService> {
    return (await this.context.host.memory()).service;
  }

  private async figures(
    { projectId }: CompositionScope,
    request: CompositionRequest,
    { compositionId }: Figuring,
    signal?: AbortSignal,
  ): Promise<CompositionPreview> {
    const saved = (await this.context.host.memory()).service.compositions;
    const options = { windowTokens: this.context.settings.compositionWindowTokens, compositionId };
    return saved.preview(projectId, request, options, signal);
  }

  private shown({ projectId }: CompositionScope, preview: CompositionPreview): BuilderPreview {
    return builderPreviewOf(preview, { projectId, projectName: (id) => this.projectName(id) });
  }

  private async entries(form: CompositionForm): Promise<Map<string, SessionManifestEntry>> {
    const service = await this.service();
    const entries = new Map<string, SessionManifestEntry>();
    for (const projectId of new Set(form.components.map((component) => component.projectId))) {
      for (const entry of await service.sessions.list(projectId)) {
        entries.set(sessionKey({ projectId, sessionId: entry.sessionId }), entry);
      }
    }
    return entries;
  }

  private async usual(scope: CompositionScope, names: readonly string[]): Promise<CompositionForm> {
    const { settings } = this.context;
    const { projectId, opened } = scope;
    if (opened !== undefined && names.includes(opened)) {
      const saved = (await this.service()).compositions;
      const { record } = await saved.get(projectId, opened);
      if (record.request !== undefined) return { ...formOf(record.request, projectId), name: record.name };
    }
    return {
      name: freshName(this.projectName(projectId), names),
      budget: settings.compositionBudget,
      strategy: settings.compositionStrategy,
      hasMarkdown: true,
      hasJsonl: true,
      makesMissing: true,
      components: [],
    };
  }
}

/** What stands around the sessions names the time and an id: it is never twice of the same size to the token. */
const SLACK_TOKENS = 20;

/** A budget that still works a moment later. */
function roomy(tokens: number): number {
  return Math.ceil((tokens + SLACK_TOKENS) / 10) * 10;
}

/** Why nothing can be composed, and for a budget that is too small what would come of the smallest one that works. */
async function refusal(
  request: CompositionRequest,
  error: KeepitError,
  figure: (request: CompositionRequest) => Promise<BuilderPreview>,
): Promise<Omit<CompositionRefusal, 'notes'>> {
  const refused = { kind: 'refused', message: failureText(error) } as const;
  if (!(error instanceof CompositionError) || error.smallestBudget === undefined) return refused;
  const smallestBudget = roomy(error.smallestBudget);
  try {
    return { ...refused, smallestBudget, preview: await figure({ ...request, totalTokenBudget: smallestBudget }) };
  } catch (second) {
    if (!(second instanceof KeepitError)) throw second;
    return { ...refused, smallestBudget }; // the first reason says it already
  }
}

import { CompositionError } from '../../core/compositions/compositionError';
import type { CompositionPreview } from '../../core/compositions/compositionPreview';
import { titleOf } from '../../core/text/formats';
import { KeepitError, onlyExpected } from '../../core/text/keepitError';
import type { CompositionRequest } from '../../core/model/composition';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { formOf, freshName, requestOf } from '../../core/compositions/view/compositionForm';
import type {
  ComponentNote,
  CompositionData,
  CompositionForm,
  CompositionRefusal,
  CompositionScope,
  PurposeOffer,
  SavedFigures,
  StrategyOutcome,
  Suggested,
} from '../../core/compositions/view/compositionProtocol';
import { isLeftOut, strategyTexts } from '../../core/compositions/view/compositionTexts';
import { failureText } from '../../core/text/windowHint';
import type { Uses } from '../context';
import { WorkAtHand } from '../search/workAtHand';
import { sessionKey } from '../../core/model/fields';

/** What a form comes to. */
type BuilderFigures =
  | { readonly kind: 'preview'; readonly preview: CompositionPreview; readonly notes: readonly ComponentNote[] }
  | CompositionRefusal;

/** What of a form can be composed now. */
export interface SoundRequest {
  readonly request: CompositionRequest;
  readonly notes: readonly ComponentNote[];
}

/** Collects what the Composition Builder shows. */
export class CompositionSource {
  private readonly work: WorkAtHand;

  constructor(private readonly context: Uses<'memory' | 'model' | 'settings'>) {
    this.work = new WorkAtHand(context);
  }

  async load(scope: CompositionScope): Promise<CompositionData> {
    const { settings } = this.context;
    const { projectId, opened } = scope;
    const saved = this.context.memory.compositions;
    const names = (await saved.list(projectId)).map(({ record }) => record.name);
    return {
      scope,
      project: this.projectName(projectId),
      windowTokens: settings.compositionWindowTokens,
      names,
      usual: await this.usual(scope, names),
      saved: opened !== undefined && names.includes(opened) ? await this.saved(projectId, opened) : undefined,
      offers: await this.offers(projectId),
    };
  }

  /** A composition as it was saved; undefined for one that cannot be made again, or of which no figures were kept. */
  async saved(projectId: string, name: string): Promise<SavedFigures | undefined> {
    const { compositions } = this.context.memory;
    const { record } = await compositions.get(projectId, name);
    const preview = await compositions.figures(projectId, name);
    if (record.request === undefined || preview === undefined) return undefined;
    return { form: formOf({ ...record.request, name }, projectId), preview };
  }

  /** Every number of the builder, or why there are none. `compositionId` is the one that the composition is going to have. */
  async preview(
    { projectId }: CompositionScope,
    form: CompositionForm,
    compositionId: string,
    signal?: AbortSignal,
  ): Promise<BuilderFigures> {
    const { request, notes } = await this.sound(form);
    const { compositions } = this.context.memory;
    const figure = (asked: CompositionRequest): Promise<CompositionPreview> =>
      compositions.preview(projectId, asked, { compositionId }, signal);
    try {
      return { kind: 'preview', preview: await figure(request), notes: [...notes] };
    } catch (error) {
      onlyExpected(error);
      return { ...(await refusal(request, error, figure)), notes: [...notes] };
    }
  }

  /** What each strategy makes of the same sessions. */
  async strategies(
    { projectId }: CompositionScope,
    form: CompositionForm,
    compositionId: string,
    signal: AbortSignal,
  ): Promise<StrategyOutcome[]> {
    const { request } = await this.sound(form);
    const { compositions } = this.context.memory;
    const outcomes: StrategyOutcome[] = [];
    for (const { strategy } of strategyTexts) {
      const preview = await compositions.preview(projectId, { ...request, strategy }, { compositionId }, signal);
      const leftOut = preview.components.filter(({ pick }) => isLeftOut(pick.kind)).length;
      outcomes.push({ strategy, tokens: preview.totalTokens, keeps: preview.keeps, leftOut });
    }
    return outcomes;
  }

  /** The text as it would be, or as the composition of that name was saved. Throws `CompositionError`. */
  async text(
    { projectId }: CompositionScope,
    { form, saved }: { form: CompositionForm; saved?: string | undefined },
    compositionId: string,
    signal: AbortSignal,
  ): Promise<string> {
    const { compositions } = this.context.memory;
    if (saved !== undefined) {
      return compositions.text(projectId, saved, form.hasMarkdown || !form.hasJsonl ? 'markdown' : 'jsonl');
    }
    const { request } = await this.sound(form);
    const { markdown, jsonl = '' } = await compositions.previewTexts(projectId, request, { compositionId }, signal);
    return markdown ?? jsonl;
  }

  /** The texts in full: versions that are missing are made. */
  async texts({ projectId }: CompositionScope, form: CompositionForm, signal: AbortSignal) {
    const { request } = await this.sound(form);
    return this.context.memory.compositions.previewTexts(projectId, request, {}, signal);
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
    return { request: requestOf({ ...form, components }), notes };
  }

  projectName(projectId: string): string {
    const project = this.context.model.projects.find((one) => one.projectId === projectId);
    return project?.displayName ?? projectId;
  }

  /** Sessions that the purpose may need; without one, those that the work at hand may. */
  async suggested(
    { projectId }: CompositionScope,
    { purpose, files, budget }: Pick<CompositionForm, 'purpose' | 'files' | 'budget'>,
    signal: AbortSignal,
  ): Promise<Suggested[]> {
    const { memory, model } = this.context;
    const project = model.projects.find((one) => one.projectId === projectId);
    if (project?.sessions.some(({ registered }) => registered) !== true) return [];
    const topic = purpose.trim();
    const request =
      topic === '' && files.length === 0
        ? await this.work.asked(projectId)
        : { projectId, files, topics: topic === '' ? [] : [topic] };
    if (request === undefined) return [];
    const found = await memory.search.suggest({ ...request, budget: budget ?? undefined }, signal);
    return found.flatMap(({ projectId: of, sessionId, why }) => {
      const session = model.find({ projectId: of, sessionId });
      return session === undefined ? [] : [{ projectId: of, sessionId, title: titleOf(session), why }];
    });
  }

  /** What was asked last in the project, and the files of the workspace that are open. */
  private async offers(projectId: string): Promise<PurposeOffer[]> {
    const offers: PurposeOffer[] = [];
    const prompt = await this.work.lastPrompt(projectId);
    if (prompt !== '') offers.push({ title: 'What was asked last', purpose: prompt, files: [] });
    const files = this.work.openFiles();
    if (files.length > 0) offers.push({ title: 'The files that are open', purpose: '', files });
    return offers;
  }

  private async entries(form: CompositionForm): Promise<Map<string, SessionManifestEntry>> {
    const entries = new Map<string, SessionManifestEntry>();
    for (const projectId of new Set(form.components.map((component) => component.projectId))) {
      for (const entry of await this.context.memory.sessions.list(projectId)) {
        entries.set(sessionKey({ projectId, sessionId: entry.sessionId }), entry);
      }
    }
    return entries;
  }

  private async usual(scope: CompositionScope, names: readonly string[]): Promise<CompositionForm> {
    const { settings } = this.context;
    const { projectId, opened } = scope;
    if (opened !== undefined && names.includes(opened)) {
      const saved = this.context.memory.compositions;
      const { record } = await saved.get(projectId, opened);
      if (record.request !== undefined) return { ...formOf(record.request, projectId), name: record.name };
    }
    return {
      name: freshName(this.projectName(projectId), names),
      budget: settings.compositionBudget,
      strategy: settings.compositionStrategy,
      purpose: '',
      files: [],
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
  figure: (request: CompositionRequest) => Promise<CompositionPreview>,
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

import { problemWith } from '../compositionName';
import type { CompositionRequest, OutputFormat, RequestedComponent } from '../../model/composition';
import type { SessionRef } from '../../sessions/results';
import { oneLine } from '../../text/cleanText';
import type { ComponentForm, CompositionForm } from './compositionProtocol';
import { timeOf } from '../../text/formats';
import { sessionKey } from '../../model/fields';

/** The fields that can be wrong; those of components by the session's key. */
type CompositionField = 'name' | 'budget' | 'formats' | 'components' | `allocation ${string}` | `weight ${string}`;

/** What is wrong with each field, in words for people. Empty when the form can be composed. */
export type CompositionProblems = Partial<Record<CompositionField, string>>;

/** Whether two forms ask for the same. */
export function isSameForm(a: CompositionForm, b: CompositionForm): boolean {
  return JSON.stringify(requestOf(a)) === JSON.stringify(requestOf(b));
}

/** Everything that stands against the form, so that each field can say it in its place. Cheap: called with every keystroke. */
export function problemsOf(form: CompositionForm): CompositionProblems {
  const problems: CompositionProblems = { ...figureProblems(form) };
  const name = problemWith(form.name);
  if (name !== undefined) problems.name = `This cannot be its name: ${name}.`;
  if (!form.hasMarkdown && !form.hasJsonl) problems.formats = 'Choose at least one.';
  return problems;
}

/** What stands against figuring out what would be composed: all but its name and formats. */
export function figureProblems({ budget, components, strategy }: CompositionForm): CompositionProblems {
  const problems: CompositionProblems = {};
  if (!isTokens(budget) || budget < 1) problems.budget = 'Write a whole number of tokens, such as 16000.';
  if (components.length === 0) problems.components = 'Add the sessions that the next one is to know of.';
  for (const component of components) {
    const { allocation, weight } = component;
    const key = sessionKey(component);
    if (allocation !== null && !isTokens(allocation)) problems[`allocation ${key}`] = 'Whole tokens, from 0';
    if (strategy === 'custom' && weight !== null && weight < 0) problems[`weight ${key}`] = 'A number from 0';
  }
  return problems;
}

function isTokens(value: number | null): value is number {
  return value !== null && Number.isSafeInteger(value) && value >= 0;
}

/** What the form asks the core for. Call it only when its figures are right. */
export function requestOf(form: CompositionForm): CompositionRequest {
  const { name, budget, strategy, makesMissing, components, files } = form;
  const purpose = form.purpose.trim();
  return {
    name,
    totalTokenBudget: budget ?? 0,
    outputFormat: formatOf(form),
    strategy,
    ...(purpose !== '' && { purpose }),
    ...(files.length > 0 && { files }),
    ...(!makesMissing && { makesMissing: false }),
    components: components.flatMap((component) => requested(component, strategy === 'custom')),
  };
}

function formatOf({ hasMarkdown, hasJsonl }: CompositionForm): OutputFormat {
  if (hasMarkdown === hasJsonl) return 'both';
  return hasMarkdown ? 'markdown' : 'jsonl';
}

function requested(component: ComponentForm, isCustom: boolean): RequestedComponent[] {
  const { projectId, sessionId, versionIds, allocation, weight, recompress } = component;
  const common = {
    projectId,
    sessionId,
    ...(allocation !== null && { allocation }),
    ...(isCustom && weight !== null && { weight }),
  };
  if (recompress !== undefined) return [{ ...common, recompressSettings: recompress }];
  if (versionIds.length === 0) return [common];
  return versionIds.map((versionId) => ({ ...common, versionId }));
}

/** The form that makes a recorded request again. */
export function formOf(request: CompositionRequest, projectId: string): CompositionForm {
  const { name, totalTokenBudget: budget, strategy, purpose = '', files = [], outputFormat, makesMissing } = request;
  return {
    name,
    budget,
    strategy,
    purpose,
    files,
    hasMarkdown: outputFormat !== 'jsonl',
    hasJsonl: outputFormat !== 'markdown',
    makesMissing: makesMissing !== false,
    components: componentsOf(request, projectId),
  };
}

/** Versions of parts of one session are one component. */
function componentsOf(request: CompositionRequest, home: string): ComponentForm[] {
  const components = new Map<string, ComponentForm>();
  for (const { projectId = home, sessionId, versionId, allocation, weight, recompressSettings } of request.components) {
    const ref = { projectId, sessionId };
    const ids = versionId === undefined || versionId === 'auto' ? [] : [versionId];
    const known = components.get(sessionKey(ref));
    components.set(sessionKey(ref), {
      ...ref,
      versionIds: [...(known?.versionIds ?? []), ...ids],
      allocation: allocation ?? known?.allocation ?? null,
      weight: weight ?? known?.weight ?? null,
      ...(recompressSettings !== undefined && { recompress: recompressSettings }),
    });
  }
  return [...components.values()];
}

/** A session that is to be added. */
export interface AddedSession extends SessionRef {
  readonly firstTimestamp: string;
}

/**
 * The form with more sessions. While the order is that of time it stays so; once a person has ordered them otherwise, what is new comes last.
 * `timeOfKey` tells when a session that is there already began.
 */
export function withSessions(
  form: CompositionForm,
  sessions: readonly AddedSession[],
  startOf: (key: string) => string | undefined,
): CompositionForm {
  const present = new Set(form.components.map(sessionKey));
  const fresh = sessions.filter((session, at) => {
    const key = sessionKey(session);
    return !present.has(key) && sessions.findIndex((other) => sessionKey(other) === key) === at;
  });
  if (fresh.length === 0) return form;
  const starts = new Map(fresh.map((session) => [sessionKey(session), startMsOf(session.firstTimestamp)]));
  const startMs = (component: ComponentForm): number =>
    starts.get(sessionKey(component)) ?? startMsOf(startOf(sessionKey(component)));
  const isInOrder = form.components.every((component, at) => {
    const before = form.components[at - 1];
    return before === undefined || startMs(before) <= startMs(component);
  });
  const added = fresh.map(({ projectId, sessionId }) => newComponent({ projectId, sessionId }));
  const byTime = (a: ComponentForm, b: ComponentForm): number => startMs(a) - startMs(b);
  const components = isInOrder
    ? [...form.components, ...added].sort(byTime)
    : [...form.components, ...added.sort(byTime)];
  return { ...form, components };
}

function startMsOf(timestamp: string | undefined): number {
  return timeOf(timestamp) ?? Number.MAX_SAFE_INTEGER;
}

function newComponent(ref: SessionRef): ComponentForm {
  return { ...ref, versionIds: [], allocation: null, weight: null };
}

/** The form without a session. */
export function withoutSession(form: CompositionForm, key: string): CompositionForm {
  return { ...form, components: form.components.filter((component) => sessionKey(component) !== key) };
}

/** The form with one component changed. */
export function withComponent(
  form: CompositionForm,
  key: string,
  change: (component: ComponentForm) => ComponentForm,
): CompositionForm {
  return {
    ...form,
    components: form.components.map((component) => (sessionKey(component) === key ? change(component) : component)),
  };
}

/** The form with the component at one position moved to another; positions beyond the ends count as the ends. */
export function moved(form: CompositionForm, from: number, to: number): CompositionForm {
  const target = Math.min(form.components.length - 1, Math.max(0, to));
  const component = form.components[from];
  if (component === undefined || target === from) return form;
  const others = form.components.filter((_, at) => at !== from);
  return { ...form, components: [...others.slice(0, target), component, ...others.slice(target)] };
}

/** The sessions in the order in which they took place. */
export function inTimeOrder(form: CompositionForm, startOf: (key: string) => string | undefined): CompositionForm {
  const startMs = (component: ComponentForm): number => startMsOf(startOf(sessionKey(component)));
  return { ...form, components: [...form.components].sort((a, b) => startMs(a) - startMs(b)) };
}

const NAME_LENGTH = 60;

/** A name for a new composition of a project that none has yet. */
export function freshName(project: string, names: readonly string[]): string {
  const plain = oneLine(project, NAME_LENGTH)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
  const base = problemWith(plain) === undefined ? `${plain}-context` : 'context';
  const taken = new Set(names.map((name) => name.normalize('NFC').toLowerCase()));
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name.normalize('NFC').toLowerCase())) return name;
  }
}

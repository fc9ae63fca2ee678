import type { ComposedContextRecord, CompositionComponent, CompositionRequest } from '../model/composition';
import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import type { MemoryStore } from '../model/host';
import type { SessionRef } from '../sessions/results';
import { ownValue, setOwnValue, sumOf } from '../text/ownValue';
import { redactSecrets } from '../text/secrets/secrets';
import { COMPOSED_JSONL, COMPOSED_MARKDOWN, type DocumentIdentity } from './composedDocument';
import { CompositionError } from './compositionError';
import type { Composed, ComposedSession } from './sessionForms';
import { keepitsIn, keptShare } from './previewOf';
import { problemWith } from './compositionName';

/** What is kept of a composition; `before` is what it takes the place of. */
export function recordOf(
  composed: Composed,
  { projectId, request, identity }: { projectId: string; request: CompositionRequest; identity: DocumentIdentity },
  before?: ComposedContextRecord,
): ComposedContextRecord {
  const outputs = outputsOf(request);
  const components = composed.sessions.flatMap((session) => componentsOf(session, projectId));
  const keepits = composed.sessions.map(keepitsIn);
  return {
    ...before,
    compositionId: identity.compositionId,
    name: request.name,
    createdAt: before?.createdAt ?? identity.builtAt,
    components: components.map((component, order) => ({ ...component, order })),
    outputFile: `composed/${request.name}/${outputs[0] ?? COMPOSED_MARKDOWN}`,
    totalTokens: composed.totalTokens,
    totalMessages: composed.messages,
    usedInSessions: before?.usedInSessions ?? [],
    request,
    builtAt: identity.builtAt,
    budget: request.totalTokenBudget,
    outputs,
    tokens: composed.tokens,
    omitted: composed.omitted.map(({ projectId: other, ...omitted }) =>
      other === undefined || other === projectId ? omitted : { ...omitted, projectId: other },
    ),
    keeps: keptShare(composed.sessions),
    keepits: {
      included: sumOf(keepits, ({ included }) => included.length),
      left: sumOf(keepits, ({ left }) => left.length),
    },
    redacted: [...composed.redacted],
  };
}

/** The files that a request asks for. */
export function outputsOf({ outputFormat }: Pick<CompositionRequest, 'outputFormat'>): string[] {
  return [
    ...(outputFormat === 'jsonl' ? [] : [COMPOSED_MARKDOWN]),
    ...(outputFormat === 'markdown' ? [] : [COMPOSED_JSONL]),
  ];
}

function componentsOf(
  { open, pieces, section, tokens, pieceTokens, allocation, why, fidelity, settings }: ComposedSession,
  projectId: string,
): CompositionComponent[] {
  if (section === undefined) return [];
  const { ref } = open.session;
  const common = {
    sessionId: ref.sessionId,
    order: 0,
    ...(ref.projectId !== projectId && { projectId: ref.projectId }),
    allocation: Math.round(allocation),
    why,
    fidelity,
    ...(settings !== undefined && { recompress: { settings, reason: why } }),
  };
  if (pieces.length === 0) return [{ ...common, versionId: 'keepits', tokenContribution: tokens }];
  return pieces.map(({ piece: { versionId, partNumber, messageRange } }, at) => ({
    ...common,
    versionId,
    tokenContribution: pieceTokens[at] ?? 0,
    ...(partNumber !== undefined && { partNumber }),
    ...(messageRange !== undefined && { messageRange: [messageRange[0], messageRange[1]] }),
  }));
}

/** The sessions of a composition, each once. */
export function sessionsOf(
  { components }: Pick<ComposedContextRecord | CompositionRequest, 'components'>,
  projectId: string,
): SessionRef[] {
  const refs = new Map<string, SessionRef>();
  for (const { sessionId, projectId: other = projectId } of components) {
    refs.set(`${other}/${sessionId}`, { projectId: other, sessionId });
  }
  return [...refs.values()];
}

/**
 * Marks what a composition used, as far as it is of this project: sessions as accessed, which moves them forward (seed 000, 1.2), and
 * versions as used. Among themselves the sessions stay in their order: each gets a moment of its own.
 */
export function withUse(
  manifest: ProjectManifest,
  { components, projectId }: { components: readonly CompositionComponent[]; projectId: string },
  now: Date,
): ProjectManifest {
  const used = new Map<string, Set<string>>();
  for (const { sessionId, versionId, projectId: other = projectId } of components) {
    if (other !== manifest.projectId || !Object.hasOwn(manifest.sessions, sessionId)) continue;
    used.set(sessionId, (used.get(sessionId) ?? new Set()).add(versionId));
  }
  if (used.size === 0) return manifest;
  const newestFirst = Object.values(manifest.sessions)
    .filter(({ sessionId }) => used.has(sessionId))
    .sort((a, b) => (recencyOf(a) < recencyOf(b) ? 1 : -1));
  const sessions = { ...manifest.sessions };
  for (const [rank, entry] of newestFirst.entries()) {
    const versions = used.get(entry.sessionId);
    const lastAccessed = new Date(now.getTime() - rank).toISOString();
    const compressions = entry.compressions.map((version) =>
      versions?.has(version.versionId) === true ? { ...version, lastUsed: now.toISOString() } : version,
    );
    setOwnValue(sessions, entry.sessionId, { ...entry, lastAccessed, compressions });
  }
  return { ...manifest, sessions };
}

function recencyOf({ lastTimestamp, lastAccessed, registeredAt }: SessionManifestEntry): string {
  return lastAccessed !== registeredAt && lastAccessed > lastTimestamp ? lastAccessed : lastTimestamp;
}

/** How long ago each session was when it was composed: what was made for a composition is made again as it was. */
export function distancesIn({ components }: ComposedContextRecord): Map<string, number> {
  return new Map(
    components.flatMap(({ sessionId, recompress }) => {
      const distance = recompress?.settings.sessionDistance;
      return distance === undefined ? [] : [[sessionId, distance]];
    }),
  );
}

/** The record of a name, in a manifest. Throws `CompositionError`. */
export function recordIn(manifest: ProjectManifest, name: string): ComposedContextRecord {
  const record = namedIn(manifest, name);
  if (record === undefined) throw new CompositionError('unknown', name);
  return record;
}

/** A manifest with a record in the place of the one of its name. */
export function withRecord(manifest: ProjectManifest, record: ComposedContextRecord): ProjectManifest {
  return { ...manifest, compositions: { ...manifest.compositions, [record.name]: record } };
}

/** Why there is no text of a composition: it was never made in that format, or its file is gone. */
export function missingText({ name, outputs = [] }: ComposedContextRecord, file: string): CompositionError {
  const format = file === COMPOSED_JSONL ? 'JSONL' : 'Markdown';
  return new CompositionError(outputs.includes(file) ? 'text-gone' : 'not-made', name, format);
}

/** A record as `composition.json` holds it. */
export function jsonOf(record: ComposedContextRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

export function namedIn({ compositions }: ProjectManifest, name: string): ComposedContextRecord | undefined {
  return Object.values(compositions).find((record) => record.name === name);
}

/** By its id: another tool may have filed it under another key than its name. */
export function withoutRecord(manifest: ProjectManifest, { compositionId }: ComposedContextRecord): ProjectManifest {
  const others = Object.entries(manifest.compositions).filter(([, record]) => record.compositionId !== compositionId);
  return { ...manifest, compositions: Object.fromEntries(others) };
}

/** Throws `CompositionError` for a name that cannot be that of a folder everywhere, or that a person would not find again. */
export function checkName(name: string): void {
  const problem = problemWith(name) ?? secretIn(name);
  if (problem !== undefined) throw new CompositionError('bad-name', name, problem);
}

/** A name becomes that of a folder, which is shown and written in many places. */
function secretIn(name: string): string | undefined {
  const [secret] = redactSecrets(name).secrets;
  return secret && `it holds a secret (${secret.kind})`;
}

/** What of a request can still be had, and what cannot. */
export async function stillThere(
  store: Pick<MemoryStore, 'readManifest'>,
  projectId: string,
  request: CompositionRequest,
): Promise<{
  components: CompositionRequest['components'];
  gone: { projectId: string; sessionId: string; reason: string }[];
}> {
  const components: CompositionRequest['components'] = [];
  const gone: { projectId: string; sessionId: string; reason: string }[] = [];
  for (const component of request.components) {
    const { sessionId, versionId } = component;
    const ref = { projectId: component.projectId ?? projectId, sessionId };
    const sessions = (await store.readManifest(ref.projectId))?.sessions ?? {};
    const entry = ownValue(sessions, sessionId);
    if (entry === undefined) {
      gone.push({ ...ref, reason: 'it is no longer in memory' });
      continue;
    }
    const isKnown = versionId === undefined || versionId === 'auto' || versionId === 'original';
    if (isKnown || entry.compressions.some((version) => version.versionId === versionId)) {
      components.push(component);
      continue;
    }
    gone.push({ ...ref, reason: `version ${versionId} was deleted: another one was chosen` });
    const { versionId: _deleted, ...rest } = component;
    if (!components.some((other) => isSameSession(other, component))) components.push(rest);
  }
  return { components, gone };
}

function isSameSession(a: { sessionId: string; projectId?: string | undefined }, b: typeof a): boolean {
  return a.sessionId === b.sessionId && a.projectId === b.projectId;
}

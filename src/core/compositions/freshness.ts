import type { ComposedContextRecord } from '../model/composition';
import type { ProjectManifest } from '../model/manifest';
import { ownValue } from '../text/ownValue';
import type { SessionRef } from '../sessions/results';
import { sessionKey } from '../model/fields';

/** How a composition stands to its sources, as far as manifests tell. */
export interface Freshness {
  readonly isFresh: boolean;
  /** For people, one for each thing that is not as it was. */
  readonly reasons: readonly string[];
  /** Messages that came since, over all sessions. */
  readonly newMessages: number;
}

/** What stands for a version in a component that has none: it can be made again from the original. */
const NO_VERSIONS: ReadonlySet<string> = new Set(['original', 'keepits', 'fresh']);

/** Compares a composition with what its sources are now. */
export function freshnessOf(
  { components }: Pick<ComposedContextRecord, 'components'>,
  projectId: string,
  manifests: ReadonlyMap<string, ProjectManifest | undefined>,
): Freshness {
  const reasons: string[] = [];
  const covered = new Map<string, { messages: number; known: number }>();
  for (const { sessionId, versionId, messageRange, projectId: other = projectId } of components) {
    const sessions = manifests.get(other)?.sessions ?? {};
    const entry = ownValue(sessions, sessionId);
    if (entry === undefined) {
      reasons.push(`session ${sessionId} is no longer in memory`);
      continue;
    }
    if (!NO_VERSIONS.has(versionId) && !entry.compressions.some((version) => version.versionId === versionId)) {
      reasons.push(`version ${versionId} of session ${sessionId} was deleted`);
    }
    if (messageRange === undefined) continue;
    const key = sessionKey({ projectId: other, sessionId });
    const messages = Math.max(covered.get(key)?.messages ?? 0, messageRange[1] + 1);
    covered.set(key, { messages, known: entry.originalMessages });
  }
  let newMessages = 0;
  for (const [key, { messages, known }] of covered) {
    const fresh = Math.max(0, known - messages);
    newMessages += fresh;
    if (fresh > 0) reasons.push(`session ${key.slice(key.indexOf('/') + 1)} has ${fresh} more messages`);
  }
  return { isFresh: reasons.length === 0, reasons: [...new Set(reasons)], newMessages };
}

/** What became of a session in a composition that was made again. */
export interface ComponentChange extends SessionRef {
  readonly change: 'added' | 'removed' | 'changed' | 'same';
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Session by session, in the order of what there is now; what is gone comes last. */
export function changesBetween(
  before: Pick<ComposedContextRecord, 'components'>,
  after: Pick<ComposedContextRecord, 'components'>,
  projectId: string,
): ComponentChange[] {
  const [old, now] = [bySession(before, projectId), bySession(after, projectId)];
  const keys = [...new Set([...now.keys(), ...old.keys()])];
  return keys.flatMap((key) => {
    const ref = (now.get(key) ?? old.get(key))?.ref;
    return ref === undefined ? [] : [{ ...ref, ...changeOf(old.get(key), now.get(key)) }];
  });
}

interface SessionUse {
  readonly ref: SessionRef;
  readonly versions: string[];
  tokens: number;
}

function changeOf(was: SessionUse | undefined, is: SessionUse | undefined): Omit<ComponentChange, keyof SessionRef> {
  const { versions: before, tokens: tokensBefore } = was ?? NOT_THERE;
  const { versions: after, tokens: tokensAfter } = is ?? NOT_THERE;
  const figures = { before, after, tokensBefore, tokensAfter };
  if (was === undefined) return { change: 'added', ...figures };
  if (is === undefined) return { change: 'removed', ...figures };
  const isSame = before.join() === after.join() && tokensBefore === tokensAfter;
  return { change: isSame ? 'same' : 'changed', ...figures };
}

const NOT_THERE: Pick<SessionUse, 'versions' | 'tokens'> = { versions: [], tokens: 0 };

function bySession(
  { components }: Pick<ComposedContextRecord, 'components'>,
  projectId: string,
): Map<string, SessionUse> {
  const sessions = new Map<string, SessionUse>();
  for (const { sessionId, versionId, tokenContribution, projectId: other = projectId } of components) {
    const ref = { projectId: other, sessionId };
    const key = sessionKey(ref);
    const known = sessions.get(key) ?? { ref, versions: [], tokens: 0 };
    known.versions.push(versionId);
    known.tokens += tokenContribution;
    sessions.set(key, known);
  }
  return sessions;
}

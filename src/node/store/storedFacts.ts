import { composedContextRecordSchema } from '../../core/model/composition';
import { sessionVersionsSchema, type SessionVersions } from '../../core/model/compression';
import type { StoredFacts } from '../../core/model/manifestDocument';
import { upgrade } from '../../core/model/migrations';
import { sessionOfOriginal, type ProjectLayout } from './storeLayout';
import { readStoredJson } from './storedJson';
import { namesIn } from './folderFiles';

/** What lies in a project's folders, from which a lost manifest can be made again. Foreign files are passed over. */
export async function readStoredFacts(layout: ProjectLayout): Promise<StoredFacts> {
  const originals = await namesIn(layout.originals);
  const ids = new Set(originals.map(sessionOfOriginal).filter((sessionId) => sessionId !== undefined));
  const versionsById = new Map<string, SessionVersions>();
  for (const sessionId of await namesIn(layout.summaries)) {
    const { value } = (await readStoredJson(layout.root, layout.versions(sessionId))) ?? {};
    const checked = sessionVersionsSchema.safeParse(value);
    if (checked.success && upgrade(value, []).state !== 'newer') versionsById.set(sessionId, checked.data);
  }
  const sessions = [...new Set([...ids, ...versionsById.keys()])].sort().map((sessionId) => {
    const versions = versionsById.get(sessionId);
    return versions === undefined ? { sessionId } : { sessionId, versions };
  });
  const compositions: StoredFacts['compositions'] = [];
  for (const name of await namesIn(layout.composed)) {
    const checked = composedContextRecordSchema.safeParse(
      (await readStoredJson(layout.root, layout.composition(name)))?.value,
    );
    if (checked.success) compositions.push(checked.data);
  }
  return { sessions, compositions };
}

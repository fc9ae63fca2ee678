import type { FactsDocument, Looked } from '../model/layers';
import { withAnchors, type Whereabouts } from './facts/anchors';
import type { LayerDocuments, ProjectDocuments } from './layerDocuments';
import type { ProjectProbe } from './notes/projectProbe';

/** Where, and when, is looked for what facts name. */
interface AnchorPlace {
  readonly probe: Pick<ProjectProbe, 'find'>;
  /** The project's folder; '' when it is not known. */
  readonly root: string;
  readonly nowIso: string;
}

/** Facts with what they name looked for in the project, and what was found. */
export async function anchored(
  document: FactsDocument,
  before: Looked | undefined,
  { probe, root, nowIso }: AnchorPlace,
): Promise<{ facts: FactsDocument; looked: Looked | undefined }> {
  let looked = before;
  const find = async (names: readonly string[]): Promise<Whereabouts> => {
    looked = await probe.find(root, names, before);
    return new Map(Object.entries(looked.found));
  };
  return { facts: await withAnchors(document, find, nowIso.slice(0, 10)), looked };
}

/** Looks whether what facts name is still there, and writes down what has changed. */
export async function checkAnchors(
  documents: LayerDocuments,
  loaded: Pick<ProjectDocuments, 'facts' | 'state'>,
  place: AnchorPlace,
): Promise<void> {
  const { facts, looked } = await anchored(loaded.facts, loaded.state.looked, place);
  if (JSON.stringify(facts.permanent) !== JSON.stringify(loaded.facts.permanent)) await documents.saveFacts(facts);
  if (JSON.stringify(looked) !== JSON.stringify(loaded.state.looked))
    await documents.saveState({ ...loaded.state, looked });
}

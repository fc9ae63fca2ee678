import type { Log } from '../../model/host';
import type { SessionReading } from '../../model/sessionReading';
import type { SessionRef } from '../../sessions/results';
import { LayerDocuments } from '../layerDocuments';
import type { LayersService } from '../layersService';
import type { LayerFiles, LayerStore } from '../layerStore';

/** What a model noted of a session whose layers are in these files; undefined for one that none has read. */
export async function readingIn(files: LayerFiles, log: Log, sessionId: string): Promise<SessionReading | undefined> {
  const documents = new LayerDocuments(files, log, false);
  const file = await documents.fileOf(sessionId);
  return file === undefined ? undefined : documents.reading(file);
}

export interface ReadingsParts {
  readonly layerStore: LayerStore;
  readonly log: Log;
}

/** What a model noted of sessions, beside their layers. */
export class Readings {
  constructor(
    private readonly parts: ReadingsParts,
    private readonly layers: Pick<LayersService, 'enabledPlace' | 'status'>,
  ) {}

  /** Undefined for a session that none has read. */
  async get({ projectId, sessionId }: SessionRef): Promise<SessionReading | undefined> {
    const files = this.parts.layerStore.files(await this.layers.enabledPlace(projectId, 'read'));
    return readingIn(files, this.parts.log, sessionId);
  }

  /** As `get`, and undefined as well where nothing is to be known of the project. */
  async find(ref: SessionRef): Promise<SessionReading | undefined> {
    const { isEnabled, problem } = await this.layers.status(ref.projectId);
    return isEnabled && problem === undefined ? this.get(ref) : undefined;
  }

  /** Keeps what was noted of a session that is layered; building layers works with it. */
  async save({ projectId, sessionId }: SessionRef, reading: SessionReading): Promise<void> {
    await this.parts.layerStore.change(await this.layers.enabledPlace(projectId), async (files) => {
      const documents = new LayerDocuments(files, this.parts.log, true);
      const file = await documents.fileOf(sessionId);
      if (file !== undefined) await documents.saveReading(file, reading);
    });
  }
}

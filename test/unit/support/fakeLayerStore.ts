import type { LayerFiles, LayerPlace, LayerStore, PlaceReport } from '../../../src/core/knowledge/layerStore';

/** Layers in memory: a map of names to texts for each project. */
export class FakeLayerStore implements LayerStore {
  readonly places = new Map<string, Map<string, string>>();
  /** Foreign files, in the same way. */
  readonly others = new Map<string, Map<string, string>>();
  problem: PlaceReport['problem'];
  /** So many files can still be written; then the disk is full. */
  writesLeft = Infinity;

  async examine(place: LayerPlace): Promise<PlaceReport> {
    const dir = `/${place.location}/${place.projectId}`;
    return { dir, isExcluded: false, ...(this.problem !== undefined && { problem: this.problem }) };
  }

  async prepare(place: LayerPlace): Promise<PlaceReport> {
    this.texts(place);
    return this.examine(place);
  }

  async release(): Promise<void> {
    // Nothing outside of the map knows of a place.
  }

  async found(place: LayerPlace): Promise<LayerFiles> {
    return this.files(place);
  }

  async begin(): Promise<void> {
    // What is foreign is said by each test.
  }

  files(place: LayerPlace): LayerFiles {
    const texts = this.texts(place);
    const foreign = this.foreign(place);
    return {
      read: async (name) => texts.get(name),
      write: async (name, text) => {
        if (this.writesLeft <= 0) throw new Error(`No space left for ${name}`);
        this.writesLeft -= 1;
        texts.set(name, text);
      },
      names: async (folder) => {
        const below = folder === '' ? '' : `${folder}/`;
        const inside = [...texts.keys()].filter((name) => name.startsWith(below));
        return [...new Set(inside.map((name) => name.slice(below.length).split('/')[0] ?? ''))];
      },
      stat: async (name) => {
        const text = texts.get(name);
        return text === undefined ? undefined : { bytes: text.length, mtimeMs: 0 };
      },
      setAside: async (name) => {
        texts.set(`${name}.corrupt`, texts.get(name) ?? '');
        return `${name}.corrupt`;
      },
      move: async (from, to) => {
        texts.set(to, texts.get(from) ?? '');
        texts.delete(from);
      },
      remove: async (name) => void texts.delete(name),
      foreign: async () => [...foreign.keys()].sort(),
      readForeign: async (name) => foreign.get(name),
      accept: async (name, text) => {
        if (foreign.get(name) !== text) return false;
        texts.set(name, text);
        return foreign.delete(name);
      },
      disown: async (name, text) => {
        foreign.set(name, text);
        texts.delete(name);
      },
    };
  }

  async change<T>(place: LayerPlace, work: (files: LayerFiles) => Promise<T>): Promise<T> {
    return work(this.files(place));
  }

  /** The files of a project, by name. */
  texts(place: Pick<LayerPlace, 'projectId' | 'room'>): Map<string, string> {
    return textsIn(this.places, place);
  }

  /** Those that were not written by this memory. */
  foreign(place: Pick<LayerPlace, 'projectId' | 'room'>): Map<string, string> {
    return textsIn(this.others, place);
  }
}

function textsIn(
  places: Map<string, Map<string, string>>,
  { projectId, room }: Pick<LayerPlace, 'projectId' | 'room'>,
): Map<string, string> {
  const name = room === undefined ? projectId : `${projectId} ${room}`;
  const known = places.get(name) ?? new Map<string, string>();
  places.set(name, known);
  return known;
}

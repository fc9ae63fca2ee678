import { foreignFiles, type ForeignNote } from '../foreignFiles';
import type { LayerPlace, LayerStore } from '../layerStore';
import { STATE } from './noteFiles';

/** A note that this memory did not write, as it was looked at. Plain data. */
export interface ForeignNoteText extends ForeignNote {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** What was accepted. */
export interface AcceptedNotes {
  readonly accepted: readonly ForeignNoteText[];
  /** They say something else by now, and are still foreign. */
  readonly changed: readonly ForeignNoteText[];
}

/** The foreign notes of a project: those of its notebook, and those beside its layers. `place` is that of the layers. */
export async function readForeignNotes(layerStore: LayerStore, place: LayerPlace): Promise<ForeignNoteText[]> {
  const roomOf = (room: ForeignNote['room']): LayerPlace => placeOf(place, room);
  const files = { layers: layerStore.files(roomOf('layers')), notebook: layerStore.files(roomOf('notebook')) };
  const found: ForeignNoteText[] = [];
  for (const note of (await foreignFiles(files.layers, files.notebook)).notes) {
    const { dir } = await layerStore.examine(roomOf(note.room));
    const text = await files[note.room].readForeign(note.name);
    if (text !== undefined) found.push({ ...note, file: `${dir}/${note.name}`, text });
  }
  return found;
}

/** From now on these notes count as written by this memory, if they still say what they did. */
export async function acceptNotes(
  layerStore: LayerStore,
  place: LayerPlace,
  notes: readonly ForeignNoteText[],
): Promise<AcceptedNotes> {
  const accepted: ForeignNoteText[] = [];
  const changed: ForeignNoteText[] = [];
  for (const room of ['layers', 'notebook'] as const) {
    const own = notes.filter((note) => note.room === room);
    if (own.length === 0) continue;
    await layerStore.change(placeOf(place, room), async (files) => {
      for (const note of own) {
        const isSame = await files.accept(note.name, note.text);
        (isSame ? accepted : changed).push(note);
        // With the notes of a scope goes what is remembered of them.
        const state = note.name.replace(/(?:(?:conversations|archive)\/)?[^/]+$/, STATE);
        const text = isSame && room === 'notebook' ? await files.readForeign(state) : undefined;
        if (text !== undefined) await files.accept(state, text);
      }
    });
  }
  return { accepted, changed };
}

/** Takes `acceptNotes` back. */
export async function disownNotes(
  layerStore: LayerStore,
  place: LayerPlace,
  notes: readonly ForeignNoteText[],
): Promise<void> {
  for (const room of ['layers', 'notebook'] as const) {
    const own = notes.filter((note) => note.room === room);
    if (own.length === 0) continue;
    await layerStore.change(placeOf(place, room), async (files) => {
      for (const { name, text } of own) await files.disown(name, text);
    });
  }
}

function placeOf(place: LayerPlace, room: ForeignNote['room']): LayerPlace {
  return { ...place, room: room === 'notebook' ? room : undefined };
}

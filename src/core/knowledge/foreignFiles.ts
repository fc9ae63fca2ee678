import { joinParts, plural } from '../text/formats';
import type { FactView } from './facts/factViews';
import type { LayerFiles } from './layerStore';

/** Where a foreign file goes that stands in the way. */
export const FOREIGN_ARCHIVE = 'archive/foreign';

/** Which folder a note is in: that of the layers, or the notebook. */
type NoteRoom = 'layers' | 'notebook';

export interface ForeignNote {
  readonly room: NoteRoom;
  /** Relative to the room. */
  readonly name: string;
}

/** What lies in a project and was not written by this memory. */
export interface ForeignFound {
  /** They wait for the user's word. */
  readonly facts: readonly FactView[];
  /** Of both rooms. */
  readonly notes: readonly ForeignNote[];
  /** The names of files of sessions. */
  readonly sessions: readonly string[];
}

/** Where an enabled project's own and foreign files are told apart. */
interface EnabledLayers {
  status(projectId: string): Promise<{ readonly isEnabled: boolean }>;
  foreign(projectId: string): Promise<ForeignFound>;
}

export const NOTHING_FOREIGN: ForeignFound = { facts: [], notes: [], sessions: [] };

/** A file of the rolling memory, or one that people and models write as a whole. */
const NOTE = /^(?:[^/]+\.md|memory_[^/]+\.summary\.json)$/;

/** Whether a file beside the layers is a note. */
export function isNote(name: string): boolean {
  return NOTE.test(name);
}

/** The foreign files that people can be shown; what only leads from one file to another is none of them. */
export async function foreignFiles(layers: LayerFiles, notebook: LayerFiles): Promise<Omit<ForeignFound, 'facts'>> {
  const beside = await layers.foreign();
  const notes = (await notebook.foreign()).filter((name) => name.endsWith('.md'));
  return {
    notes: [
      ...beside.filter(isNote).map((name) => ({ room: 'layers' as const, name })),
      ...notes.map((name) => ({ room: 'notebook' as const, name })),
    ],
    sessions: beside.filter((name) => name.startsWith('sessions/')),
  };
}

/** How much an enabled project holds that is not from its user, for people; undefined where it holds nothing. */
export async function foreignTextIn(layers: EnabledLayers, projectId: string): Promise<string | undefined> {
  return (await layers.status(projectId)).isEnabled ? foreignText(await layers.foreign(projectId)) : undefined;
}

/** How much was found, for people; undefined where nothing was. */
export function foreignText({ facts, notes, sessions }: ForeignFound): string | undefined {
  const parts = [
    facts.length > 0 && plural(facts.length, 'fact'),
    notes.length > 0 && plural(notes.length, 'note'),
    sessions.length > 0 && plural(sessions.length, 'file of sessions', 'files of sessions'),
  ];
  return joinParts(parts, ', ') || undefined;
}

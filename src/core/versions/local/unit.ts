import type { Role } from '../../transcript/types';

/** What a unit is to a reader. */
export type UnitKind =
  | 'sentence'
  | 'item'
  | 'heading'
  | 'code'
  /** A condensed tool step: what was done to what, and what came of it. */
  | 'step'
  /** Lines out of a step's input or result; only ever shown below its step. */
  | 'detail';

/** The smallest thing that is kept or left out as a whole, but for one that is clipped to hit a target. */
export interface Unit {
  readonly kind: UnitKind;
  readonly role: Role;
  readonly text: string;
  /** The messages that it came from, ascending; the first is where it stands. */
  readonly messages: readonly number[];
  /** Units of one message with the same number stood in one paragraph, list item or code block. */
  readonly paragraph: number;
  /** What the unit is worth before anything is known of the others; 0 for what is never shown. */
  readonly merit: number;
  /** What has to be said first, as an index of the list of units: the step that a detail belongs to. */
  readonly parent?: number;
  /** The heading or the sentence that leads in to it: worth saying once something below it is said, and not before. */
  readonly heading?: number;
  /** For a step on a file: what was done, so that neighbours can share the word. */
  readonly verb?: string;
  /** The first sentence of what opens an episode. */
  readonly isOpening?: boolean;
  /** Tells how things are to be, and can be superseded by a later one. */
  readonly isRule?: boolean;
  /** A heading, or words that only lead in to what follows. */
  readonly isLead?: boolean;
  /** For a list item: how many items it stands in. */
  readonly depth?: number;
  /** For code: what stood after the opening fence. */
  readonly language?: string | undefined;
}

/** A unit while its episode goes on; its details come after it. */
export interface UnitDraft {
  readonly unit: Omit<Unit, 'parent' | 'heading'>;
  /** The draft of the heading that it stands under. */
  readonly heading?: UnitDraft | undefined;
  readonly details: readonly Omit<Unit, 'parent' | 'heading'>[];
}

/** Everything that a version could say, in the order of the session. */
export interface UnitList {
  readonly units: readonly Unit[];
  /** The episode of each unit: a human's request with everything up to the next one. */
  readonly episodes: readonly number[];
}

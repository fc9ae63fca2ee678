/** Four characters of a transcript that are to become four others. */
export interface WeightOverwrite {
  /** The file as it was when the edit was prepared: one that has changed since is left alone. */
  readonly seen: { readonly bytes: number; readonly mtimeMs: number };
  /** The JSON string that holds the marker, byte for byte as it was read, and where it begins in the file. */
  readonly literal: { readonly offset: number; readonly bytes: Uint8Array };
  /** Where in the literal the weight begins. */
  readonly weightAt: number;
  /** Both of the form `0.50`. */
  readonly before: string;
  readonly after: string;
}

/**
 * The one writer below Claude Code's folder: it changes the weight of a marker, in place, after a person has asked for that
 * by name (seed 000, 5.4).
 */
export interface TranscriptEditor {
  /**
   * Verifies what is there, writes, and verifies what it wrote. The file's date becomes a millisecond later than it was: Claude
   * Code's clean-up goes by dates, and so does everybody who has read the file and is to notice. Throws `TranscriptEditError`: nothing was written then, unless the disk itself failed.
   */
  overwriteWeight(path: string, edit: WeightOverwrite): Promise<void>;
}

/** What a document may name. */
export interface House {
  /** npm scripts. */
  scripts: ReadonlySet<string>;
  /** Ids of commands, settings and views. */
  ids: ReadonlySet<string>;
  /** Titles of commands as the palette shows them. */
  titles: ReadonlySet<string>;
  /** Names at the top of the repository: what begins with one of them is taken for a path. */
  topLevel: ReadonlySet<string>;
  /** Whether there is such a file or folder in the repository. */
  exists(path: string): boolean;
  /** Whether a test file has a test whose name holds these words. */
  hasTest(path: string, words: string): boolean;
}

export declare function docProblems(file: string, text: string, house: House): string[];

import type { Looked } from '../../model/layers';

/** A text of the project, by its name relative to the project's folder. */
export interface ProjectText {
  readonly file: string;
  readonly text: string;
}

export interface ProjectCommit {
  /** `2026-01-15`. */
  readonly date: string;
  readonly subject: string;
}

/** What of a project is compared with what was said about it. */
export interface ProjectLook {
  /** README and what is in `_docs/`, shortened where it is long. */
  readonly docs: readonly ProjectText[];
  /** Files that name the packages that are used. */
  readonly manifests: readonly ProjectText[];
  /** Of the paths that were asked for, those at which nothing is. */
  readonly missing: readonly string[];
  /** The latest first; absent where there is no repository, or no git to ask. */
  readonly commits?: readonly ProjectCommit[];
}

/** Looks at a project's folder; changes nothing there. */
export interface ProjectProbe {
  /** A folder that is not there has nothing in it, and then no path is missing. */
  look(projectPath: string, paths: readonly string[], signal?: AbortSignal): Promise<ProjectLook>;
  /**
   * Files by their paths, and scripts, packages, ports and symbols as anchors name them. What only git can tell is asked again after something
   * has changed in the repository since it was last looked.
   */
  find(projectPath: string, names: readonly string[], before?: Looked): Promise<Looked>;
}

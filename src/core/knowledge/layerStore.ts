import { expectedFailure } from '../text/keepitError';
import type { Looked } from '../model/layers';
import { baseName } from '../text/formats';

/** Where the layers of a project are kept. */
export interface LayerPlace {
  readonly projectId: string;
  /** The project's own folder; '' when it is not known. */
  readonly projectPath: string;
  /** `project`: `<project>/.claude/memory`; `home`: in the project's folder in the store. */
  readonly location: 'project' | 'home';
  /** The notebook instead of the layers: `<project>/_memory`, or `notebook` in the store. */
  readonly room?: 'notebook' | undefined;
}

/** What would have to be done to keep layers at a place; nothing was done for it. */
export interface PlaceReport {
  /** Absolute. */
  readonly dir: string;
  /** Why nothing can be kept there. */
  readonly problem?: 'no-folder' | 'not-writable';
  /** The file in which git is told to pass over the folder; absent outside of a repository. */
  readonly excludeFile?: string;
  /** The line that is, or would be, in it. */
  readonly excludeLine?: string;
  readonly isExcluded: boolean;
}

/** The files of one folder, whoever wrote them. Names are relative, with `/`; none leads out of the folder. */
export interface PlainFiles {
  /** Undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  /** In one step: others see the old content or the new one. */
  write(name: string, text: string): Promise<void>;
  /** The names in a folder; '' is the place itself. Empty when there is none. */
  names(folder: string): Promise<string[]>;
  /** Bytes and date; undefined when there is none. */
  stat(name: string): Promise<{ bytes: number; mtimeMs: number } | undefined>;
  /** Gives a damaged file another name, so that a new one can be written; returns that name. */
  setAside(name: string): Promise<string>;
  /** Moves a file to another name, whose folder is made. */
  move(from: string, to: string): Promise<void>;
  /** Takes a file away; one that is not there is none the less gone. */
  remove(name: string): Promise<void>;
}

/**
 * The files of one place as this memory wrote them, with what people edited in them here. A file that came from elsewhere, with a clone or
 * a pull, is foreign: it is hidden from all of `PlainFiles`, which shows what this memory last wrote in its place, if it keeps that. Writing
 * moves a foreign file to `archive/foreign`.
 */
export interface LayerFiles extends PlainFiles {
  /** The names of foreign files, sorted; without archives. */
  foreign(): Promise<string[]>;
  /** Undefined when there is no such file, or it is not foreign. */
  readForeign(name: string): Promise<string | undefined>;
  /** A foreign file counts as this memory's own from now on. Refused with false when it does not hold these words any more. */
  accept(name: string, text: string): Promise<boolean>;
  /** Takes `accept` back. */
  disown(name: string, text: string): Promise<void>;
}

/** The layers on disk. Called only for projects for which somebody has enabled them, but for `examine`, `begin` and `found`. */
export interface LayerStore {
  /** Writes nothing. */
  examine(place: LayerPlace): Promise<PlaceReport>;
  /** For looking at the place of a project that is not enabled: what is there is foreign, unless it was enabled before. */
  found(place: LayerPlace): Promise<LayerFiles>;
  /** Called before a project is enabled: from now on it is known what this memory writes, and what is there already is foreign. */
  begin(place: LayerPlace): Promise<void>;
  /** Makes the folder, and tells git to pass over it unless it is to be shared. Throws `StoreError`. */
  prepare(place: LayerPlace, options: { shared: boolean }): Promise<PlaceReport>;
  /** Takes back what `prepare` told git, and the folder if nothing is in it. */
  release(place: LayerPlace): Promise<void>;
  /** For reading; takes no lock. */
  files(place: LayerPlace): LayerFiles;
  /** Reads and writes while nobody else does. Throws `StoreError`. */
  change<T>(place: LayerPlace, work: (files: LayerFiles) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Layers that cannot be read, built or changed as was asked. What was there before is still there. */
export class LayersError extends expectedFailure('layers-', {
  'not-enabled': (project) => ({
    message: `Layers are not enabled for ${project}.`,
    hint: '`keepit layers enable` says what would be written and where; nothing is written before.',
  }),
  'no-project': () => ({
    message: 'It is asked of one project; none was named, and Claude Code has had no session in this folder.',
    hint: 'Call it where you use Claude Code, or name one with --project: `keepit discover --all-projects` lists them.',
  }),
  'no-folder': (path) => ({
    message: `The project's folder ${path === '' ? 'is not known' : `${path} is not there`}.`,
    hint: '`keepit layers enable --location home` keeps the layers in the store instead.',
  }),
  'not-writable': (path) => ({
    message: `${path} cannot be written to.`,
    hint: '`keepit layers enable --location home` keeps the layers in the store instead.',
  }),
  'unknown-fact': (id) => ({ message: `There is no fact ${id}.`, hint: '`keepit facts --all` lists all of them.' }),
  'empty-fact': (id) => ({
    message: `Fact ${id} cannot be left without words.`,
    hint: `\`keepit fact forget ${id}\` takes it out.`,
  }),
  'queue-full': (count) => ({
    message: `${count} proposed facts wait for a word already.`,
    hint: '`keepit facts --review` lists them; confirm or reject some first.',
  }),
  newer: (file) => ({
    message: `${file} was written by a newer Keepit.`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  'not-built': (layer) => ({
    message: `There is no ${layer} yet.`,
    hint: '`keepit layers build` builds the layers.',
  }),
  'not-promotable': (id) => ({
    message: `${id} is no rule or decision that you stated or confirmed.`,
    hint: '`keepit facts` lists them; `keepit fact confirm ID` confirms one that is proposed.',
  }),
  'not-text': (file) => ({
    message: `${file} is no UTF-8 text.`,
    hint: 'Save it as UTF-8; nothing was changed.',
  }),
  'reading-busy': () => ({
    message: 'Another process has sessions read already.',
    hint: 'Wait until it is done; one at a time asks a model.',
  }),
}) {}

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

/** A notebook that cannot be read or written as was asked. What was there before is still there. */
export class NotebookError extends expectedFailure('notebook-', {
  'no-master': (file) => ({
    message: `There is no ${file} yet.`,
    hint: '`keepit summarize` writes summaries of sessions, and `keepit synthesize` makes it of them.',
  }),
  'foreign-master': (count) => ({
    message: `There is no memory of this project yet, but what was found in it and is not yours: ${count}.`,
    hint: '`keepit notebook accept --dry-run` shows it, and `keepit notebook accept` takes it over.',
  }),
  'bad-scope': (scope) => ({
    message: `${JSON.stringify(scope)} cannot be the name of a scope.`,
    hint: 'A scope is a plain name such as frontend; it becomes a folder of the notebook.',
  }),
  'no-summaries': (folder) => ({
    message: `There are no summaries in ${folder}.`,
    hint: '`keepit summarize <session>` writes one.',
  }),
  'nothing-said': (sessionId) => ({
    message: `Nothing was said in ${sessionId}: there is nothing to summarize.`,
    hint: '`keepit show` tells how its transcript was read.',
  }),
  'not-an-archive': (file) => ({
    message: `${file} is no exported notebook.`,
    hint: '`keepit notebook export` writes one.',
  }),
  'damaged-archive': (file) => ({
    message: `${file} is damaged: its checksum is not that of what it holds. Nothing was changed.`,
    hint: 'Export the notebook again.',
  }),
  differs: (names) => ({
    message: `The notebook has other texts already: ${names}. Nothing was changed.`,
    hint: '`--merge` keeps those, `--replace` moves them into the archive.',
  }),
  changed: (folder) => ({
    message: `${folder} was changed while what is to be written was looked at. Nothing was written.`,
    hint: '`keepit synthesize` shows what would be written now.',
  }),
  'changed-since': (file) => ({
    message: `${baseName(file)} was changed since it was written. Nothing was taken back.`,
    hint: 'What was put into it would be lost: change it by hand.',
  }),
}) {}

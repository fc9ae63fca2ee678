import type { OnProgress } from './sessions/results';
import type { Formats } from './text/formats';
import { expectedFailure } from './text/keepitError';

/** What is to be put into an archive. */
export interface ExportRequest {
  /** An absolute path; nothing may be there. */
  readonly file: string;
  /** All projects when absent. */
  readonly projectId?: string | undefined;
  /** Only these sessions, without compositions and knowledge. */
  readonly sessionIds?: readonly string[] | undefined;
  /** Who does not know it cannot read the archive. */
  readonly passphrase?: string | undefined;
}

export interface Exported {
  readonly file: string;
  readonly bytes: number;
  readonly files: number;
  readonly projects: readonly {
    readonly projectId: string;
    readonly sessions: number;
    readonly compositions: number;
  }[];
}

export interface ImportRequest {
  readonly file: string;
  readonly isDryRun?: boolean;
  /** What is there already and another, goes to the trash for what the archive has. */
  readonly replaces?: boolean;
  /** For an archive that is encrypted. */
  readonly passphrase?: string | undefined;
  /** Where the folders of its projects are on this machine, by the ids that they have in the archive. */
  readonly folders?: Readonly<Record<string, string>> | undefined;
}

/** What an import brings into one project, or would bring. */
export interface ImportedProject {
  readonly projectId: string;
  /** What it was called where it was exported. */
  readonly from: string;
  readonly originalPath: string;
  /** What it was known by here: `nothing` where its folder is not on this machine, and it keeps its path. */
  readonly knownBy: 'folder' | 'remote' | 'name' | 'answer' | 'nothing';
  readonly sessions: Merged;
  readonly versions: Merged;
  /** Weights and marks that people gave, of sessions that are here already. */
  readonly keepits: Merged;
  readonly compositions: Merged;
  readonly links: Merged;
  /** Layers and notes: `kept` where the project has some of its own, which stay as they are. */
  readonly knowledge: 'added' | 'kept' | 'none';
}

export interface Merged {
  readonly added: string[];
  readonly same: string[];
  readonly conflicts: Conflict[];
}

/** Something that is there already, and another. */
interface Conflict {
  readonly name: string;
  readonly reason: string;
}

export interface Imported {
  readonly projects: readonly ImportedProject[];
  readonly isDone: boolean;
}

/** Memory as one file, to be taken to another machine. */
export interface TransferStore {
  /** A failure leaves no file. */
  export(request: ExportRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Exported>;
  /** Reads and verifies all of it before anything is changed; it comes in whole, or not at all. */
  import(request: ImportRequest, onProgress?: OnProgress, signal?: AbortSignal): Promise<Imported>;
}

/** What is here and another, and stays unless it is replaced. */
export function conflictsOf({ sessions, versions, keepits, compositions, links }: ImportedProject): string[] {
  return [sessions, versions, keepits, compositions, links].flatMap(({ conflicts }) =>
    conflicts.map(({ name, reason }) => `${name}: ${reason}`),
  );
}

/** `2 sessions, 1 version, layers and notes` */
export function importedText(project: ImportedProject, formats: Formats): string {
  const parts = (['session', 'version', 'keepit', 'composition', 'link'] as const)
    .map((noun) => [noun, project[`${noun}s`].added.length] as const)
    .filter(([, count]) => count > 0)
    .map(([noun, count]) => formats.plural(count, noun));
  if (project.knowledge === 'added') parts.push('layers and notes');
  return parts.length === 0 ? 'nothing new' : parts.join(', ');
}

/** Memory could not be written into an archive, or read from one. Nothing was changed. */
export class TransferError extends expectedFailure('', {
  'file-there': (file) => ({ message: `${file} is there already.`, hint: 'Choose another name, or remove the file.' }),
  'no-archive': (file) => ({
    message: `${file} is no archive of Keepit.`,
    hint: 'Name a file that `keepit export` has written.',
  }),
  'no-passphrase': (file) => ({
    message: `${file} is encrypted.`,
    hint: '`--passphrase-file F` names a file that holds its passphrase.',
  }),
  'wrong-passphrase': (file) => ({
    message: `The passphrase does not open ${file}.`,
    hint: 'Nothing was changed; try the one that it was exported with.',
  }),
  'damaged-archive': (what) => ({
    message: `The archive is damaged: ${what}.`,
    hint: 'Nothing was changed; export it again, or copy it once more.',
  }),
  'newer-archive': (what) => ({
    message: `The archive was written by a newer Keepit (${what}).`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  'nothing-to-export': (what) => ({
    message: `Nothing is kept of ${what}.`,
    hint: '`keepit sessions --all-projects` lists what there is.',
  }),
}) {}

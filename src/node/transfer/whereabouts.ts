import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { NewProject } from '../../core/model/manifest';
import { projectFolderName } from '../../core/sessions/projectNames';
import { ownValue } from '../../core/text/ownValue';
import type { ImportedProject, ImportRequest } from '../../core/memoryPorts';
import type { StoreEraser } from '../forgetting/storeEraser';
import type { Contents } from './archiveFile';
import { type ExporterParts, repositoryName, repositoryOf } from './exportArchive';

export interface TransferParts extends ExporterParts {
  readonly forgetting: Pick<StoreEraser, 'clean'>;
  /** All projects of this machine, in memory or not. */
  readonly projects: () => Promise<readonly NewProject[]>;
}

/** Where the projects of an archive are on this machine. */
export class Whereabouts {
  /** No two projects of an archive become one. */
  readonly #taken = new Set<string>();
  #here: Promise<readonly NewProject[]> | undefined;

  constructor(
    private readonly parts: TransferParts,
    private readonly folders: ImportRequest['folders'],
  ) {}

  /** By what a person says, by its folder, by what git calls its origin, by a name that only one project has here; else it keeps its path. */
  async of(listed: Contents['projects'][number]): Promise<NewProject & Pick<ImportedProject, 'knownBy'>> {
    const { projectId, originalPath, displayName } = listed;
    const own = { projectId, originalPath, displayName };
    const answer = ownValue(this.folders, projectId);
    if (answer !== undefined) return this.take(at(answer, displayName), 'answer', own);
    const isKnown = (await this.parts.store.listProjects()).includes(projectId);
    if (isKnown || (await isFolder(originalPath))) return this.take(own, 'folder', own);
    const here = await (this.#here ??= this.parts.projects());
    const byRemote = await this.byRemote(listed, here);
    if (byRemote !== undefined) return this.take(byRemote, 'remote', own);
    const [named, ...more] = here.filter((one) => one.displayName === displayName);
    return named === undefined || more.length > 0 ? this.take(own, 'nothing', own) : this.take(named, 'name', own);
  }

  private take(
    place: NewProject,
    knownBy: ImportedProject['knownBy'],
    own: NewProject,
  ): NewProject & Pick<ImportedProject, 'knownBy'> {
    const isFree = !this.#taken.has(place.projectId);
    const { projectId, originalPath, displayName } = isFree ? place : own;
    this.#taken.add(projectId);
    return { projectId, originalPath, displayName, knownBy: isFree ? knownBy : 'nothing' };
  }

  /** The same folder of the same repository. */
  private async byRemote(
    { remote, below = '', displayName }: Contents['projects'][number],
    here: readonly NewProject[],
  ): Promise<NewProject | undefined> {
    if (remote === undefined) return undefined;
    for (const { originalPath: folder } of [...here, at(process.cwd(), '')]) {
      const there = await repositoryOf(folder);
      if (there === undefined || repositoryName(there.remote) !== repositoryName(remote)) continue;
      const found = path.join(there.root, below);
      if (await isFolder(found))
        return here.find(({ originalPath }) => originalPath === found) ?? at(found, displayName);
    }
    return undefined;
  }
}

function at(folder: string, displayName: string): NewProject {
  return { projectId: projectFolderName(folder), originalPath: folder, displayName };
}

async function isFolder(folder: string): Promise<boolean> {
  if (!path.isAbsolute(folder)) return false;
  const stats = await stat(folder).catch(() => undefined); // one that cannot be looked at is none
  return stats?.isDirectory() === true;
}

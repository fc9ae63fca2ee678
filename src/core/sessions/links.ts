import { type Clock, manifestsIn, type MemoryStore } from '../model/host';
import type { ProjectManifest, MemoryLink } from '../model/manifest';
import { oneLine } from '../text/cleanText';
import { hash64 } from '../text/hash64';
import { expectedFailure } from '../text/keepitError';
import { ownValue } from '../text/ownValue';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { SessionLookupError } from './sessionLookupError';
import { titleOf } from '../text/formats';

/** A link, with the names that people know both ends by. */
export interface SharedMemoryLink extends MemoryLink {
  readonly sourceName: string;
  readonly sourceTitle?: string | undefined;
  readonly targetProject: string;
  readonly targetName: string;
}

export interface LinkRequest {
  readonly sourceProject: string;
  readonly sourceSession?: string | undefined;
  readonly targetProject: string;
  readonly reason: string;
}

/** Two projects in sub-folders of one repository: they may want to know of each other. */
export type ProposedLink = Pick<SharedMemoryLink, 'sourceProject' | 'sourceName' | 'targetProject' | 'reason'>;

const REASON_LENGTH = 200;
const ID_LENGTH = 8;

/** Which sessions and projects belong to the work of another project (seed 000, 7.2). */
export class Links {
  constructor(
    private readonly parts: { readonly store: MemoryStore; readonly clock: Clock; readonly claude: ClaudeFolder },
  ) {}

  /** Those that lead to a project or come from it, of all projects when it is absent; and what else could be linked to it. */
  async list(projectId?: string): Promise<{ links: SharedMemoryLink[]; proposed: ProposedLink[] }> {
    const manifests = await this.manifests();
    const all = [...manifests.values()].flatMap((target) =>
      linksOf(target).map((link) => viewOf(link, target, manifests.get(link.sourceProject))),
    );
    const links = all.filter((one) => projectId === undefined || ends(one).includes(projectId));
    const target = manifests.get(projectId ?? '');
    return { links, proposed: target === undefined ? [] : await this.proposed(target, manifests, links) };
  }

  /** A link that is there already gets the new reason. Throws `LinkError`, and `SessionLookupError` for a session that is not in memory. */
  async add({ sourceProject, sourceSession, targetProject, reason }: LinkRequest): Promise<SharedMemoryLink> {
    const { store, clock } = this.parts;
    const [source, target] = [await store.readManifest(sourceProject), await store.readManifest(targetProject)];
    if (sourceProject === targetProject) throw new LinkError('to-itself', targetProject);
    if (target === undefined) throw new LinkError('not-in-memory', targetProject);
    if (source === undefined) throw new LinkError('not-in-memory', sourceProject);
    if (sourceSession !== undefined && ownValue(source.sessions, sourceSession) === undefined)
      throw new SessionLookupError('not-registered', sourceSession);
    const linkId = linkIdOf({ sourceProject, sourceSession, targetProject });
    const linkedAt = clock.now().toISOString();
    const link = { linkId, sourceProject, sourceSession, linkedAt, reason: oneLine(reason, REASON_LENGTH) };
    const changed = await store.updateManifest(target, (manifest) => ({
      ...manifest,
      links: [...linksOf(manifest).filter((one) => one.linkId !== linkId), link],
    }));
    return viewOf(link, changed, source);
  }

  /** What it was. Throws `LinkError` for an id that no link has. */
  async remove(linkId: string): Promise<SharedMemoryLink> {
    const { links } = await this.list();
    const link = links.find((one) => one.linkId === linkId);
    if (link === undefined) throw new LinkError('unknown', linkId);
    const { targetProject: projectId, targetName: displayName } = link;
    const target = { projectId, displayName, originalPath: '' };
    await this.parts.store.updateManifest(target, (manifest) => ({
      ...manifest,
      links: linksOf(manifest).filter((one) => one.linkId !== linkId),
    }));
    return link;
  }

  private async manifests(): Promise<Map<string, ProjectManifest>> {
    const manifests = await manifestsIn(this.parts.store);
    return new Map(manifests.map((manifest) => [manifest.projectId, manifest]));
  }

  private async proposed(
    target: ProjectManifest,
    manifests: ReadonlyMap<string, ProjectManifest>,
    links: readonly SharedMemoryLink[],
  ): Promise<ProposedLink[]> {
    const repository = await this.parts.claude.repositoryOf(target.originalPath);
    if (repository === undefined) return [];
    const proposed: ProposedLink[] = [];
    for (const { projectId, originalPath, displayName } of manifests.values()) {
      if (projectId === target.projectId || links.some((link) => ends(link).includes(projectId))) continue;
      if ((await this.parts.claude.repositoryOf(originalPath)) !== repository) continue;
      const reason = 'In the same repository';
      proposed.push({ sourceProject: projectId, sourceName: displayName, targetProject: target.projectId, reason });
    }
    return proposed;
  }
}

/** What leads to a project. */
export function linksOf(manifest: Pick<ProjectManifest, 'links'> | undefined): readonly MemoryLink[] {
  return manifest?.links ?? [];
}

function ends({ sourceProject, targetProject }: SharedMemoryLink): string[] {
  return [sourceProject, targetProject];
}

function viewOf(link: MemoryLink, target: ProjectManifest, source: ProjectManifest | undefined): SharedMemoryLink {
  const { sourceProject, sourceSession = '' } = link;
  const session = ownValue(source?.sessions, sourceSession);
  return {
    ...link,
    sourceName: source?.displayName ?? sourceProject,
    sourceTitle: session && titleOf({ title: session.metadata.title ?? '', sessionId: sourceSession }),
    targetProject: target.projectId,
    targetName: target.displayName,
  };
}

/** The same for the same two ends, on every machine. */
export function linkIdOf({ sourceProject, sourceSession = '', targetProject }: Omit<LinkRequest, 'reason'>): string {
  return hash64([sourceProject, sourceSession, targetProject].join('\n')).slice(0, ID_LENGTH);
}

/** A link that cannot be, or is not there. */
export class LinkError extends expectedFailure('link-', {
  'to-itself': (project) => ({
    message: `${project} knows its own sessions: nothing was linked.`,
    hint: 'Name the other project with `--to`.',
  }),
  'not-in-memory': (project) => ({
    message: `Nothing is in memory of ${project}.`,
    hint: '`keepit register` takes sessions in.',
  }),
  unknown: (id) => ({ message: `There is no link ${JSON.stringify(id)}.`, hint: '`keepit links` lists them.' }),
}) {}

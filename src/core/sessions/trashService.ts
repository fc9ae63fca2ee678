import type { Clock } from '../model/host';
import type { MemoryStore, TrashItem } from '../model/memoryStore';

/** What waits in the trash of one project. */
export interface ProjectTrash {
  readonly projectId: string;
  /** The oldest first. */
  readonly items: readonly TrashItem[];
  readonly bytes: number;
}

/** What was taken out of memory and can still be brought back, and its end. */
export class TrashService {
  constructor(private readonly parts: { readonly store: MemoryStore; readonly clock: Clock }) {}

  /** Of all projects, or of one; those whose trash is empty are left out. */
  async list(projectId?: string): Promise<ProjectTrash[]> {
    const { store } = this.parts;
    const found: ProjectTrash[] = [];
    for (const id of await this.projectIds(projectId)) found.push(trashOf(id, await store.trashed(id)));
    return found.filter(({ items }) => items.length > 0);
  }

  /** Deletes for good what was discarded so many days ago or longer, everything when `days` is absent; tells what that was. Nothing brings it back. */
  async empty(projectId?: string, days = 0): Promise<ProjectTrash[]> {
    const { store, clock } = this.parts;
    const before = daysBefore(clock.now(), days);
    const emptied: ProjectTrash[] = [];
    for (const { projectId: id } of await this.list(projectId)) {
      emptied.push(trashOf(id, await store.emptyTrash(id, before)));
    }
    return emptied.filter(({ items }) => items.length > 0);
  }

  private async projectIds(projectId?: string): Promise<string[]> {
    return projectId === undefined ? this.parts.store.listProjects() : [projectId];
  }
}

/** How much there is, over all projects. */
export function trashTotals(trash: readonly ProjectTrash[]): { items: number; bytes: number } {
  return {
    items: trash.reduce((sum, { items }) => sum + items.length, 0),
    bytes: trash.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function trashOf(projectId: string, items: readonly TrashItem[]): ProjectTrash {
  return { projectId, items, bytes: items.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The ISO time so many days before `now`; the beginning of time as computers have it where that is longer ago. */
export function daysBefore(now: Date, days: number): string {
  return new Date(Math.max(0, now.getTime() - days * DAY_MS)).toISOString();
}

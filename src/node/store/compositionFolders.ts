import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { armedContextSchema, type ArmedContext } from '../../core/model/preparedBrief';
import type { ComposedContextRecord } from '../../core/model/composition';
import type { ProjectManifest } from '../../core/model/manifest';
import type { CompositionStore } from '../../core/model/host';
import { unlessGone, storing } from '../files/errorCode';
import { refuseLinks, textWithin } from '../files/links';
import { jsonText, readStoredJson } from './storedJson';
import { type ProjectLayout, StoreLayout } from './storeLayout';
import { ProjectChanges } from './projectChanges';
import { discardedComposition } from './trashNotes';
import { filesIn } from './folderFiles';

const TAKEN = /^armed-.+\.json$/;
/** A session that has taken what was armed does not ask for it again after that. */
const TAKEN_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Compositions on disk: `composed/<name>/`, and `armed.json` for the next session. */
export class CompositionFolders implements CompositionStore {
  constructor(
    private readonly layout: StoreLayout,
    private readonly changes: ProjectChanges,
  ) {}

  async keep(projectId: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
    const { layout, change } = this.changes.current(projectId);
    await storing(layout.composed, async () => {
      for (const [file, text] of Object.entries(files)) {
        await change.stageText(layout.compositionFile(name, file), text);
      }
    });
  }

  async move(projectId: string, record: ComposedContextRecord, to: string): Promise<void> {
    const { layout, change } = this.changes.current(projectId);
    await storing(layout.composed, async () => {
      await this.changes.trash.discard(layout, { sessionId: '', composition: record, isMoved: true }, change);
      const folder = path.dirname(layout.composition(record.name));
      for (const file of await filesIn(layout.root, [folder])) {
        await change.stageFile(file, layout.compositionFile(to, path.basename(file)));
      }
    });
  }

  async discard(projectId: string, record: ComposedContextRecord): Promise<string> {
    const { layout, change } = this.changes.current(projectId);
    return storing(layout.trash, () =>
      this.changes.trash.discard(layout, { sessionId: '', composition: record }, change),
    );
  }

  async discarded(projectId: string, trash: string): Promise<ComposedContextRecord> {
    const layout = this.layout.project(projectId);
    return storing(layout.trash, () => discardedComposition(layout, trash));
  }

  async takeBack(projectId: string, trash: string): Promise<void> {
    const { layout, change } = this.changes.current(projectId);
    await storing(layout.trash, () => this.changes.trash.takeBack(layout, trash, change));
  }

  path(projectId: string, name: string, file: string): string {
    return this.layout.project(projectId).compositionFile(name, file);
  }

  async read(projectId: string, name: string, file: string): Promise<string | undefined> {
    return textWithin(this.layout.project(projectId).root, this.path(projectId, name, file));
  }

  async arm(projectId: string, armed: ArmedContext): Promise<void> {
    const { layout, change } = this.changes.current(projectId);
    await storing(layout.armed, async () => {
      await sweepTaken(layout);
      await change.stageText(layout.armed, jsonText(armed));
    });
  }

  async armed(projectId: string): Promise<ArmedContext | undefined> {
    const { root, armed } = this.layout.project(projectId);
    return readArmed(root, armed);
  }

  async takeArmed(projectId: string, sessionId: string): Promise<ArmedContext | undefined> {
    const layout = this.layout.project(projectId);
    const taken = layout.taken(sessionId);
    const mine = await readArmed(layout.root, taken);
    if (mine !== undefined) return mine;
    // One step, so that of several sessions that start at once only one gets it; hooks of one session find it under its name.
    await storing(layout.armed, async () => {
      await refuseLinks(layout.root, layout.dir);
      await unlessGone(rename(layout.armed, taken));
    });
    return readArmed(layout.root, taken);
  }

  async disarm(projectId: string): Promise<boolean> {
    const { root, dir, armed } = this.layout.project(projectId);
    return storing(armed, async () => {
      await refuseLinks(root, dir);
      return (await unlessGone(rm(armed).then(() => true))) ?? false;
    });
  }
}

/** Texts of compositions that the manifest names and that are gone. */
export async function missingTexts(layout: ProjectLayout, manifest: ProjectManifest): Promise<string[]> {
  const missing: string[] = [];
  for (const { name, outputs = [] } of Object.values(manifest.compositions)) {
    for (const file of outputs.map((output) => layout.compositionFile(name, output))) {
      if ((await unlessGone(stat(file))) === undefined) missing.push(file);
    }
  }
  return missing;
}

/** Folders of compositions that the manifest does not name. */
export async function strayFolders(layout: ProjectLayout, manifest: ProjectManifest): Promise<string[]> {
  const known = new Set(Object.values(manifest.compositions).map(({ name }) => name));
  const names = (await unlessGone(readdir(layout.composed))) ?? [];
  return names.filter((name) => !known.has(name)).map((name) => path.join(layout.composed, name));
}

/** What cannot be read is not armed: nobody is to be told in the middle of a session's start. */
async function readArmed(root: string, file: string): Promise<ArmedContext | undefined> {
  const stored = await readStoredJson(root, file);
  const armed = armedContextSchema.safeParse(stored?.value);
  return armed.success ? armed.data : undefined;
}

async function sweepTaken(layout: ProjectLayout): Promise<void> {
  const names = (await unlessGone(readdir(layout.dir))) ?? [];
  for (const name of names.filter((candidate) => TAKEN.test(candidate))) {
    const file = path.join(layout.dir, name);
    const stats = await unlessGone(stat(file));
    if (stats !== undefined && Date.now() - stats.mtimeMs > TAKEN_KEPT_MS) await rm(file, { force: true });
  }
}

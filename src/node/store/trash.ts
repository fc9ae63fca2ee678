import { lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { SCHEMA_VERSION } from '../../core/model/fields';
import type { ProjectManifest } from '../../core/model/manifest';
import type { Clock, TrashItem } from '../../core/model/host';
import { daysBefore } from '../../core/sessions/upkeep';
import { keepAside, ensurePrivateFolder, removeEmpty, syncFolder } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { isWithin, refuseLinks, refuseWayOut } from '../files/links';
import { isSameFile, linkOrCopy } from '../files/takeFile';
import type { ManifestTransaction } from './manifestTransaction';
import { fileTime, type ProjectLayout } from './storeLayout';
import {
  type Discarding,
  type Note,
  titleOf,
  writeNote,
  canBeMadeAgain,
  pendingNote,
  isStillThere,
  mayBeNew,
  isUnclean,
  cleanNote,
} from './trashNotes';
import { filesIn, earlierLook, sizeBelow } from './folderFiles';
import { versionFileNames } from './versionFiles';

/*
 * What is discarded lies in `trash/<time>-<name>/`: what the manifest held of it in `discarded.json`, its files under `files/` by their
 * names in the project's folder. It gets there by second names, in a folder that ends with `.pending`, before the manifest without it is
 * written; what decides is the manifest. If it still has it, the second names go, else the first ones.
 */

const PENDING = '.pending';
const FILES = 'files';
/** Says when the trash was last looked through for what is too old. */
const LOOKED = '.trash-looked';

/** What was discarded. All of it happens inside the project's lock. */
export class Trash {
  constructor(private readonly clock: Clock) {}

  /** Gives files second names in the trash, as part of a change; the first ones go when its manifest is written. Returns the name in the trash. */
  async discard(layout: ProjectLayout, discarding: Discarding, change: ManifestTransaction): Promise<string> {
    const discardedAt = this.clock.now().toISOString();
    const note: Note = { version: SCHEMA_VERSION, discardedAt, ...discarding };
    const name = await freeName(layout, `${fileTime(this.clock.now())}-${titleOf(note)}`);
    const pending = layout.trashed(`${name}${PENDING}`);
    await ensurePrivateFolder(pending, layout.root);
    change.onFailure(() => remove(pending));
    await writeNote(pending, note);
    const folders = new Set<string>();
    for (const file of await filesIn(layout.root, await placesOf(layout, note))) {
      const second = path.join(pending, FILES, path.relative(layout.dir, file));
      await ensurePrivateFolder(path.dirname(second), layout.root);
      await linkOrCopy(file, second);
      folders.add(path.dirname(second));
    }
    for (const folder of folders) await syncFolder(folder);
    change.onSuccess(() => this.#settle(layout, pending, note, (file) => change.hasStaged(file)));
    return name;
  }

  /** The other way round: what was discarded gets second names where it lay, and the trash forgets it when the manifest is written. */
  async takeBack(layout: ProjectLayout, name: string, change: ManifestTransaction): Promise<void> {
    for (const [first, second] of await namesBelow(layout, layout.trashed(name))) {
      if (await isSameFile(first, second)) continue; // somebody was interrupted
      await change.stageFile(second, first);
      if (!isWithin(layout.originals, first)) continue;
      // A registration that was never finished may have left another one.
      const aside = await unlessGone(keepAside(first, (n) => `${first}.older-${n}`));
      if (aside !== undefined) change.made(aside);
    }
    change.onSuccess(async () => {
      const [item, pending] = [layout.trashed(name), layout.trashed(`${name}${PENDING}`)];
      // What is removed only in part now is by `finish`.
      const isPending = await rename(item, pending).then(
        () => true,
        () => false,
      );
      await remove(isPending ? pending : item);
    });
  }

  /** Moves files that nothing names out of the way. */
  async leaveBehind(layout: ProjectLayout, files: readonly string[]): Promise<void> {
    const name = await freeName(layout, `${fileTime(this.clock.now())}-left-behind`);
    for (const file of files) {
      await move(layout.root, file, path.join(layout.trashed(name), FILES, path.relative(layout.dir, file)));
    }
  }

  /** Forgets what was discarded under this name. */
  async empty(layout: ProjectLayout, name: string): Promise<void> {
    await refuseLinks(layout.root, layout.trash);
    await remove(layout.trashed(name));
  }

  /** What lies there, the oldest first; what is on its way is none of it. */
  async items(layout: ProjectLayout): Promise<TrashItem[]> {
    await refuseWayOut(layout.root, layout.trash);
    const items: TrashItem[] = [];
    for (const name of (await unlessGone(readdir(layout.trash))) ?? []) {
      const discardedAt = name.endsWith(PENDING) ? undefined : timeOf(name);
      if (discardedAt === undefined) continue;
      items.push({ name, discardedAt, bytes: await bytesBelow(layout.trashed(name)) });
    }
    return items.sort((a, b) => (a.discardedAt < b.discardedAt ? -1 : 1));
  }

  /** Deletes what was discarded before that time. */
  async expire(layout: ProjectLayout, beforeIso: string): Promise<TrashItem[]> {
    const expired = (await this.items(layout)).filter(({ discardedAt }) => discardedAt < beforeIso);
    for (const { name } of expired) await this.empty(layout, name);
    return expired;
  }

  /**
   * Deletes what has been there for so many days and can be made again; 0 days are no limit. A session stays until somebody empties
   * the trash: it may be the last copy there is.
   */
  async expireAfter(layout: ProjectLayout, days: number): Promise<void> {
    if (days <= 0) return;
    const before = daysBefore(this.clock.now(), days);
    const items = await this.items(layout);
    if (items.length === 0) return;
    const earlier = await earlierLook(layout.root, path.join(layout.dir, LOOKED), new Date(before));
    for (const { name, discardedAt } of items) {
      const isDue = earlier !== undefined && discardedAt < earlier.toISOString();
      if (isDue && (await canBeMadeAgain(layout, name))) await this.empty(layout, name);
    }
  }

  /** What lies there with a note that holds secrets. */
  async unclean(layout: ProjectLayout): Promise<string[]> {
    const names = (await unlessGone(readdir(layout.trash))) ?? [];
    const found = await Promise.all(names.map((name) => isUnclean(layout, name)));
    return names.filter((_, index) => found[index]);
  }

  /** Writes such a note without them. */
  async clean(layout: ProjectLayout, name: string): Promise<void> {
    await cleanNote(layout, name);
  }

  /** After a crash, or a failure: ends what was under way, in the direction that the manifest has decided for. */
  async finish(layout: ProjectLayout, manifest: ProjectManifest): Promise<void> {
    const names = (await unlessGone(readdir(layout.trash))) ?? [];
    for (const name of names.filter((candidate) => candidate.endsWith(PENDING))) {
      const pending = path.join(layout.trash, name);
      const note = await pendingNote(layout, pending);
      // Without a note nothing has got there yet.
      if (note === undefined || isStillThere(note, manifest)) await this.#giveUp(layout, pending, note);
      else await this.#settle(layout, pending, note, mayBeNew(layout, note, manifest));
    }
  }

  /** The manifest is written: the first names go. */
  async #settle(
    layout: ProjectLayout,
    pending: string,
    { isMoved }: Note,
    isNew: (file: string) => boolean = () => false,
  ): Promise<void> {
    for (const [first, second] of await namesBelow(layout, pending)) {
      await refuseLinks(layout.root, path.dirname(first));
      if (!isNew(first) && (await isSameFile(first, second))) await rm(first, { force: true });
      await removeEmpty(path.dirname(first));
    }
    if (isMoved === true) await remove(pending);
    else await rename(pending, pending.slice(0, -PENDING.length));
  }

  /**
   * The manifest still has it: the second names go, but where another file has taken the place of the first. An older Keepit has moved
   * the files: those come back.
   */
  async #giveUp(layout: ProjectLayout, pending: string, note?: Note): Promise<void> {
    const mayBeOverwritten = note?.composition !== undefined || note?.isReplaced === true;
    for (const [first, second] of await namesBelow(layout, pending)) {
      const isThere = (await unlessGone(lstat(first))) !== undefined;
      if (!isThere || (mayBeOverwritten && !(await isSameFile(first, second)))) await move(layout.root, second, first);
    }
    await remove(pending);
  }
}

/** Every name begins with the time: see `fileTime`. */
function timeOf(name: string): string | undefined {
  const [, day, h, m, s, ms] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-/.exec(name) ?? [];
  return day === undefined ? undefined : `${day}T${h}:${m}:${s}.${ms}Z`;
}

async function bytesBelow(folder: string): Promise<number> {
  const { bytes, linkedBytes } = await sizeBelow(folder);
  return bytes + linkedBytes;
}

async function freeName(layout: ProjectLayout, wanted: string): Promise<string> {
  const taken = new Set((await unlessGone(readdir(layout.trash))) ?? []);
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!taken.has(name) && !taken.has(`${name}${PENDING}`)) return name;
  }
}

/** Of the files of something in the trash: their names in the project's folder, and those in the trash. */
async function namesBelow(layout: ProjectLayout, item: string): Promise<[string, string][]> {
  const folder = path.join(item, FILES);
  const files = await filesIn(layout.root, [folder]);
  return files.map((second) => [path.join(layout.dir, path.relative(folder, second)), second]);
}

/** The note goes last: it says what is to become of files that could not be removed. */
async function remove(item: string): Promise<void> {
  await rm(path.join(item, FILES), { recursive: true, force: true });
  await rm(item, { recursive: true, force: true });
}

async function move(root: string, source: string, target: string): Promise<void> {
  await refuseLinks(root, path.dirname(source));
  await ensurePrivateFolder(path.dirname(target), root);
  await rename(source, target);
  await syncFolder(path.dirname(target));
  await syncFolder(path.dirname(source));
}

/** The files, and the folders of files, that are to be discarded. */
async function placesOf(layout: ProjectLayout, { sessionId, records, composition }: Note): Promise<string[]> {
  if (composition !== undefined) return [path.dirname(layout.composition(composition.name))];
  if (records !== undefined) return versionFileNames(records).map((name) => layout.version(sessionId, name));
  const originals = (await unlessGone(readdir(layout.originals))) ?? [];
  const own = originals.filter((name) => layout.ownsOriginal(sessionId, name));
  return [...own.map((name) => path.join(layout.originals, name)), path.dirname(layout.versions(sessionId))];
}

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sessionVersionsSchema, type CompressionRecord, type SessionVersions } from '../../core/model/compression';
import type { ProjectManifest } from '../../core/model/manifest';
import type { VersionFiles as VersionTexts } from '../../core/model/host';
import { ownValue } from '../../core/text/ownValue';
import { versionsIndex } from '../../core/versions/versionEntries';
import { ensurePrivateFolder, writeFileAtomic } from '../files/atomicFile';
import { unlessGone } from '../files/errorCode';
import { textWithin } from '../files/links';
import type { ManifestTransaction } from './manifestTransaction';
import { jsonText, readStoredJson } from './storedJson';
import type { ProjectLayout } from './storeLayout';

const FORMATS = ['md', 'jsonl'] as const;

/** What versions' files are called; anything else in a session's folder is somebody else's. */
const VERSION_FILE = /^(?:part\d+_)?v\d+_.+\.(?:md|jsonl)$/;

/** The files of versions: `summaries/<session>/`. What is written takes its place with the manifest. */
export class VersionFiles {
  /** Stages both files of a version and the session's index. */
  async keep(
    layout: ProjectLayout,
    version: VersionTexts,
    index: SessionVersions,
    change: ManifestTransaction,
  ): Promise<void> {
    for (const format of FORMATS) {
      await change.stageText(layout.version(index.sessionId, `${version.file}.${format}`), version.texts[format]);
    }
    await this.keepIndex(layout, index, change);
  }

  /** Stages a session's `versions.json`. */
  async keepIndex(layout: ProjectLayout, index: SessionVersions, change: ManifestTransaction): Promise<void> {
    await change.stageText(layout.versions(index.sessionId), jsonText(index));
  }

  async read(layout: ProjectLayout, sessionId: string, name: string): Promise<string | undefined> {
    return textWithin(layout.root, layout.version(sessionId, name));
  }

  /** Files that the manifest names and that are gone. */
  async missing(layout: ProjectLayout, manifest: ProjectManifest): Promise<string[]> {
    const missing: string[] = [];
    for (const { sessionId, compressions } of Object.values(manifest.sessions)) {
      if (compressions.length === 0) continue;
      const there = new Set(await namesIn(path.dirname(layout.versions(sessionId))));
      for (const { file } of compressions) {
        // Another tool may keep one of the two forms only.
        if (FORMATS.some((format) => there.has(`${file}.${format}`))) continue;
        missing.push(layout.version(sessionId, `${file}.md`));
      }
    }
    return missing;
  }

  /** Files of versions that the manifest does not name: a crash has left them. */
  async orphans(layout: ProjectLayout, manifest: ProjectManifest): Promise<string[]> {
    const orphans: string[] = [];
    for (const { sessionId, compressions } of Object.values(manifest.sessions)) {
      const known = new Set(versionFileNames(compressions));
      const folder = path.dirname(layout.versions(sessionId));
      const strange = (await namesIn(folder)).filter((name) => VERSION_FILE.test(name) && !known.has(name));
      orphans.push(...strange.map((name) => path.join(folder, name)));
    }
    return orphans;
  }

  /** Sessions whose `versions.json` does not list the versions that the manifest does. */
  async staleIndexes(layout: ProjectLayout, manifest: ProjectManifest): Promise<string[]> {
    const stale: string[] = [];
    for (const { sessionId, compressions } of Object.values(manifest.sessions)) {
      const stored = await readStoredJson(layout.root, layout.versions(sessionId));
      if (stored === undefined && compressions.length === 0) continue;
      const index = sessionVersionsSchema.safeParse(stored?.value);
      const listed = index.success ? index.data.versions.map(({ versionId }) => versionId).join() : undefined;
      if (listed !== compressions.map(({ versionId }) => versionId).join()) stale.push(sessionId);
    }
    return stale;
  }

  /**
   * Brings the files in line with the manifest, which decides: what it does not name is left behind, for a person to look at, and every
   * `versions.json` says what it says. Inside the project's lock.
   */
  async repair(
    layout: ProjectLayout,
    manifest: ProjectManifest,
    leaveBehind: (files: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const orphans = await this.orphans(layout, manifest);
    if (orphans.length > 0) await leaveBehind(orphans);
    for (const sessionId of await this.staleIndexes(layout, manifest)) {
      const entry = ownValue(manifest.sessions, sessionId);
      if (entry === undefined) continue;
      const index = layout.versions(sessionId);
      await ensurePrivateFolder(path.dirname(index), layout.root);
      await writeFileAtomic(index, jsonText(versionsIndex(entry)));
    }
  }
}

export function versionFileNames(records: readonly CompressionRecord[]): string[] {
  return records.flatMap(({ file }) => FORMATS.map((format) => `${file}.${format}`));
}

async function namesIn(folder: string): Promise<string[]> {
  return (await unlessGone(readdir(folder))) ?? [];
}

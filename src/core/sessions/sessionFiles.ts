import { TranscriptUnreadableError } from '../transcript/unreadableError';
import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import type { ClaudeFolder, ProjectFolder } from '../transcript/claudeFolder';
import type { TranscriptFile } from '../model/host';
import type { MemoryStore } from '../model/memoryStore';
import { settled } from '../text/mapLimited';

/** Where the transcript of a registered session is to be read from. */
export interface LocatedFile {
  file: TranscriptFile;
  /** Claude Code's own file is gone, or may not be read: this is the kept original. */
  isKept: boolean;
}

/** Finds the transcripts of registered sessions that are not in the project's folder (any more). */
export class SessionFiles {
  constructor(
    private readonly claude: ClaudeFolder,
    private readonly store: MemoryStore,
  ) {}

  /** Undefined when neither the registered file nor the kept original is there. */
  async locate(projectId: string, entry: SessionManifestEntry): Promise<LocatedFile | undefined> {
    const original = await settled(
      entry.originalFile === '' ? Promise.resolve(undefined) : this.claude.stat(entry.originalFile),
    );
    if (original.status === 'fulfilled' && original.value !== undefined) return { file: original.value, isKept: false };
    if (original.status === 'rejected' && !(original.reason instanceof TranscriptUnreadableError))
      throw original.reason;
    const path = await this.store.originalPath(projectId, entry.sessionId);
    const file = path === undefined ? undefined : await this.claude.stat(path);
    if (file !== undefined) return { file, isKept: true };
    if (original.status === 'rejected') throw original.reason;
    return undefined;
  }

  /** All registered sessions of a project that its folder does not list, by session id. */
  async missingFrom(folder: ProjectFolder, manifest: ProjectManifest): Promise<Map<string, LocatedFile>> {
    const listed = new Set(folder.sessions.map(({ sessionId }) => sessionId));
    const found = new Map<string, LocatedFile>();
    for (const entry of Object.values(manifest.sessions)) {
      if (listed.has(entry.sessionId)) continue;
      const located = await settled(this.locate(folder.projectId, entry));
      if (located.status === 'fulfilled') {
        if (located.value !== undefined) found.set(entry.sessionId, located.value);
      } else if (!(located.reason instanceof TranscriptUnreadableError)) throw located.reason;
    }
    return found;
  }
}

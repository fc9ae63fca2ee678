import type { ProjectManifest, SessionManifestEntry } from '../model/manifest';
import type { ClaudeFolder, MemoryStore, ProjectFolder, TranscriptFile } from '../ports';

/** Where the transcript of a registered session is to be read from. */
export interface LocatedFile {
  file: TranscriptFile;
  /** Claude Code's own file is gone: this is the kept original. */
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
    const original = entry.originalFile === '' ? undefined : await this.claude.stat(entry.originalFile);
    if (original !== undefined) return { file: original, isKept: false };
    const path = await this.store.originalPath(projectId, entry.sessionId);
    const file = path === undefined ? undefined : await this.claude.stat(path);
    return file && { file, isKept: true };
  }

  /** All registered sessions of a project that its folder does not list, by session id. */
  async missingFrom(folder: ProjectFolder, manifest: ProjectManifest): Promise<Map<string, LocatedFile>> {
    const listed = new Set(folder.sessions.map(({ sessionId }) => sessionId));
    const found = new Map<string, LocatedFile>();
    for (const entry of Object.values(manifest.sessions)) {
      if (listed.has(entry.sessionId)) continue;
      const located = await this.locate(folder.projectId, entry);
      if (located !== undefined) found.set(entry.sessionId, located);
    }
    return found;
  }
}

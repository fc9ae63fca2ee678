import type { Log, SummaryCache, TranscriptFile, TranscriptScanner } from '../ports';
import { TokenRanksError } from '../tokens/tokenRanksError';
import type { CachedTranscript, ProjectCache } from './projectCache';
import type { Counting, TranscriptDigest } from './transcriptDigest';

export interface DigestReading {
  digest: TranscriptDigest;
  /** Whether only bytes that came since the last reading were read; undefined when nothing had to be read. */
  isContinued?: boolean;
  /** A title that another file of the project has for this session, as far as is known without reading that file. */
  foreignTitle?: string;
}

/** Reads single transcripts, and remembers the figures for the size and date that the file had. */
export class DigestReader {
  constructor(
    private readonly scanner: TranscriptScanner,
    private readonly cache: SummaryCache,
    private readonly log: Log,
  ) {}

  /**
   * Opens the file only when it has changed, or was not counted exactly yet. Where the data for exact counts is missing,
   * the answer is an estimate, and says so: nothing is left unkept for that. Throws `TranscriptUnreadableError`.
   */
  async read(
    projectId: string,
    file: TranscriptFile,
    counting: Counting,
    signal?: AbortSignal,
  ): Promise<DigestReading> {
    try {
      return await this.readWith(projectId, file, counting, signal);
    } catch (error) {
      if (counting === 'estimate' || !(error instanceof TokenRanksError)) throw error;
      this.log.warn(`${file.path} is counted by estimate: ${error.message}`);
      return this.readWith(projectId, file, 'estimate', signal);
    }
  }

  private async readWith(
    projectId: string,
    file: TranscriptFile,
    counting: Counting,
    signal?: AbortSignal,
  ): Promise<DigestReading> {
    const before = await this.cache.load(projectId);
    const known = before.transcripts[file.path];
    if (known !== undefined && isSame(known, file) && (counting === 'estimate' || known.digest.counting === 'exact')) {
      return { digest: known.digest, ...foreignTitle(before, known) };
    }
    const prior = await this.cache.loadState(projectId, file.path);
    const { digest, state, isContinued } = await this.scanner.scan(
      file.path,
      { prior, counting, bytes: file.bytes, wantsState: true },
      signal,
    );
    // Loaded again: others may have saved while the transcript was read.
    const cache = await this.cache.load(projectId);
    const { path, bytes, mtimeMs } = file;
    const read = { bytes, mtimeMs, digest, leaves: leavesKept(known, file, isContinued) };
    cache.transcripts[path] = read;
    await this.cache.save(projectId, cache);
    if (state !== undefined) await this.cache.saveState(projectId, path, state);
    return { digest, isContinued, ...foreignTitle(cache, read) };
  }
}

function isSame(known: CachedTranscript, { bytes, mtimeMs }: TranscriptFile): boolean {
  return known.bytes === bytes && known.mtimeMs === mtimeMs;
}

/** A file that only grew still has the lines that it had; which others it has now, the next discovery finds out. */
function leavesKept(
  known: CachedTranscript | undefined,
  file: TranscriptFile,
  isContinued: boolean,
): CachedTranscript['leaves'] {
  if (known === undefined) return {};
  if (isSame(known, file)) return known.leaves;
  return isContinued ? Object.fromEntries(Object.entries(known.leaves).filter(([, isOwn]) => isOwn)) : {};
}

function foreignTitle({ transcripts }: ProjectCache, { leaves }: CachedTranscript): { foreignTitle?: string } {
  for (const { digest } of Object.values(transcripts)) {
    const own = digest.foreignTitles.findLast(({ leafUuid }) => leaves[leafUuid] === true);
    if (own !== undefined) return { foreignTitle: own.title };
  }
  return {};
}

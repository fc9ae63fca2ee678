import type { Log, TranscriptFile } from '../model/host';
import { TokenRanksError } from '../text/tokens/rankTable';
import { mapLimited, settled } from '../text/mapLimited';
import { ownValue, setOwnValue } from '../text/ownValue';
import type { SummaryCache } from './summaryCache';
import type { TranscriptScanner } from './transcriptScanner';
import { mergeTranscript, type CachedTranscript, type ProjectCache } from './projectCache';
import type { Counting, TranscriptDigest } from './transcriptDigest';

export interface DigestReading {
  digest: TranscriptDigest;
  /** Whether only bytes that came since the last reading were read; undefined when nothing had to be read. */
  isContinued?: boolean;
  /** A title that another file of the project has for this session, as far as is known without reading that file. */
  foreignTitle?: string;
}

/** How many transcripts are handed to the scanner at once: it decides which of them it reads at the same time. */
const PARALLEL_READS = 32;

interface Place {
  projectId: string;
  file: TranscriptFile;
  known: CachedTranscript | undefined;
}

/** What is known of a transcript now; `isContinued` only when it was opened. */
interface Look {
  path: string;
  transcript: CachedTranscript;
  isContinued?: boolean;
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
    const [outcome] = await this.readAll(projectId, [file], counting, signal);
    if (outcome?.status !== 'fulfilled') throw outcome?.reason;
    return outcome.value;
  }

  /** As `read`, for several files of a project, in their order: each is read or fails by itself; what was read is saved once. */
  async readAll(
    projectId: string,
    files: readonly TranscriptFile[],
    counting: Counting,
    signal?: AbortSignal,
  ): Promise<PromiseSettledResult<DigestReading>[]> {
    const before = await this.cache.load(projectId);
    const readings = await mapLimited(files, PARALLEL_READS, (file) =>
      settled(this.lookAt({ projectId, file, known: ownValue(before.transcripts, file.path) }, counting, signal)),
    );
    signal?.throwIfAborted();
    const read = readings.flatMap((reading) => (reading.status === 'fulfilled' ? [reading.value] : []));
    const after = read.some(({ isContinued }) => isContinued !== undefined) ? await this.save(projectId, read) : before;
    return readings.map((reading) => {
      if (reading.status === 'rejected') return reading;
      const { transcript, isContinued } = reading.value;
      const { digest } = transcript;
      return {
        status: 'fulfilled',
        value: { digest, ...(isContinued !== undefined && { isContinued }), ...foreignTitle(after, transcript) },
      };
    });
  }

  private async lookAt(place: Place, counting: Counting, signal?: AbortSignal): Promise<Look> {
    try {
      return await this.lookWith(place, counting, signal);
    } catch (error) {
      if (counting === 'estimate' || !(error instanceof TokenRanksError)) throw error;
      this.log.warn(`${place.file.path} is counted by estimate: ${error.message}`);
      return this.lookWith(place, 'estimate', signal);
    }
  }

  private async lookWith({ projectId, file, known }: Place, counting: Counting, signal?: AbortSignal): Promise<Look> {
    const { path, bytes, mtimeMs } = file;
    if (known !== undefined && isSame(known, file) && (counting === 'estimate' || known.digest.counting === 'exact')) {
      return { path, transcript: known };
    }
    const prior = await this.cache.loadState(projectId, path);
    const request = { prior, counting, bytes, wantsState: true };
    const { digest, state, isContinued } = await this.scanner.scan(path, request, signal);
    if (state !== undefined) await this.cache.saveState(projectId, path, state);
    return { path, transcript: { bytes, mtimeMs, digest, leaves: leavesKept(known, file, isContinued) }, isContinued };
  }

  private save(projectId: string, read: readonly Look[]): Promise<ProjectCache> {
    return this.cache.update(projectId, (current) => {
      const transcripts = { ...current.transcripts };
      for (const { path, transcript } of read)
        setOwnValue(transcripts, path, mergeTranscript(ownValue(transcripts, path), transcript));
      return { ...current, transcripts };
    });
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
    const own = digest.foreignTitles.findLast(({ leafUuid }) => ownValue(leaves, leafUuid) === true);
    if (own !== undefined) return { foreignTitle: own.title };
  }
  return {};
}

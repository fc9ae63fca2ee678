import type { Log, TranscriptFile } from '../model/host';
import { TokenRanksError } from '../text/tokens/rankTable';
import { mapLimited, settled } from '../text/mapLimited';
import { hasRecord } from '../transcript/recordIds';
import { mergeTranscript, type CachedTranscript, type ProjectCache } from './projectCache';
import type { Counting, TranscriptDigest } from './transcriptDigest';
import { ownValue, setOwnValue } from '../text/ownValue';
import type { SummaryCache } from './summaryCache';
import type { TranscriptScanner } from './transcriptScanner';

export interface DigestReading {
  digest: TranscriptDigest;
  /** A title that another file of the project has for this session, as far as is known without reading that file. */
  foreignTitle?: string;
}

/** How many transcripts are handed to the scanner at once: it decides which of them it reads at the same time. */
const PARALLEL_READS = 32;

interface Place {
  file: TranscriptFile;
  known: CachedTranscript | undefined;
  /** The leaves that titles in the project's files name. */
  leaves: readonly string[];
}

/** What is known of a transcript now. */
interface Look {
  path: string;
  transcript: CachedTranscript;
  wasOpened: boolean;
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
    const leaves = foreignTitles(before).map(({ leafUuid }) => leafUuid);
    const readings = await mapLimited(files, PARALLEL_READS, (file) =>
      settled(this.lookAt({ file, known: ownValue(before.transcripts, file.path), leaves }, counting, signal)),
    );
    signal?.throwIfAborted();
    const read = readings.flatMap((reading) => (reading.status === 'fulfilled' ? [reading.value] : []));
    const after = read.some(({ wasOpened }) => wasOpened) ? await this.save(projectId, read) : before;
    return readings.map((reading) => {
      if (reading.status === 'rejected') return reading;
      const { transcript } = reading.value;
      return { status: 'fulfilled', value: { digest: transcript.digest, ...foreignTitle(after, transcript) } };
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

  private async lookWith({ file, known, leaves }: Place, counting: Counting, signal?: AbortSignal): Promise<Look> {
    const { path, bytes, mtimeMs } = file;
    if (known !== undefined && isSame(known, file) && (counting === 'estimate' || known.digest.counting === 'exact')) {
      return { path, transcript: known, wasOpened: false };
    }
    const { digest, ids } = await this.scanner.scan(path, { counting, bytes }, signal);
    const owned = Object.fromEntries(leaves.map((leaf) => [leaf, hasRecord(ids, leaf)]));
    return { path, transcript: { bytes, mtimeMs, digest, leaves: owned }, wasOpened: true };
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

function foreignTitles({ transcripts }: ProjectCache): TranscriptDigest['foreignTitles'] {
  return Object.values(transcripts).flatMap(({ digest }) => digest.foreignTitles);
}

function foreignTitle(cache: ProjectCache, { leaves }: CachedTranscript): { foreignTitle?: string } {
  const own = foreignTitles(cache).find(({ leafUuid }) => ownValue(leaves, leafUuid) === true);
  return own === undefined ? {} : { foreignTitle: own.title };
}

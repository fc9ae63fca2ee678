import { LayerDocuments } from '../layerDocuments';
import { rollingIndexSchema, type RollingIndex } from '../../model/rolling';
import type { Log } from '../../model/host';
import type { TokenCounter } from '../../text/tokens/tokenCounter';
import type { LayerFiles } from '../layerStore';
import { ownValue, parsedJson, setOwnValue } from '../../text/ownValue';
import { wholeCharacterEnd } from '../../text/sentences';
import type { NoteSection } from '../notes/noteDocument';
import { summarizeArchive } from './archiveSummary';

export const MEMORY = 'memory.md';
const INDEX = 'memory-index.json';
const ARCHIVE = /^memory_(\d{8}_\d{6})\.md$/;

/** When the parts of a memory end; those of which that is not known are from now. */
type DatesOf = (parts: readonly string[]) => readonly (Date | undefined)[];

/** The files of a rolling memory (seed 004). For one piece of work. */
export class RollingFiles {
  private constructor(
    private readonly files: LayerFiles,
    private readonly counter: Pick<TokenCounter, 'count'>,
    private readonly log: Log,
    readonly index: RollingIndex,
  ) {}

  /** A damaged index is made again of the files that there are, and set aside unless it is only looked at. */
  static async open(
    files: LayerFiles,
    counter: Pick<TokenCounter, 'count'>,
    { log, isLooking = false }: { log: Log; isLooking?: boolean },
  ): Promise<RollingFiles> {
    const text = await files.read(INDEX);
    const known = text === undefined ? undefined : indexOf(text);
    if (text !== undefined && known === undefined && !isLooking) {
      log.warn(`${INDEX} could not be read, and was kept as ${await files.setAside(INDEX)}.`);
    }
    const rolling = new RollingFiles(files, counter, log, known ?? (await rebuilt(files, counter)));
    await rolling.catchUp();
    return rolling;
  }

  /** Brings the index in line with a memory that was written just before a sudden end. */
  private async catchUp(): Promise<void> {
    const { keepitSessions } = this.index;
    const missing = [...digestsIn(await this.memory()).values()].filter(
      ({ sessionId, uuid }) => ownValue(keepitSessions, sessionId)?.uuid !== uuid,
    );
    if (missing.length === 0) return;
    const mtimeMs = (await this.files.stat(MEMORY))?.mtimeMs ?? 0;
    this.index.lastMemoryUpdateTs = new Date(mtimeMs).toISOString();
    this.index.deltaCreatedAtMemoryMtime = mtimeMs;
    for (const { sessionId, uuid, at } of missing) setOwnValue(keepitSessions, sessionId, { uuid, at });
  }

  async memory(): Promise<string> {
    return (await this.files.read(MEMORY)) ?? '';
  }

  /** Whether somebody else has written the memory, and nobody has accepted it. */
  async isForeign(): Promise<boolean> {
    return (await this.files.foreign()).includes(MEMORY);
  }

  /** How far a session is in the memory; undefined when nothing of it is. */
  reached(sessionId: string): Pick<DigestOrigin, 'uuid' | 'at'> | undefined {
    return ownValue(this.index.keepitSessions, sessionId);
  }

  /** Adds a digest at the end. The memory is written before the index, which can be told from it. */
  async append(text: string, { sessionId, uuid, at }: DigestOrigin, nowIso: string): Promise<void> {
    const before = await this.memory();
    const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
    await this.files.write(MEMORY, before + gap + text);
    this.index.lastMemoryUpdateTs = nowIso;
    this.index.deltaCreatedAtMemoryMtime = (await this.files.stat(MEMORY))?.mtimeMs ?? null;
    this.index.keepitSessions = { ...this.index.keepitSessions, [sessionId]: { uuid, at } };
    await this.save();
  }

  /**
   * Rotates when it is time to. Archives, summaries and index are written before the memory is cut: a crash in between leaves everything
   * there, and the next rotation goes on with the same archives. They are named after `datesOf` them, else after `now`. Returns their
   * names.
   */
  async rotate(now: Date, datesOf: DatesOf = () => []): Promise<string[]> {
    const rotation = rotate(await this.memory(), this.counter);
    if (rotation === undefined) return [];
    const names = await this.keep(rotation.archives, now, datesOf);
    for (const [sessionId, { uuid, at }] of digestsIn(await this.memory())) {
      this.index.keepitSessions = { ...this.index.keepitSessions, [sessionId]: { uuid, at } };
    }
    await this.save();
    await this.files.write(MEMORY, rotation.carryOver);
    return names;
  }

  /** Splits archives that are as large as several. What they were is moved to `archive/`, whole. Returns the names of the parts. */
  async splitArchives(now: Date, datesOf: DatesOf): Promise<string[]> {
    const names: string[] = [];
    for (const file of await archivesIn(this.files)) {
      const text = (await this.files.read(file)) ?? '';
      const { archives = [] } = rotate(text, this.counter) ?? {};
      if (archives.length < 2) continue;
      names.push(...(await this.keep(archives, now, datesOf)));
      this.index.rotatedFiles = this.index.rotatedFiles.filter((entry) => entry.file !== file);
      await this.save();
      for (const old of [file, summaryName(file)])
        if ((await this.files.stat(old)) !== undefined) await this.files.move(old, `archive/${old}`);
    }
    return names;
  }

  /** Whether these words stand in the memory or an archive. */
  async holds(text: string): Promise<boolean> {
    return (await this.memory()).includes(text) || (await this.sameArchive(text)) !== undefined;
  }

  /** Adds an archive, under the day that it tells of last. */
  async addArchive(text: string, now: Date, datesOf: DatesOf): Promise<void> {
    await this.keep([text], now, datesOf);
    await this.save();
  }

  /** Adds lines that belong to no session, once: those that stand in the memory or an archive already are left out. */
  async addLines(heading: string, lines: readonly string[]): Promise<number> {
    const archived = await Promise.all((await archivesIn(this.files)).map((file) => this.files.read(file)));
    const memory = await this.memory();
    const known = new Set([memory, ...archived].flatMap((text) => text?.split('\n') ?? []));
    const added = [...new Set(lines)].filter((line) => !known.has(line));
    if (added.length === 0) return 0;
    const gap = memory === '' ? '' : memory.endsWith('\n') ? '\n' : '\n\n';
    await this.files.write(MEMORY, `${memory}${gap}${heading}\n\n${added.join('\n')}\n`);
    return added.length;
  }

  /** Writes the summaries that are missing. Returns their names. */
  async summarizeAll(nowIso: string): Promise<string[]> {
    const made: string[] = [];
    for (const entry of this.index.rotatedFiles) {
      const text = await this.files.read(entry.file);
      if (text === undefined || (await this.files.stat(summaryName(entry.file))) !== undefined) continue;
      made.push(await this.summarize(entry.file, text, nowIso));
      Object.assign(entry, { summary: summaryName(entry.file), summaryGenerated: true });
    }
    if (made.length > 0) await this.save();
    return made;
  }

  /** Writes the summaries anew of archives that tell of a session: a model has read it since. */
  async retell(sessionId: string, nowIso: string): Promise<void> {
    for (const { file } of this.index.rotatedFiles) {
      const text = (await this.files.read(file)) ?? '';
      if (!digestsIn(text).has(sessionId)) continue;
      await this.files.write(summaryName(file), await this.summaryOf(file, text, nowIso));
    }
  }

  async setCounter(counter: number): Promise<void> {
    this.index.counter = counter;
    await this.save();
  }

  /** Writes archives with their summaries, and enters them into the index, which is not saved yet. Returns their names. */
  private async keep(archives: readonly string[], now: Date, datesOf: DatesOf): Promise<string[]> {
    const nowIso = now.toISOString();
    const dates = datesOf(archives);
    const names: string[] = [];
    for (const [index, archive] of archives.entries()) {
      const file = (await this.sameArchive(archive)) ?? (await this.freeName(dates[index] ?? now));
      await this.files.write(file, archive);
      await this.summarize(file, archive, nowIso);
      this.enter(file, archive, nowIso);
      names.push(file);
    }
    return names;
  }

  private async summarize(file: string, text: string, nowIso: string): Promise<string> {
    const name = summaryName(file);
    if ((await this.files.stat(name)) === undefined)
      await this.files.write(name, await this.summaryOf(file, text, nowIso));
    return name;
  }

  private async summaryOf(file: string, text: string, nowIso: string): Promise<string> {
    const sessionIds = [...digestsIn(text).keys()];
    const documents = new LayerDocuments(this.files, this.log, false);
    const readings = await Promise.all(sessionIds.map((id) => documents.readingOf(id)));
    const read = readings.filter((one) => one !== undefined).filter(({ digest }) => digest !== '');
    const summary = summarizeArchive(file, text, { sessions: sessionIds.length, read }, nowIso);
    return `${JSON.stringify(summary, undefined, 2)}\n`;
  }

  private enter(file: string, text: string, nowIso: string): void {
    if (this.index.rotatedFiles.some((entry) => entry.file === file)) return;
    const tokenCount = this.counter.count(text);
    this.index.rotatedFiles.push({
      file,
      rotatedAt: nowIso,
      tokenCount,
      summary: summaryName(file),
      summaryGenerated: true,
    });
    const { stats } = this.index;
    this.index.stats = { ...stats, totalRotations: stats.totalRotations + 1, lastRotation: nowIso };
  }

  /** An archive with these very words, which a killed process has left. */
  private async sameArchive(text: string): Promise<string | undefined> {
    for (const name of await archivesIn(this.files)) if ((await this.files.read(name)) === text) return name;
    return undefined;
  }

  private async freeName(now: Date): Promise<string> {
    for (let ms = now.getTime(); ; ms += 1000) {
      const stamp = new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_');
      const name = `memory_${stamp}.md`;
      if ((await this.files.stat(name)) === undefined) return name;
    }
  }

  private async save(): Promise<void> {
    await this.files.write(INDEX, `${JSON.stringify(this.index, undefined, 2)}\n`);
  }
}

function summaryName(file: string): string {
  return file.replace(/\.md$/, '.summary.json');
}

async function archivesIn(files: LayerFiles): Promise<string[]> {
  return (await files.names('')).filter((name) => ARCHIVE.test(name)).sort();
}

async function rebuilt(files: LayerFiles, counter: Pick<TokenCounter, 'count'>): Promise<RollingIndex> {
  const index = rollingIndexSchema.parse({});
  for (const file of await archivesIn(files)) {
    const [, stamp = ''] = ARCHIVE.exec(file) ?? [];
    const rotatedAt = stamp.replace(/^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6.000Z');
    const text = (await files.read(file)) ?? '';
    const isSummarized = (await files.stat(summaryName(file))) !== undefined;
    index.rotatedFiles.push({
      file,
      rotatedAt,
      tokenCount: counter.count(text),
      summary: isSummarized ? summaryName(file) : null,
      summaryGenerated: isSummarized,
    });
    index.stats = { totalRotations: index.stats.totalRotations + 1, lastRotation: rotatedAt };
    for (const [sessionId, { uuid, at }] of digestsIn(text)) setOwnValue(index.keepitSessions, sessionId, { uuid, at });
  }
  return index;
}

function indexOf(text: string): RollingIndex | undefined {
  return rollingIndexSchema.safeParse(parsedJson(text)).data; // torn by another tool, it is made again of what there is
}

/** Seed 004: both less a safety margin of 5 %. */
export const ROTATION_TOKENS = 25_000 * 0.95;
export const CARRY_OVER_TOKENS = 2500 * 0.95;
/** A file that has grown far beyond the threshold becomes several archives. */
const OVERSIZED = 2;

interface Rotation {
  /** The whole text, in order: joined, they are the text that there was. */
  readonly archives: readonly string[];
  /** The end of the text, from the beginning of a line: with this the memory goes on. */
  readonly carryOver: string;
  readonly tokens: number;
}

/** Rotates a memory that has become too large; undefined for one that has not. */
export function rotate(text: string, counter: Pick<TokenCounter, 'count'>): Rotation | undefined {
  const tokens = counter.count(text);
  if (tokens <= ROTATION_TOKENS) return undefined;
  const archives = tokens <= OVERSIZED * ROTATION_TOKENS ? [text] : pieces(text, counter);
  return { archives, carryOver: carryOverOf(text, counter), tokens };
}

/** Pieces of at most the threshold, cut between lines where lines are short enough. */
function pieces(text: string, counter: Pick<TokenCounter, 'count'>): string[] {
  const all: string[] = [];
  for (let rest = text; rest !== '';) {
    const end = longest(rest, (length) => counter.count(rest.slice(0, length)) <= ROTATION_TOKENS);
    const line = end === rest.length ? end : rest.lastIndexOf('\n', end - 1) + 1;
    const cut = line > 0 ? line : Math.max(1, wholeCharacterEnd(rest, Math.max(2, end)));
    all.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return all;
}

function carryOverOf(text: string, counter: Pick<TokenCounter, 'count'>): string {
  const length = longest(text, (size) => counter.count(text.slice(text.length - size)) <= CARRY_OVER_TOKENS);
  const start = text.length - length;
  const line = start === 0 ? 0 : text.indexOf('\n', start - 1) + 1;
  const end = line > 0 || start === 0 ? text.slice(line) : text.slice(wholeCharacterEnd(text, start + 1));
  const heading = /^## /m.exec(end);
  return heading !== null && heading.index > 0 && heading.index < end.length / 2 ? end.slice(heading.index) : end;
}

/** The largest length that fits, as far as more text means more tokens. */
function longest(text: string, fits: (length: number) => boolean): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What a digest tells of. */
export interface DigestOrigin {
  readonly sessionId: string;
  /** The last message that is in it, and when that was said. */
  readonly uuid: string;
  readonly at: string;
}

const MARK = /<!-- keepit (\S+) (\S+) (\S*) -->/g;

/** What of a session is new, as a piece of `memory.md`. */
export function digestText(sections: readonly NoteSection[], { sessionId, uuid, at }: DigestOrigin): string {
  const blocksOf = (heading: string): string[] =>
    sections.find((section) => section.heading === heading)?.blocks.map(({ text }) => text) ?? [];
  const files = blocksOf('## Related Files/Artifacts').map((text) => text.slice(2));
  const context = blocksOf('## Context').join(' ');
  const points = blocksOf('## Tracking Points');
  const lines = [
    `## ${at.slice(0, 16).replace('T', ' ')} UTC, session ${sessionId}`,
    `<!-- keepit ${sessionId} ${uuid} ${at} -->`,
    '',
    `Asked: ${context}`,
    ...(points.length === 0 ? [] : ['', ...points]),
    ...(files.length === 0 ? [] : ['', `Files: ${files.join(', ')}`]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** How far sessions are in a memory, by the digests that stand in it: what counts when an index was not written any more. */
function digestsIn(memory: string): Map<string, DigestOrigin> {
  const found = new Map<string, DigestOrigin>();
  for (const [, sessionId = '', uuid = '', at = ''] of memory.matchAll(MARK))
    found.set(sessionId, { sessionId, uuid, at });
  return found;
}

import { moveToArchive, type Moved } from '../layerUpkeep';
import { LayerBuilder, type LayerBuilderParts } from '../layerBuilder';
import type { TokenCounter } from '../../text/tokens/tokenCounter';
import type { LayerFiles } from '../layerStore';
import { RollingFiles } from '../rolling/rollingFiles';
import { legacyFactsIn, readForeignFacts, type LegacyFacts, withFoundFacts } from '../facts/foreignFacts';
import { FOREIGN_ARCHIVE, isNote } from '../foreignFiles';
import { FACTS_FILE, LayerDocuments, SESSIONS_FOLDER, l1File, l2File } from '../layerDocuments';
import { humanTexts, legacySession } from './legacySession';

/** What was, or would be, taken over from the folder of a memory-keeper plugin. */
export interface MigrationReport {
  readonly isDryRun: boolean;
  /** Archives that an oversized memory, or an oversized archive, was split into. */
  readonly archives: readonly string[];
  /** Decisions and patterns that became proposals. */
  readonly facts: number;
  /** Problems that were written down in `memory.md`. */
  readonly issues: number;
  /** L1 files that are now sessions of the layers. */
  readonly sessions: readonly string[];
  /** Files that say nothing new, or whose content has a new place. */
  readonly moved: readonly Moved[];
  /** What there is no other place for, and stays as it is. */
  readonly left: readonly string[];
}

const L1 = '.l1.jsonl';

const SESSION_FILE = /^sessions\/[^/]+\.(?:l1\.jsonl|l2\.json|md)$/;

const OF_OTHERS = /^(?:config\.json|debug-hook\.json|.*\.log|logs|archive|delta.*)$/;

/**
 * Takes over what memory-keeper plugins (seed 004) have left beside the layers: memories that had grown too large, facts of their old
 * forms, sessions of which only their L1 is left. Nothing is deleted; a second time nothing is left to do. For one folder.
 */
export class LegacyMigration {
  private readonly moved: Moved[] = [];

  constructor(
    private readonly parts: LayerBuilderParts,
    private readonly files: LayerFiles,
    private readonly counter: Pick<TokenCounter, 'count'>,
  ) {}

  async run({ root, isDryRun }: { root: string; isDryRun: boolean }): Promise<MigrationReport> {
    const now = this.parts.clock.now();
    await this.acceptAll();
    const rolling = await RollingFiles.open(this.files, this.counter, isDryRun ? undefined : this.parts.log);
    const { facts, issues } = await this.facts(rolling);
    const archives = [...(await rolling.splitArchives(now, partDates)), ...(await rolling.rotate(now, partDates))];
    const sessions = await this.sessions(root);
    return { isDryRun, archives, facts, issues, sessions, moved: this.moved, left: await this.left() };
  }

  /** Sessions and notes count as this memory's own from now on. */
  private async acceptAll(): Promise<void> {
    for (const name of await this.files.foreign()) {
      const text = isNote(name) || SESSION_FILE.test(name) ? await this.files.readForeign(name) : undefined;
      if (text !== undefined) await this.files.accept(name, text);
    }
  }

  private async facts(rolling: RollingFiles): Promise<{ facts: number; issues: number }> {
    const documents = new LayerDocuments(this.files, this.parts.log, false);
    const before = await documents.facts();
    const own = legacyFactsIn(before);
    const document = withFoundFacts(before, own.document);
    const others = await this.foreignFacts();
    // Those of a foreign file are among the proposals already, and written down with the others.
    const count = document.proposed.filter(
      ({ origin, isRejected }) => origin !== undefined && isRejected !== true,
    ).length;
    const isNew = JSON.stringify(await documents.ownFacts()) !== JSON.stringify(document);
    if (isNew) await documents.saveFacts(document);
    const counter = own.counter ?? others?.counter;
    if (counter !== undefined && rolling.index.counter === 0 && counter > 0) await rolling.setCounter(counter);
    const issues = [...own.issues, ...(others?.issues ?? [])];
    const last =
      issues
        .map(({ date }) => date)
        .sort()
        .at(-1) ?? '';
    const heading = `## ${last === '' ? this.parts.clock.now().toISOString().slice(0, 10) : last}, problems in ${FACTS_FILE}`;
    return {
      facts: isNew ? count : 0,
      issues: await rolling.addLines(
        heading,
        issues.map(({ line }) => line),
      ),
    };
  }

  /** What another tool's `facts.json` says, also when ours has taken its place. */
  private async foreignFacts(): Promise<LegacyFacts | undefined> {
    for (const name of [FACTS_FILE, `${FOREIGN_ARCHIVE}/${FACTS_FILE}`]) {
      const text = await this.files.readForeign(name);
      if (text !== undefined) return legacyFactsIn(readForeignFacts(text));
    }
    return undefined;
  }

  private async sessions(root: string): Promise<string[]> {
    const builder = await LayerBuilder.open(this.parts, this.files, { root, full: false, isForeign: true });
    const known = await this.knownWords(builder);
    const adopted: string[] = [];
    for (const file of (await this.files.names(SESSIONS_FOLDER)).filter((name) => name.endsWith(L1)).sort()) {
      const name = file.slice(0, -L1.length);
      if (builder.names().includes(name)) continue;
      const session = legacySession(`l1-${name}`, (await this.files.read(l1File(name))) ?? '');
      if (session.reading.live.length === 0) continue;
      if (session.said.size > 0 && [...session.said].every((words) => known.has(words))) {
        await this.toArchive([l1File(name), l2File(name)]);
        continue;
      }
      const theirs = parsed(await this.files.read(l2File(name)));
      if (theirs !== undefined) await this.toArchive([l2File(name)]);
      if (await builder.adopt(name, session, theirs)) adopted.push(l1File(name));
      for (const words of session.said) known.add(words);
    }
    if (adopted.length > 0) await builder.finish();
    return adopted;
  }

  /** What people said in the sessions that the layers have already. */
  private async knownWords(builder: LayerBuilder): Promise<Set<string>> {
    const known = new Set<string>();
    for (const name of builder.names())
      for (const words of humanTexts((await this.files.read(l1File(name))) ?? '')) known.add(words);
    return known;
  }

  private async toArchive(names: readonly string[]): Promise<void> {
    for (const name of names)
      if ((await this.files.stat(name)) !== undefined) this.moved.push(await moveToArchive(this.files, name));
  }

  private async left(): Promise<string[]> {
    const top = (await this.files.names('')).filter((name) => OF_OTHERS.test(name));
    const notes = (await this.files.names(SESSIONS_FOLDER)).filter((name) => name.endsWith('.md'));
    return [...top, ...notes.map((name) => `${SESSIONS_FOLDER}/${name}`)].sort();
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // torn by another tool: it stays where it is, and is made again of the L1
  }
}

/** Memory-keeper plugins begin what they add with the day. */
const DAY = /^## (?:.*?\b)?(\d{4}-\d{2}-\d{2})/gm;

/** For each part of a memory the end of the last day that it tells of; undefined where none is named before. */
function partDates(parts: readonly string[]): (Date | undefined)[] {
  let last = '';
  return parts.map((part) => {
    for (const [, day = ''] of part.matchAll(DAY)) if (day > last && !Number.isNaN(Date.parse(day))) last = day;
    return last === '' ? undefined : new Date(`${last}T23:59:00.000Z`);
  });
}

import * as z from 'zod/mini';
import { ARCHIVE, moveToArchive, type Moved } from '../layerUpkeep';
import { LayerBuilder, type LayerBuilderParts } from '../layerBuilder';
import type { FactsDocument } from '../../model/layers';
import { parsedJson } from '../../text/ownValue';
import type { TokenCounter } from '../../text/tokens/tokenCounter';
import type { LayerFiles } from '../layerStore';
import { RollingFiles } from '../rolling/rollingFiles';
import {
  foreignStatements,
  legacyFactsIn,
  readForeignFacts,
  type LegacyFacts,
  withStatements,
} from '../facts/foreignFacts';
import { FOREIGN_ARCHIVE, isNote } from '../foreignFiles';
import { FACTS_FILE, LayerDocuments, SESSIONS_FOLDER, l1File, l2File } from '../layerDocuments';
import { humanTexts, legacySession } from './legacySession';
import type { ToldElsewhere } from './otherTools';

/** What was, or would be, taken over from another tool. */
export interface TakenOver {
  readonly isDryRun: boolean;
  /** Notes and memories of another tool that came in; a memory is an archive here. */
  readonly files: readonly string[];
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

export interface TakingOverRequest {
  /** The project's folder. */
  readonly root: string;
  readonly isDryRun: boolean;
  readonly told?: ToldElsewhere | undefined;
}

const L1 = '.l1.jsonl';

/** A memory, and the archives that it became. */
const ROLLING = /^memory(?:_\d{8}_\d{6})?\.md$/;

const SESSION_FILE = /^sessions\/[^/]+\.(?:l1\.jsonl|l2\.json|md)$/;
const SESSION_ENDING = /\.(?:l1\.jsonl|l2\.json|md)$/;

const OF_OTHERS = /^(?:config\.json|debug-hook\.json|.*\.log|logs|archive|delta.*)$/;

/**
 * Takes over what another tool has stored, or what memory-keeper plugins (seed 004) have left beside the layers: memories that had grown too large, facts of their old
 * forms, sessions of which only their L1 is left. Nothing is deleted; a second time nothing is left to do. For one folder.
 */
export class TakingOver {
  private readonly moved: Moved[] = [];
  private readonly broughtIn: string[] = [];
  /** Names of another tool's files for which there is no place. */
  private readonly passedOver: string[] = [];

  constructor(
    private readonly parts: LayerBuilderParts,
    private readonly files: LayerFiles,
    private readonly counter: Pick<TokenCounter, 'count'>,
  ) {}

  /** `told` is what is stored elsewhere; without it the folder of the layers is gone through. */
  async run({ root, isDryRun, told }: TakingOverRequest): Promise<TakenOver> {
    const now = this.parts.clock.now();
    if (told === undefined) await this.acceptAll();
    const rolling = await RollingFiles.open(this.files, this.counter, { log: this.parts.log, isLooking: isDryRun });
    if (told !== undefined) await this.bringIn(told.files, rolling);
    const { facts, issues } = await this.facts(rolling, told);
    const archives = [...(await rolling.splitArchives(now, partDates)), ...(await rolling.rotate(now, partDates))];
    const sessions = await this.sessions(root);
    const { moved, broughtIn: files } = this;
    return { isDryRun, files, archives, facts, issues, sessions, moved, left: await this.left() };
  }

  /** Sessions and notes count as this memory's own from now on. */
  private async acceptAll(): Promise<void> {
    for (const name of await this.files.foreign()) {
      const text = isNote(name) || SESSION_FILE.test(name) ? await this.files.readForeign(name) : undefined;
      if (text !== undefined) await this.files.accept(name, text);
    }
  }

  /** Puts files beside the layers, as if they had been left there. Nothing is overwritten. */
  private async bringIn(files: ToldElsewhere['files'], rolling: RollingFiles): Promise<void> {
    const known = await this.saidAlready();
    const isNew = (l1: string): boolean => [...humanTexts(files.get(l1) ?? '')].some((words) => !known.has(words));
    // A session whose words are there is known: what goes with them comes before them, in case this is cut short.
    const isLast = (name: string): number => Number(name.endsWith(L1));
    for (const [name, text] of [...files].sort(([a], [b]) => isLast(a) - isLast(b))) {
      const isRolling = ROLLING.test(name);
      const there = await this.files.read(name);
      if (name === FACTS_FILE || there === text || (isRolling && (await rolling.holds(text)))) continue;
      if (SESSION_FILE.test(name)) {
        const isWanted = isNew(name.replace(/\.l2\.json$/, L1));
        if (isWanted) await this.files.write(await this.freeName(name, files), text);
      } else if (there === undefined && isNote(name)) {
        await this.files.write(name, text);
        this.broughtIn.push(name);
      } else if (isRolling) {
        await rolling.addArchive(text, this.parts.clock.now(), partDates);
        this.broughtIn.push(name);
      } else this.passedOver.push(name);
    }
  }

  /** Two tools may call what they know of one session alike. */
  private async freeName(name: string, files: ToldElsewhere['files']): Promise<string> {
    const [base = name] = name.split(SESSION_ENDING);
    const l1 = files.get(`${base}${L1}`);
    for (let n = 1; ; n += 1) {
      const free = n === 1 ? base : `${base}_${n}`;
      const there = await this.files.read(`${free}${L1}`);
      if (there === undefined || there === l1) return name.replace(base, free);
    }
  }

  /** What people said in all sessions that are there. */
  private async saidAlready(): Promise<Set<string>> {
    const known = new Set<string>();
    for (const name of (await this.files.names(SESSIONS_FOLDER)).filter((file) => file.endsWith(L1)))
      for (const words of humanTexts((await this.files.read(`${SESSIONS_FOLDER}/${name}`)) ?? '')) known.add(words);
    return known;
  }

  private async facts(rolling: RollingFiles, told?: ToldElsewhere): Promise<{ facts: number; issues: number }> {
    const documents = new LayerDocuments(this.files, this.parts.log, false);
    const before = await documents.facts();
    const own = legacyFactsIn(before);
    const theirs = told?.files.get(FACTS_FILE);
    const document = withStatements(before, [
      ...own.statements,
      ...(told?.statements ?? []),
      ...(theirs === undefined ? [] : foreignStatements(theirs)),
    ]);
    const others = theirs === undefined ? await this.foreignFacts() : legacyFactsIn(readForeignFacts(theirs));
    // Those of a foreign file beside the layers are among the proposals already, and written down with the others.
    const known = told === undefined ? 0 : proposalsIn(before);
    const count = proposalsIn(document) - known;
    const isNew = JSON.stringify(await documents.ownFacts()) !== JSON.stringify(document);
    if (isNew) await documents.saveFacts(document);
    const counter = own.counter ?? others?.counter;
    if (counter !== undefined && rolling.index.counter === 0 && counter > 0) await rolling.setCounter(counter);
    return {
      facts: isNew ? count : 0,
      issues: await this.problems(rolling, [own, ...(others === undefined ? [] : [others])]),
    };
  }

  /** Problems belong into the memory. */
  private async problems(rolling: RollingFiles, facts: readonly LegacyFacts[]): Promise<number> {
    const issues = facts.flatMap((one) => one.issues);
    const today = this.parts.clock.now().toISOString().slice(0, 10);
    const last = issues.reduce((day, { date }) => (date > day ? date : day), '');
    const lines = issues.map(({ line }) => line);
    return rolling.addLines(`## ${last === '' ? today : last}, problems in ${FACTS_FILE}`, lines);
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
      if (await builder.adopt(name, session, await this.theirs(name, session.reading.sessionId)))
        adopted.push(l1File(name));
      for (const words of session.said) known.add(words);
    }
    if (adopted.length > 0) await builder.finish();
    return adopted;
  }

  /** What another tool made of a session. Where taking over was cut short it is in the archive already, and ours in its place. */
  private async theirs(name: string, sessionId: string): Promise<unknown> {
    // What another tool has torn stays where it is, and is made again of the L1.
    const there = parsedJson((await this.files.read(l2File(name))) ?? '');
    const isOurs = z.looseObject({ sessionId: z.literal(sessionId) }).safeParse(there).success;
    if (there === undefined || isOurs) return parsedJson((await this.files.read(l2File(`${ARCHIVE}/${name}`))) ?? '');
    await this.toArchive([l2File(name)]);
    return there;
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
    return [...top, ...notes.map((name) => `${SESSIONS_FOLDER}/${name}`), ...this.passedOver].sort();
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

/** How many facts of others wait for a word. */
function proposalsIn({ proposed }: FactsDocument): number {
  return proposed.filter(({ origin, isRejected }) => origin !== undefined && isRejected !== true).length;
}

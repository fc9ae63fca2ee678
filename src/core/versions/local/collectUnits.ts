import type { SourceMessage, SourceTool } from '../../material/types';
import { cutAtWord, QUESTION } from '../../text/sentences';
import type { Role } from '../../transcript/types';
import { findProjectRoot, withoutRoot } from '../../material/projectRoot';
import { detailMerit, isRule, pieceMerit, stepMerit, type PiecePlace } from './unitMerit';
import { readPieces, type Piece } from './pieces';
import { openTasks, type OpenTasks } from '../../material/deeds';
import type { StepKind } from '../../material/toolKinds';
import { SeenLines, readStep, type Step, isHarnessFailure } from './toolSteps';
import type { Unit, UnitDraft, UnitList } from './unit';

/** Shorter words of a human (`yes`, `go on`) continue what was asked before. */
const SHORTEST_REQUEST = 12;
/** An answer as short as this is told with its question. */
const LONGEST_ANSWER = 24;
const LONGEST_QUESTION = 200;
/** A sub-agent's report or a plan counts so much of what the assistant's own words do. */
const REPORTED = 0.55;

/** A question that waits for an answer. */
interface Asked {
  readonly role: Role;
  readonly message: number;
  readonly question: string;
}

/** How a session is taken apart. */
interface CollectOptions {
  /** Messages over whose beginning nothing reaches. */
  readonly starts: ReadonlySet<number>;
  /** Whether lines that tools have shown before are wanted as well: only where nearly everything is said. */
  readonly hasRepeats: boolean;
}

/** Takes a session apart into all that a version of it could say. Linear. */
export function collectUnits(messages: readonly SourceMessage[], { starts, hasRepeats }: CollectOptions): UnitList {
  const collector = new UnitCollector(messages, hasRepeats);
  for (const [at, message] of messages.entries()) {
    if (starts.has(message.index)) collector.closeEpisode();
    collector.add(message, messages[at + 1]?.role !== 'assistant');
  }
  return collector.finish();
}

class UnitCollector {
  private readonly units: Unit[] = [];
  private readonly episodes: number[] = [];
  private readonly root: string;
  private readonly open: OpenTasks;
  private drafts: (UnitDraft | (() => UnitDraft))[] = [];
  private steps: EpisodeSteps;
  private readonly seenLines: SeenLines;
  private episode = 0;
  private paragraph = 0;
  /** What the last message asks in the end. */
  private asked: Asked | undefined;

  constructor(messages: readonly SourceMessage[], hasRepeats: boolean) {
    this.root = findProjectRoot(messages);
    this.seenLines = new SeenLines(this.root, hasRepeats);
    this.open = openTasks(messages);
    this.steps = new EpisodeSteps();
  }

  add(message: SourceMessage, isLast: boolean): void {
    const isRequest = message.role === 'user' && message.texts.some(({ text }) => isSubstantial(text));
    if (isRequest) this.closeEpisode();
    const place: PiecePlace = {
      role: message.role,
      isFirst: false,
      isReport: message.role === 'assistant' && isLast,
      siblings: 0,
      position: 0,
    };
    const { asked } = this;
    this.asked = undefined;
    const isAnswer = asked !== undefined && asked.role !== message.role && isShortAnswer(message);
    for (let at = 0; at <= message.texts.length; at++) {
      for (const tool of message.tools) if (tool.afterText === at) this.addTool(tool, message);
      const text = message.texts[at]?.text;
      if (text === undefined) continue;
      if (isAnswer) this.addAnswer(text, asked, message);
      else this.addText(text, message.index, { ...place, isFirst: isRequest && at === 0 });
    }
    for (const tool of message.tools) if (tool.afterText > message.texts.length) this.addTool(tool, message);
    this.addTasks(message);
  }

  finish(): UnitList {
    this.closeEpisode();
    return { units: this.units, episodes: this.episodes };
  }

  /** `Yes` means nothing without what was asked. */
  private addAnswer(text: string, asked: Asked, { index, role }: SourceMessage): void {
    const unit = {
      kind: 'sentence',
      role,
      text: `${text.trim().replace(/[.。]$/, '')} (asked: ${asked.question})`,
      messages: [asked.message, index],
      paragraph: this.paragraph++,
      merit: 1,
    } as const;
    this.drafts.push({ unit, details: [] });
  }

  private addText(markdown: string, message: number, place: PiecePlace, factor = 1): void {
    const pieces = readPieces(withoutRoot(markdown, this.root));
    const opening = place.isFirst ? pieces.findIndex(({ kind }) => kind !== 'code' && kind !== 'heading') : -1;
    let heading: UnitDraft | undefined;
    for (const [at, piece] of pieces.entries()) {
      const isFirst = at === opening;
      const unit = this.pieceUnit(piece, message, { ...place, isFirst, siblings: pieces.length, position: at }, factor);
      if (piece.kind === 'heading') heading = undefined;
      const draft = { unit: { ...unit, isOpening: isFirst }, heading, details: [] };
      if (piece.kind === 'heading') heading = draft;
      this.drafts.push(draft);
    }
    this.paragraph += (pieces.at(-1)?.paragraph ?? 0) + 1;
    const last = pieces.findLast(({ text }) => QUESTION.test(text))?.text;
    if (last !== undefined)
      this.asked = { role: place.role, message, question: cutAtWord(last, LONGEST_QUESTION).replace(QUESTION, '') };
  }

  private pieceUnit(piece: Piece, message: number, place: PiecePlace, factor: number): Unit {
    return {
      kind: piece.kind,
      role: place.role,
      text: piece.text,
      messages: [message],
      paragraph: this.paragraph + piece.paragraph,
      depth: piece.depth,
      merit: pieceMerit(piece, place) * factor,
      isRule: isRule(piece, place),
      language: piece.language,
    };
  }

  private addTool(tool: SourceTool, { index }: SourceMessage): void {
    const step = readStep(tool, this.root, this.seenLines);
    const draft = this.steps.add(step, index, this.paragraph);
    if (draft !== undefined) this.drafts.push(draft);
    this.paragraph++;
    this.addStepWords(step, index);
  }

  /** What a step brought in words: a report, a plan. */
  private addStepWords({ prose }: Step, message: number): void {
    const place = { isFirst: false, isReport: false, siblings: 0, position: 0 };
    if (prose !== '') this.addText(prose, message, { ...place, role: 'assistant' }, REPORTED);
  }

  private addTasks({ uuid, index }: SourceMessage): void {
    const { tasks } = this.open;
    if (uuid !== this.open.uuid || tasks.length === 0) return;
    const text = `Open: ${tasks.join('; ')}`;
    const unit = {
      kind: 'item',
      role: 'assistant',
      text,
      messages: [index],
      paragraph: this.paragraph++,
      merit: 1,
    } as const;
    this.drafts.push({ unit, details: [] });
  }

  /** What comes next is told apart from what came before. */
  closeEpisode(): void {
    this.asked = undefined;
    const places = new Map<UnitDraft, number>();
    for (const one of this.drafts) {
      const draft = typeof one === 'function' ? one() : one;
      const { unit, details } = draft;
      const parent = this.units.length;
      const heading = draft.heading && places.get(draft.heading);
      places.set(draft, parent);
      this.units.push(heading === undefined ? unit : { ...unit, heading });
      for (const detail of details) this.units.push({ ...detail, parent });
      for (let count = details.length; count >= 0; count--) this.episodes.push(this.episode);
    }
    this.drafts = [];
    this.steps = new EpisodeSteps();
    this.episode++;
  }
}

function isShortAnswer({ texts, tools }: SourceMessage): boolean {
  const words = texts[0]?.text.trim() ?? '';
  const isShort = words.length <= LONGEST_ANSWER && /[\p{L}\p{N}]/u.test(words);
  return texts.length === 1 && tools.length === 0 && isShort && !QUESTION.test(words);
}

function isSubstantial(text: string): boolean {
  const words = text.trim();
  return words.length >= SHORTEST_REQUEST || /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}/.test(words);
}

/** Steps of one kind on the same thing, told once. */
interface Group {
  readonly step: Step;
  readonly messages: number[];
  readonly paragraph: number;
  readonly details: Omit<Unit, 'parent'>[];
  count: number;
}

/** A step adds more than one chunk of lines at most so often; what comes later is more of the same. */
const MOST_DETAILS = 800;
/** These are told by file, with one word for all files in a row. */
const SHARED_VERBS: ReadonlySet<StepKind> = new Set(['edit', 'write', 'read']);
/** Lines that stood elsewhere before are worth so much of what new ones are. */
const REPEATED = 0.1;
/** A command that only looks is worth so much of what others are. */
const LOOKING = 0.25;
/** Nothing is said of these but what they brought in words. */
const SILENT: ReadonlySet<StepKind> = new Set(['todo', 'plan']);

/** Condenses the tool steps of one episode: each file and each command is told once, with what came of it. */
export class EpisodeSteps {
  private readonly groups = new Map<string, Group>();
  private readonly changed = new Set<string>();

  /** What is to be said of the step, once the episode is over; undefined when it was told before, or needs no word. */
  add(step: Step, message: number, paragraph: number): (() => UnitDraft) | undefined {
    if (SILENT.has(step.kind) || isHarnessFailure(step)) return undefined;
    if (step.kind === 'edit' || step.kind === 'write') this.changed.add(step.object);
    const key = [step.kind, step.object, step.outcome.isError, step.outcome.isError ? step.outcome.line : ''].join(
      '\n',
    );
    const known = this.groups.get(key);
    const group = known ?? { step, messages: [], paragraph, details: [], count: 0 };
    group.count++;
    if (group.messages.at(-1) !== message) group.messages.push(message);
    this.addDetails(group, step, message);
    if (known !== undefined) return undefined;
    this.groups.set(key, group);
    return () => this.draft(group);
  }

  private addDetails(group: Group, step: Step, message: number): void {
    const merit = detailMerit(step.kind, step.outcome.isError);
    for (const { text, isRepeat } of step.details) {
      if (group.details.length >= MOST_DETAILS) return;
      const base = { kind: 'detail', role: 'assistant', messages: [message], paragraph: group.paragraph } as const;
      group.details.push({ ...base, text, merit: isRepeat ? merit * REPEATED : merit });
    }
  }

  private draft({ step, messages, paragraph, details, count }: Group): UnitDraft {
    const { kind, verb, object, outcome } = step;
    const isReadAgain = kind === 'read' && this.changed.has(object);
    const merit = stepMerit(kind, outcome.isError) * (isReadAgain ? 0.4 : 1) * (step.onlyLooks ? LOOKING : 1);
    const isShared = SHARED_VERBS.has(kind) && !outcome.isError;
    const unit = {
      kind: 'step',
      role: 'assistant',
      text: isShared ? object : stepText(step, count),
      messages,
      paragraph,
      merit: object === '' ? 0 : merit,
      ...(isShared && { verb }),
    } as const;
    return { unit, details };
  }
}

function stepText({ kind, verb, object, outcome }: Step, count: number): string {
  const subject =
    kind === 'command' || kind === 'search' ? object : `${verb}${/[\w):]$/.test(verb) ? ' ' : ''}${object}`;
  const times = count > 1 ? ` (${count}×)` : '';
  if (outcome.isRefused) return `${subject}: refused by the user`;
  if (outcome.isError) return `${subject}${times} failed${outcome.line === '' ? '' : `: ${outcome.line}`}`;
  return outcome.line === '' || outcome.line === object ? `${subject}${times}` : `${subject}${times} → ${outcome.line}`;
}

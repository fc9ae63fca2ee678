import type { SourceMessage, SourceTool } from '../../material/types';
import { findProjectRoot, withoutRoot } from '../../material/projectRoot';
import type { MessageOrigin, Role } from '../../transcript/types';
import { readCues, cueNames, type Cues } from './cues';
import { readPieces, type Piece } from './pieces';
import { SeenLines, type StepKind, lastTaskList, openTasks, readStep, type Step, isHarnessFailure } from './toolSteps';
import type { Unit, UnitDraft, UnitList } from './unit';

/** Shorter words of a human (`yes`, `go on`) continue what was asked before. */
const SHORTEST_REQUEST = 12;
/** A sub-agent's report or a plan counts so much of what the assistant's own words do. */
const REPORTED = 0.55;

/** How a session is taken apart. */
interface CollectOptions {
  /** Messages over whose beginning nothing reaches. */
  readonly starts: ReadonlySet<number>;
  /** Whether lines that tools have shown before are wanted as well: only where nearly everything is said. */
  readonly hasRepeats: boolean;
}

/** Takes a session apart into all that a version of it could say. Linear. */
export function collectUnits(
  messages: readonly SourceMessage[],
  { starts, hasRepeats }: CollectOptions,
  signal?: AbortSignal,
): UnitList {
  const collector = new UnitCollector(messages, hasRepeats);
  for (const [at, message] of messages.entries()) {
    signal?.throwIfAborted();
    if (starts.has(message.index)) collector.closeEpisode();
    collector.add(message, messages[at + 1]?.role !== 'assistant');
  }
  return collector.finish();
}

class UnitCollector {
  private readonly units: Unit[] = [];
  private readonly episodes: number[] = [];
  private readonly root: string;
  private readonly lastTasks: SourceTool | undefined;
  private drafts: (UnitDraft | (() => UnitDraft))[] = [];
  private steps: EpisodeSteps;
  private readonly seenLines: SeenLines;
  private episode = 0;
  private paragraph = 0;

  constructor(messages: readonly SourceMessage[], hasRepeats: boolean) {
    this.root = findProjectRoot(messages);
    this.seenLines = new SeenLines(this.root, hasRepeats);
    this.lastTasks = lastTaskList(messages);
    this.steps = new EpisodeSteps();
  }

  add(message: SourceMessage, isLast: boolean): void {
    const isRequest = message.role === 'user' && message.texts.some(({ text }) => isSubstantial(text));
    if (isRequest) this.closeEpisode();
    const place: PiecePlace = {
      role: message.role,
      origin: message.origin,
      isFirst: false,
      isReport: message.role === 'assistant' && isLast,
      siblings: 0,
      position: 0,
    };
    for (let at = 0; at <= message.texts.length; at++) {
      for (const tool of message.tools) if (tool.afterText === at) this.addTool(tool, message);
      const text = message.texts[at]?.text;
      if (text !== undefined) this.addText(text, message.index, { ...place, isFirst: isRequest && at === 0 });
    }
    for (const tool of message.tools) if (tool.afterText > message.texts.length) this.addTool(tool, message);
  }

  finish(): UnitList {
    this.closeEpisode();
    return { units: this.units, episodes: this.episodes };
  }

  private addText(markdown: string, message: number, place: PiecePlace, factor = 1): void {
    const pieces = readPieces(withoutRoot(markdown, this.root));
    const opening = place.isFirst ? pieces.findIndex(({ kind }) => kind !== 'code' && kind !== 'heading') : -1;
    const leads = new Leads();
    for (const [at, piece] of pieces.entries()) {
      const isFirst = at === opening;
      const unit = this.pieceUnit(piece, message, { ...place, isFirst, siblings: pieces.length, position: at }, factor);
      const isLead = !isFirst && isLeadIn(piece);
      const heading = leads.above(piece);
      const draft = { unit: { ...unit, isOpening: isFirst, isLead }, heading, details: [] };
      if (isLead) leads.add(piece, draft);
      this.drafts.push(draft);
    }
    this.paragraph += (pieces.at(-1)?.paragraph ?? 0) + 1;
  }

  private pieceUnit(piece: Piece, message: number, place: PiecePlace, factor: number): Unit {
    const cues = readCues(piece.text);
    const isProse = piece.kind === 'sentence' || piece.kind === 'item';
    const isRule = isProse && !cues.isQuestion && !isPasted(place) && (cues.isRule || cues.isDecision);
    return {
      kind: piece.kind,
      role: place.role,
      text: piece.text,
      messages: [message],
      paragraph: this.paragraph + piece.paragraph,
      depth: piece.depth,
      merit: pieceMerit(piece, cues, place) * factor,
      isRule,
      isNegative: cues.isNegative,
      isQuestion: cues.isQuestion,
      language: piece.language,
    };
  }

  private addTool(tool: SourceTool, { index, origin }: SourceMessage): void {
    if (tool === this.lastTasks) this.addTasks(openTasks(tool), index);
    const step = readStep(tool, this.root, this.seenLines);
    const draft = this.steps.add(step, index, this.paragraph);
    if (draft !== undefined) this.drafts.push(draft);
    this.paragraph++;
    this.addStepWords(step, index, origin);
  }

  /** What a step brought in words: a report, a plan. */
  private addStepWords({ prose }: Step, message: number, origin: PiecePlace['origin']): void {
    const place = { origin, isFirst: false, isReport: false, siblings: 0, position: 0 };
    if (prose !== '') this.addText(prose, message, { ...place, role: 'assistant' }, REPORTED);
  }

  private addTasks(tasks: readonly string[], message: number): void {
    if (tasks.length === 0) return;
    const text = `Open: ${tasks.join('; ')}`;
    const unit = {
      kind: 'item',
      role: 'assistant',
      text,
      messages: [message],
      paragraph: this.paragraph++,
      merit: 1,
    } as const;
    this.drafts.push({ unit, details: [] });
  }

  /** What comes next is told apart from what came before. */
  closeEpisode(): void {
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

/** What the pieces of a message stand under. */
class Leads {
  private heading: UnitDraft | undefined;
  private sentence: UnitDraft | undefined;
  private readonly items: { readonly depth: number; readonly draft: UnitDraft }[] = [];

  /** A heading leads in to all that follows, a sentence to lists and code up to the next sentence, an item to those within it. */
  above({ kind, depth }: Piece): UnitDraft | undefined {
    if (kind === 'heading') return undefined;
    if (kind === 'sentence') this.sentence = undefined;
    while (this.items.length > 0 && (kind === 'sentence' || (this.items.at(-1)?.depth ?? 0) >= depth)) this.items.pop();
    return this.items.at(-1)?.draft ?? this.sentence ?? this.heading;
  }

  add({ kind, depth }: Piece, draft: UnitDraft): void {
    if (kind === 'item') this.items.push({ depth, draft });
    else this.sentence = kind === 'heading' ? undefined : draft;
    if (kind === 'heading') this.heading = draft;
  }
}

function isLeadIn({ kind, text }: Piece): boolean {
  return kind === 'heading' || (kind !== 'code' && /[:：]$/.test(text));
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

/** Where a piece stands. */
interface PiecePlace {
  readonly role: Role;
  readonly origin: MessageOrigin;
  /** The first words of the message. */
  readonly isFirst: boolean;
  /** In the last message before the human speaks again: what the assistant reports. */
  readonly isReport: boolean;
  /** How many pieces the message has, and which of them this is: what is pasted is long. */
  readonly siblings: number;
  readonly position: number;
}

/** A message with more pieces than this is mostly pasted: what stands in the middle of it nobody said. */
const PASTED_PIECES = 25;
const OWN_FIRST = 6;
const OWN_LAST = 2;
const PASTED = 0.4;

/** Courtesies that are longer than this say something as well. */
const COURTEOUS = 60;
/** `Note`, `Fair enough.`, `[Image #1]`: nobody knows later what it was about. */
const WORD_OR_TWO = 13;
/** A sentence as short as this that names nothing says little by itself. */
const SHORT = 40;
const TELLING = /[`'"/_\d\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\p{Ll}\p{Lu}|\.\p{Ll}/u;

/** A value that is meant to the letter. */
const LITERAL = /[`'"“«「][^`'"”»」]{1,40}[`'"”»」]|[\p{L}\d]_|_[\p{L}\d]|@\p{L}|\p{Ll}\p{Lu}|\d/u;

/** What a piece of what was said is worth before anything is known of the others. 1 is a plain sentence of the assistant's report. */
function pieceMerit(piece: Piece, cues: Cues, place: PiecePlace): number {
  if (piece.kind === 'heading') return 0.8;
  if (piece.kind === 'code') return place.role === 'user' ? 0.5 : 0.45;
  if (place.role === 'assistant') return assistantMerit(piece, cues, place);
  return isPasted(place) ? PASTED * assistantMerit(piece, cues, place) : humanMerit(piece, cues, place);
}

/** Whether a piece stands in the middle of a long message, where people paste documents and logs. */
function isPasted({ siblings, position }: PiecePlace): boolean {
  return siblings > PASTED_PIECES && position >= OWN_FIRST && position < siblings - OWN_LAST;
}

function humanMerit(piece: Piece, cues: Cues, { isFirst }: PiecePlace): number {
  if (cues.isCourtesy && !cues.isRule && piece.text.length < COURTEOUS) return 0.15;
  let merit = 1.3 * cueFactor(cues, HUMAN_CUES);
  if (isFirst) merit *= 1.2;
  if (cues.isRule && !cues.isQuestion) merit *= LITERAL.test(piece.text) ? 2.6 : 1.8;
  if (cues.isQuestion && !isFirst) merit *= 0.8;
  if (!isFirst && piece.text.length < WORD_OR_TWO && !/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(piece.text))
    merit *= 0.3;
  return merit;
}

function assistantMerit({ text }: Piece, cues: Cues, { isReport }: PiecePlace): number {
  if (cues.isCourtesy && text.length < COURTEOUS && !LITERAL.test(text)) return 0.1;
  let merit = (isReport ? 1 : 0.75) * cueFactor(cues, ASSISTANT_CUES);
  if (text.endsWith(':')) merit *= 0.5;
  if (text.length < SHORT && !TELLING.test(text)) merit *= 0.5;
  if (cues.isQuestion) merit *= isReport ? 0.7 : 0.4;
  return merit;
}

type CueFactors = Readonly<Partial<Record<keyof Cues, number>>>;

const HUMAN_CUES: CueFactors = { isDecision: 1.4, isChange: 1.15, isError: 1.15, isReason: 1.1 };
const ASSISTANT_CUES: CueFactors = {
  isAnnouncement: 0.4,
  isDecision: 1.35,
  isReason: 1.3,
  isError: 1.2,
  isFix: 1.2,
  isRule: 1.1,
};

function cueFactor(cues: Cues, factors: CueFactors): number {
  let product = 1;
  for (const cue of cueNames) if (cues[cue]) product *= factors[cue] ?? 1;
  return product;
}

const STEP_MERITS: Readonly<Record<StepKind, number>> = {
  edit: 1.1,
  write: 1.2,
  command: 0.8,
  read: 0.3,
  search: 0.15,
  web: 0.5,
  agent: 0.6,
  plan: 0.5,
  todo: 0,
  other: 0.4,
};

/** What a condensed tool step is worth; one that failed tells more. */
function stepMerit(kind: StepKind, isError: boolean): number {
  return isError ? Math.max(1, STEP_MERITS[kind]) : STEP_MERITS[kind];
}

const DETAIL_MERITS: Readonly<Record<StepKind, number>> = {
  edit: 0.16,
  write: 0.1,
  command: 0.07,
  read: 0.04,
  search: 0.03,
  web: 0.06,
  agent: 0.2,
  plan: 0.3,
  todo: 0,
  other: 0.05,
};

/** What a few lines out of a step's input or result are worth. */
function detailMerit(kind: StepKind, isError: boolean): number {
  return DETAIL_MERITS[kind] * (isError ? 1.5 : 1);
}

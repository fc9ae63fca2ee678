import type { Steps } from '../../transcript/steps';
import type { SourceMessage, SourceTool } from '../../material/types';
import { readCues } from './cues';
import { EpisodeSteps } from './episodeSteps';
import { isPasted, pieceMerit, type PiecePlace } from './merit';
import { readPieces, type Piece } from './pieces';
import { findProjectRoot, withoutRoot } from '../../material/projectRoot';
import { SeenLines } from './stepLines';
import { lastTaskList, openTasks, readStep, type Step } from './toolSteps';
import type { Unit, UnitDraft, UnitList } from './unit';

/** Shorter words of a human (`yes`, `go on`) continue what was asked before. */
const SHORTEST_REQUEST = 12;
/** A sub-agent's report or a plan counts so much of what the assistant's own words do. */
const REPORTED = 0.55;

const PIECES_PER_STEP = 50;

/** How a session is taken apart. */
export interface CollectOptions {
  /** Messages over whose beginning nothing reaches. */
  readonly starts: ReadonlySet<number>;
  /** Whether lines that tools have shown before are wanted as well: only where nearly everything is said. */
  readonly hasRepeats: boolean;
}

/** Takes a session apart into all that a version of it could say. Linear. */
export function* collectUnits(
  messages: readonly SourceMessage[],
  { starts, hasRepeats }: CollectOptions,
): Steps<UnitList> {
  const collector = new UnitCollector(messages, hasRepeats);
  for (const [at, message] of messages.entries()) {
    if (starts.has(message.index)) collector.closeEpisode();
    yield* collector.add(message, messages[at + 1]?.role !== 'assistant');
    yield;
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

  *add(message: SourceMessage, isLast: boolean): Steps<void> {
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
      for (const tool of message.tools) if (tool.afterText === at) yield* this.addTool(tool, message);
      const text = message.texts[at]?.text;
      if (text !== undefined) yield* this.addText(text, message.index, { ...place, isFirst: isRequest && at === 0 });
    }
    for (const tool of message.tools) if (tool.afterText > message.texts.length) yield* this.addTool(tool, message);
  }

  finish(): UnitList {
    this.closeEpisode();
    return { units: this.units, episodes: this.episodes };
  }

  private *addText(markdown: string, message: number, place: PiecePlace, factor = 1): Steps<void> {
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
      if (at % PIECES_PER_STEP === PIECES_PER_STEP - 1) yield;
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
      ...(piece.language !== undefined && { language: piece.language }),
    };
  }

  private *addTool(tool: SourceTool, { index, origin }: SourceMessage): Steps<void> {
    if (tool === this.lastTasks) this.addTasks(openTasks(tool), index);
    const step = readStep(tool, this.root, this.seenLines);
    const draft = this.steps.add(step, index, this.paragraph);
    if (draft !== undefined) this.drafts.push(draft);
    this.paragraph++;
    yield* this.addStepWords(step, index, origin);
    yield;
  }

  /** What a step brought in words: a report, a plan. */
  private *addStepWords({ prose }: Step, message: number, origin: PiecePlace['origin']): Steps<void> {
    const place = { origin, isFirst: false, isReport: false, siblings: 0, position: 0 };
    if (prose !== '') yield* this.addText(prose, message, { ...place, role: 'assistant' }, REPORTED);
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

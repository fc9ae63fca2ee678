import { bareText } from '../../text/words';
import { saidIn } from '../../material/statements';
import { textOf } from '../../material/toolKinds';
import type { SourceMessage, SourceTool } from '../../material/types';
import { singleSpaced } from '../../text/cleanText';
import { wholeCharacterEnd } from '../../text/sentences';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { MaterialReader, type MaterialReaderParts } from '../../sessions/sessionMaterial';
import type { TokenCounter, TokenCounters } from '../../text/tokens/tokenCounter';
import { withoutHarnessTags } from '../../transcript/harnessBlocks';
import { ownWords } from '../facts/ownWords';
import { sumOf } from '../../text/ownValue';

/** A message as a model is shown it; what it quotes of it must stand in here. */
export interface ShownMessage {
  readonly uuid: string;
  readonly ts: string | undefined;
  readonly by: 'user' | 'claude';
  readonly text: string;
  /** What whoever wrote it says in words of their own: not what a person shows of others, nor what a tool printed. */
  readonly own: string;
}

/** A session as a model is shown it. */
export interface ShownSession {
  /** By the numbers that the model is told. */
  readonly messages: ReadonlyMap<number, ShownMessage>;
  readonly text: string;
  readonly tokens: number;
}

/** How much is shown of what: characters, but for tools. */
interface Generosity {
  readonly user: number;
  readonly closing: number;
  readonly between: number;
  readonly tools: number;
}

/** What people type is a small part of most sessions: it gives way last. */
const LEVELS: readonly Generosity[] = [
  { user: 6_000, closing: 4_000, between: 1_200, tools: 12 },
  { user: 4_000, closing: 2_500, between: 400, tools: 5 },
  { user: 3_000, closing: 1_500, between: 150, tools: 2 },
  { user: 1_500, closing: 700, between: 0, tools: 0 },
];
const LEAST: Generosity = { user: 600, closing: 200, between: 0, tools: 0 };
/** In o200k_base: far from where prompts become dear or models careless. */
const MOST_TOKENS = 40_000;
const MAX_TARGET = 120;
const MAX_RESULT = 200;
const MAX_PLAN = 3_000;
const CUT = ' […] ';

/** A session with as much of it as there is room for; what was said last is kept where even that is too little. */
export function shownSession(messages: readonly SourceMessage[], counter: Pick<TokenCounter, 'count'>): ShownSession {
  for (const level of LEVELS) {
    const shown = joined(piecesOf(messages, level, counter));
    if (shown.tokens <= MOST_TOKENS) return shown;
  }
  const pieces = piecesOf(messages, LEAST, counter);
  let room = MOST_TOKENS;
  const kept = pieces.toReversed().filter(({ tokens }) => (room -= tokens) >= 0);
  return joined(kept.reverse());
}

export interface ShownParts extends MaterialReaderParts {
  readonly tokens: TokenCounters;
}

/** The session in a transcript as a model is shown it; undefined for one in which nobody has said anything. */
export async function readShown(
  parts: ShownParts,
  path: string,
  counter: TokenCounter,
  signal?: AbortSignal,
): Promise<ShownSession | undefined> {
  const { messages } = await new MaterialReader(parts).read(path, counter, signal);
  const shown = shownSession(messages, counter);
  const isAny = [...shown.messages.values()].some(({ by, own }) => by === 'user' && own.trim() !== '');
  return isAny ? shown : undefined;
}

interface Piece {
  readonly index: number;
  readonly shown: ShownMessage;
  readonly text: string;
  readonly tokens: number;
}

function joined(pieces: readonly Piece[]): ShownSession {
  return {
    messages: new Map(pieces.map(({ index, shown }) => [index, shown])),
    text: pieces.map(({ text }) => text).join('\n\n'),
    tokens: sumOf(pieces, ({ tokens }) => tokens),
  };
}

function piecesOf(
  messages: readonly SourceMessage[],
  level: Generosity,
  counter: Pick<TokenCounter, 'count'>,
): Piece[] {
  return messages.flatMap((message, at): Piece[] => {
    const isClosing = messages[at + 1]?.role !== 'assistant';
    const by = message.role === 'user' ? 'user' : 'claude';
    const most = by === 'user' ? level.user : isClosing ? level.closing : level.between;
    const said = shortened(cleaned(saidIn(message)), most);
    const plans = plansIn(message);
    const text = [said, ...plans, ...toolLines(message, level)].filter((part) => part !== '').join('\n');
    if (text === '') return [];
    const { uuid, timestamp: ts } = message;
    const shown: ShownMessage = {
      uuid,
      ts,
      by,
      text,
      own: by === 'user' ? ownWords(said) : [said, ...plans].join('\n\n'),
    };
    const labelled = `[${message.index}] ${by.toUpperCase()}\n${text}`;
    return [{ index: message.index, shown, text: labelled, tokens: counter.count(labelled) + 2 }];
  });
}

/** What Claude proposes in words of its own, which people approve or correct. */
function plansIn({ tools }: SourceMessage): string[] {
  const plans = tools.map((tool) => shortened(cleaned(textOf(tool, 'plan')), MAX_PLAN));
  return plans.filter((plan) => plan !== '');
}

function toolLines({ tools }: SourceMessage, level: Generosity): string[] {
  return level.tools === 0 ? [] : tools.slice(-level.tools).map(toolLine);
}

/** Tags by which words of a session could pose as something else are no words of anybody. */
function cleaned(text: string): string {
  return withoutHarnessTags(withoutSecrets(bareText(text))).trim();
}

function toolLine({ name, target, result, isError }: SourceTool): string {
  const failed = isError ? ` failed: ${cleaned(singleSpaced(result)).slice(0, MAX_RESULT)}` : '';
  return `{${name}} ${cleaned(singleSpaced(target)).slice(0, MAX_TARGET)}${failed}`;
}

/** The beginning and the end, which say most; nothing is cut within a character. */
function shortened(text: string, most: number): string {
  if (text.length <= most || most === 0) return text.length <= most ? text : '';
  const head = wholeCharacterEnd(text, Math.floor(most * 0.7));
  const tail = wholeCharacterEnd(text, text.length - Math.floor(most * 0.3));
  return `${text.slice(0, head)}${CUT}${text.slice(tail)}`;
}

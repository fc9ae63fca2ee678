import type { SourceMessage, SourceTool } from '../../material/types';

/** Longer texts are cut into pieces of this many characters at most, at the end of a line where there is one. */
const PIECE_CHARACTERS = 24_000;

/**
 * A message as a model reads it, in pieces that each stand for themselves: a session can be cut between any two of them. Secrets
 * and private passages are out of it already, as of everything that a summarizer is given.
 */
export function messagePieces(message: SourceMessage): string[] {
  const parts: string[] = [];
  const toolsAfter = (texts: number) => message.tools.filter(({ afterText }) => afterText === texts).map(toolText);
  parts.push(...toolsAfter(0));
  for (const [index, { text }] of message.texts.entries()) parts.push(text, ...toolsAfter(index + 1));
  const label = `[${message.index}] ${message.role === 'user' ? 'HUMAN' : 'ASSISTANT'}`;
  const pieces = packed(parts.flatMap((part) => sliced(part.trim())));
  return pieces.map((piece, index) => `${label}${index === 0 ? '' : ' (continued)'}\n${piece}`);
}

function toolText({ name, target, input, result, isError }: SourceTool): string {
  const asked = Object.keys(input).length === 0 ? '' : ` ${JSON.stringify(input)}`;
  const answer = result === '' ? '' : `\n${isError ? 'failed:' : 'printed:'} ${result}`;
  return `{tool ${name}${target === '' ? '' : `: ${target}`}}${asked}${answer}`;
}

function sliced(text: string): string[] {
  const slices: string[] = [];
  let rest = text;
  while (rest.length > PIECE_CHARACTERS) {
    const line = rest.lastIndexOf('\n', PIECE_CHARACTERS);
    const end = wholeCharacters(rest, line > PIECE_CHARACTERS / 2 ? line : PIECE_CHARACTERS);
    slices.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest.trim() !== '') slices.push(rest);
  return slices;
}

/** Not between the two halves of a character. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

function packed(parts: readonly string[]): string[] {
  const pieces: string[] = [];
  for (const part of parts) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + part.length <= PIECE_CHARACTERS)
      pieces[pieces.length - 1] = `${last}\n${part}`;
    else pieces.push(part);
  }
  return pieces;
}

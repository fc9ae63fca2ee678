import { NodeKind, type ChainNode, type ChainTable } from './chainTable';
import { digitAt, digitsText, NO_DIGIT } from './digits';
import type { IdHash } from './hashIndex';
import { TranscriptError } from './transcriptError';

const SIDECHAIN = 8;
const SAID = 16;
const RESENT = 32;

const NO_PARENT = 0;
const PARENT_BY_HASH = 1;
const PARENT_BACK = 2;

const KINDS: readonly NodeKind[] = [0, 1, 2, 3, 4, 5];

/** Writes nodes as text: 6 bytes for the id, then a few small numbers, all in base64 digits. */
export class ChainPacker {
  private readonly writer = new ByteWriter();

  /** Adds the next node; `back` tells how many nodes before it its parent stands, if that is known. */
  add(node: ChainNode, back: number | undefined): void {
    const { writer } = this;
    const { kind, isSidechain, isSaid, isResent, parent } = node;
    writer.byte(kind | (isSidechain ? SIDECHAIN : 0) | (isSaid ? SAID : 0) | (isResent ? RESENT : 0));
    writer.hash(node.id);
    if (back !== undefined) writer.number(back - 1 + PARENT_BACK);
    else if (parent === undefined) writer.number(NO_PARENT);
    else {
      writer.number(PARENT_BY_HASH);
      writer.hash(parent);
    }
    if (kind === NodeKind.assistant) {
      writer.hash(node.message ?? node.id);
      writer.number(node.tools);
    }
    if (hasTokens(kind)) writer.number(node.tokens);
    if (hasResults(kind)) writer.number(node.resultTokens);
  }

  text(): string {
    return this.writer.text();
  }
}

/** Adds the nodes of a block to the table; it must be the block that follows those added before. */
export function unpackNodes(table: ChainTable, block: string): void {
  const reader = new ByteReader(block);
  while (!reader.isDone) table.add(readNode(reader, table));
}

function readNode(reader: ByteReader, table: ChainTable): ChainNode {
  const flags = reader.byte();
  const kind = KINDS[flags & 7];
  if (kind === undefined) throw new TranscriptError('bad-state', 'unknown node kind in a stored chain');
  const id = reader.hash();
  const parent = readParent(reader, table);
  const isAssistant = kind === NodeKind.assistant;
  const message = isAssistant ? reader.hash() : undefined;
  const tools = isAssistant ? reader.number() : 0;
  const tokens = hasTokens(kind) ? reader.number() : 0;
  const resultTokens = hasResults(kind) ? reader.number() : 0;
  const isSidechain = (flags & SIDECHAIN) !== 0;
  const isSaid = (flags & SAID) !== 0;
  const isResent = (flags & RESENT) !== 0;
  return { id, parent, kind, isSidechain, isSaid, isResent, message, tools, tokens, resultTokens };
}

function readParent(reader: ByteReader, table: ChainTable): IdHash | undefined {
  const code = reader.number();
  if (code === NO_PARENT) return undefined;
  if (code === PARENT_BY_HASH) return reader.hash();
  const parent = table.size - 1 - (code - PARENT_BACK);
  if (parent < 0) throw new TranscriptError('bad-state', 'a stored chain refers to before its beginning');
  return table.id(parent);
}

function hasTokens(kind: NodeKind): boolean {
  return kind === NodeKind.human || kind === NodeKind.assistant;
}

function hasResults(kind: NodeKind): boolean {
  return kind === NodeKind.human || kind === NodeKind.toolResult;
}

class ByteWriter {
  private bytes = new Uint8Array(1024);
  private length = 0;

  byte(value: number): void {
    if (this.length === this.bytes.length) {
      const wider = new Uint8Array(this.length * 2);
      wider.set(this.bytes);
      this.bytes = wider;
    }
    this.bytes[this.length++] = value;
  }

  number(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  hash({ low, high }: IdHash): void {
    for (const shift of [0, 8, 16, 24]) this.byte((low >>> shift) & 0xff);
    this.byte(high & 0xff);
    this.byte(high >>> 8);
  }

  text(): string {
    const { bytes, length } = this;
    const digits = new Uint8Array(Math.ceil((length * 4) / 3));
    let bits = 0;
    let held = 0;
    let count = 0;
    for (let at = 0; at < length; at++) {
      bits = ((bits << 8) | (bytes[at] ?? 0)) & 0xffff;
      for (held += 8; held >= 6; held -= 6) digits[count++] = (bits >> (held - 6)) & 63;
    }
    if (held > 0) digits[count] = (bits << (6 - held)) & 63;
    return digitsText(digits);
  }
}

class ByteReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(text: string) {
    this.bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
    let bits = 0;
    let held = 0;
    let length = 0;
    for (let i = 0; i < text.length; i++) {
      const value = digitAt(text, i);
      if (value === NO_DIGIT) throw new TranscriptError('bad-state', 'a stored chain is not in base64');
      bits = ((bits << 6) | value) & 0xffff;
      held += 6;
      if (held >= 8) {
        held -= 8;
        this.bytes[length++] = (bits >> held) & 0xff;
      }
    }
  }

  get isDone(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    if (this.isDone) throw new TranscriptError('bad-state', 'a stored chain is cut');
    return this.bytes[this.at++] ?? 0;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  hash(): IdHash {
    const low = this.byte() | (this.byte() << 8) | (this.byte() << 16) | (this.byte() << 24);
    return { low, high: this.byte() | (this.byte() << 8) };
  }
}

import { splitSentences } from '../../text/sentences';

/** A piece of what was said: a sentence, a list item, a heading, a table row, or lines of code. */
export interface Piece {
  readonly kind: 'sentence' | 'item' | 'heading' | 'code';
  readonly text: string;
  /** Pieces with the same number stood in one paragraph, item or code block. */
  readonly paragraph: number;
  /** For a list item: how many items it stands in. */
  readonly depth: number;
  /** For code: what stood after the opening fence. */
  readonly language?: string;
}

const FENCE = /^\s{0,12}(?:>\s?)?(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^\s{0,3}#{1,6}\s+(.*)$/;
/** A heading may be closed as it was opened. */
const CLOSING = /(?<![\s#])\s*#*$/;
const ITEM = /^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(\S[^]*|)$/;
const QUOTE = /^\s*(?:>\s?)+/;
const RULE = /^\s*(?:[-*_=~#]\s*){3,}$/;
const TABLE_RULE = /^(?=[\s:|-]+$)[\s:|-][\s:-]*\|/;
/** A line that a program wrote, pasted without a fence: stack frames, log lines, markup, braces at the end. */
const PROGRAM_LINES = [
  /^\s+at \S+ ?\(|^\s*File "|^\s{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[\d\d:\d\d)|^\s*[{}[\]<>|+$]|[{};]\s*$/,
  /^\s*(?:const|let|var|import|export|def|class|function|return|public|private|if|for|while)\b.*[({:;]\s*$/,
  /^\s{4,}\S.*[:=({[]/,
];
const DEEPEST = 3;
const CODE_CHUNK_LINES = 12;
const CODE_CHUNK_CHARS = 700;
const LONGEST_CODE_LINE = 400;

/** Takes a message's Markdown apart, in order. Linear; nothing of it is lost but marks of Markdown itself. */
export function readPieces(markdown: string): Piece[] {
  return new PieceReader().read(markdown);
}

class PieceReader {
  private readonly pieces: Piece[] = [];
  private paragraph = 0;
  private lines: string[] = [];
  private isItem = false;
  private depth = 0;
  /** How far the items are indented that the last one stands in, itself included. */
  private readonly indents: number[] = [];
  private code: { fence: string; language: string; lines: string[] } | undefined;

  read(text: string): Piece[] {
    for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) this.line(line);
    this.endCode();
    this.endParagraph();
    // With nothing below it, it heads nothing: somebody has said it.
    const last = this.pieces.pop();
    if (last !== undefined) this.pieces.push(last.kind === 'heading' ? { ...last, kind: 'sentence' } : last);
    return this.pieces;
  }

  private line(raw: string): void {
    const fence = FENCE.exec(raw);
    if (this.code !== undefined && this.code.fence !== '') {
      if (fence?.[1]?.startsWith(this.code.fence) === true && fence[2] === '') this.endCode();
      else this.code.lines.push(raw);
      return;
    }
    if (fence !== null) {
      this.endCode();
      this.endParagraph();
      this.code = { fence: fence[1] ?? '```', language: fence[2] ?? '', lines: [] };
      return;
    }
    if (this.isProgramLine(raw)) this.programLine(raw);
    else this.proseLine(raw);
  }

  /** Lines of a program come in numbers: a single one in prose is prose. */
  private isProgramLine(raw: string): boolean {
    const line = raw.slice(0, LONGEST_CODE_LINE);
    return PROGRAM_LINES.some((form) => form.test(line)) && !raw.includes('|') && !ITEM.test(raw);
  }

  private programLine(raw: string): void {
    this.endParagraph();
    this.code ??= { fence: '', language: '', lines: [] };
    this.code.lines.push(raw);
  }

  private proseLine(raw: string): void {
    this.endCode();
    const line = raw.replace(QUOTE, '');
    if (line.trim() === '' || RULE.test(line) || TABLE_RULE.test(line)) {
      this.endParagraph();
      return;
    }
    const heading = HEADING.exec(line)?.[1]?.replace(CLOSING, '');
    if (heading !== undefined) {
      this.endParagraph();
      this.push('heading', plainText(heading));
      this.paragraph++;
      return;
    }
    const listed = ITEM.exec(line);
    const item = listed?.[2] ?? tableRow(line);
    if (item !== undefined) {
      this.endParagraph();
      this.isItem = true;
      this.depth = this.depthOf(listed?.[1] ?? '');
      this.lines.push(item);
      return;
    }
    this.lines.push(line);
  }

  private depthOf(space: string): number {
    const indent = space.replaceAll('\t', '    ').length;
    while ((this.indents.at(-1) ?? -1) >= indent) this.indents.pop();
    this.indents.push(indent);
    return Math.min(DEEPEST, this.indents.length - 1);
  }

  private endParagraph(): void {
    if (this.lines.length === 0) return;
    const text = plainText(this.lines.join(' '));
    if (!this.isItem) this.indents.length = 0;
    for (const sentence of splitSentences(text)) this.push(this.isItem ? 'item' : 'sentence', sentence);
    this.lines = [];
    this.isItem = false;
    this.paragraph++;
  }

  private endCode(): void {
    if (this.code === undefined) return;
    const { language, lines } = this.code;
    this.code = undefined;
    for (const chunk of chunkLines(lines)) this.push('code', chunk, language);
    this.paragraph++;
  }

  private push(kind: Piece['kind'], text: string, language?: string): void {
    if (text.trim() === '') return;
    const piece = { kind, text, paragraph: this.paragraph, depth: kind === 'item' ? this.depth : 0 };
    this.pieces.push(language === undefined ? piece : { ...piece, language });
  }
}

/** Lines in groups that are worth choosing as a whole: up to a blank line, or a dozen lines. */
export function chunkLines(lines: readonly string[]): string[] {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let chars = 0;
  const flush = (): void => {
    if (chunk.some((line) => line.trim() !== '')) chunks.push(chunk.join('\n').replace(/^\n+|(?<!\s)\s+$/g, ''));
    chunk = [];
    chars = 0;
  };
  for (const raw of lines) {
    const line = raw.length > LONGEST_CODE_LINE ? `${raw.slice(0, LONGEST_CODE_LINE)}…` : raw;
    if (line.trim() === '' || chunk.length >= CODE_CHUNK_LINES || chars + line.length > CODE_CHUNK_CHARS) flush();
    if (line.trim() === '') continue;
    chunk.push(line.trimEnd());
    chars += line.length;
  }
  flush();
  return chunks;
}

/** The cells of a table's row, without its bars. */
function tableRow(line: string): string | undefined {
  const row = line.trim();
  if (!row.startsWith('|') || !row.endsWith('|') || row.length < 3) return undefined;
  return row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' | ');
}

const LINK = /!?\[([^\][]{0,300})\]\(([^()\s]{0,2000}(?:\([^()]{0,200}\))?)(?:\s"[^"]{0,200}")?\)/g;
const EMPHASIS =
  /(?<![\w*])(?:(\*{1,3})(?=\S)([^*\n]{1,400}?)(?<=\S)\1|__(?=\S)([^_\n]{1,400} [^_\n]{1,400})(?<=\S)__)(?![\w*])/g;
const PICTURES =
  /^(?:[\p{Extended_Pictographic}\u{fe0f}\u{200d}]\s*)+|(?<![\s\p{Extended_Pictographic}\u{fe0f}\u{200d}])(?:\s*[\p{Extended_Pictographic}\u{fe0f}\u{200d}])+$/gu;
const INVISIBLE = /[\p{Cc}\u200b\ufeff]/gu;

/** A line of Markdown as words: no emphasis, links as their label (and the address, when it leads out), no pictures at the ends. */
export function plainText(markdown: string): string {
  const links = markdown.replace(LINK, (_all, label: string, target: string) =>
    /^https?:/.test(target) && !label.includes(target) ? `${label} (${target})` : label || target,
  );
  return links
    .replace(EMPHASIS, '$2$3')
    .replace(/^(?:\[[ xX]\]\s+)/, '')
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .trim()
    .replace(PICTURES, '')
    .trim();
}

import type { Random } from './random';

const WORDS = (
  'the order retry payment index query fails because session token cache value returns null when user opens list again so we ' +
  'should move this check into parser before writing file and add test that covers empty input then run build fix error path ' +
  'schema migration customer decided keep timeout three attempts log every request handler config default branch commit'
).split(' ');

const CODE = [
  'const total = items.reduce((sum, item) => sum + item.price, 0);',
  'export async function load(path: string): Promise<Order[]> {',
  '  if (response.status === 503) throw new RetryableError("provider", { cause: response });',
  '    at Object.<anonymous> (/home/sam/src/orders/src/orders.ts:41:17)',
  '\t"dependencies": { "zod": "4.6.7" },',
  'diff --git a/src/orders.ts b/src/orders.ts',
  '@@ -12,7 +12,9 @@ export class OrderStore {',
  '+  private readonly pending = new Map<string, Order>();',
  '  12 passing (340ms)',
  'C:\\Users\\sam\\src\\orders\\dist\\index.js',
];

const FOREIGN = [
  'Die Größe der Warteschlange wächst über Nacht.',
  'порядок повторных попыток важен для платежей',
  '订单列表打开得太慢，需要添加索引。',
  'エラーの原因はタイムアウトです。',
  '✓ fertig — “done” 🚀',
];

const POOL_CHARACTERS = 1 << 20;

/** Two long texts, prose and code, from which everything is cut: making text must not cost more than writing it. */
export class TextPool {
  private readonly proseText: string;
  private readonly codeText: string;
  private readonly base64Text: string;

  constructor(private readonly random: Random) {
    this.proseText = this.fill(() => this.sentence());
    this.codeText = this.fill(() => (random.chance(0.6) ? `${this.line()}\n` : `    ${this.sentence()}\n`));
    this.base64Text = Buffer.from(this.codeText).toString('base64').slice(0, POOL_CHARACTERS);
  }

  prose(characters: number): string {
    return this.cut(this.proseText, characters);
  }

  code(characters: number): string {
    return this.cut(this.codeText, characters);
  }

  base64(characters: number): string {
    return this.cut(this.base64Text, characters);
  }

  private cut(text: string, characters: number): string {
    const start = this.random.int(0, Math.max(1, text.length - characters));
    // A pair that is cut in two would not be valid text: such a place is moved by one.
    const isLow = (index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00;
    const from = isLow(start) ? start + 1 : start;
    const to = Math.min(text.length, from + characters);
    const piece = text.slice(from, isLow(to) ? to - 1 : to);
    return characters > text.length ? piece + this.cut(text, characters - piece.length) : piece;
  }

  private line(): string {
    return CODE[this.random.int(0, CODE.length)] ?? '';
  }

  private sentence(): string {
    if (this.random.chance(0.04)) return `${FOREIGN[this.random.int(0, FOREIGN.length)] ?? ''} `;
    const words = Array.from({ length: this.random.int(4, 18) }, () => WORDS[this.random.int(0, WORDS.length)] ?? '');
    return `${words.join(' ')}. `;
  }

  private fill(piece: () => string): string {
    const pieces: string[] = [];
    for (let length = 0; length < POOL_CHARACTERS; length += pieces.at(-1)?.length ?? 0) pieces.push(piece());
    return pieces.join('');
  }
}

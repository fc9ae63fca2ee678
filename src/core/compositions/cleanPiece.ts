import { openFence } from '../versions/keepitBlock';
import { parseKeepits } from '../keepits/markerParser';
import { withoutPrivate } from '../text/secrets/privateText';
import { redactSecrets, type RedactedSecrets } from '../text/secrets/secrets';
import type { ContextBlock, ContextTool } from './types';

/** What was taken out of texts because it gives access to something. */
export class RedactionReport {
  readonly #counts = new Map<string, number>();

  /** The text without secrets and without what is private. */
  clean(text: string): string {
    const { text: cleaned, secrets } = redactSecrets(withoutPrivate(text));
    this.add(secrets);
    return cleaned;
  }

  /** What was taken out of a text elsewhere. */
  add(secrets: readonly RedactedSecrets[]): void {
    for (const { kind, count } of secrets) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  get secrets(): RedactedSecrets[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count }));
  }
}

/** What a piece says, without secrets and without what is private, and what was taken out for that. */
export interface CleanPiece {
  readonly blocks: readonly ContextBlock[];
  readonly secrets: readonly RedactedSecrets[];
}

/** The blocks of a piece as they may be told. */
export function cleanPiece(blocks: readonly ContextBlock[]): CleanPiece {
  const report = new RedactionReport();
  const cleaned = blocks.flatMap((block) => cleanBlock(block, report));
  return { blocks: cleaned, secrets: report.secrets };
}

/** A block as it may be told; none when nothing is left of it. */
export function cleanBlock(block: ContextBlock, report: RedactionReport): ContextBlock[] {
  if (block.tool !== undefined) return [{ ...block, tool: cleanTool(block.tool, report) }];
  const text = report.clean(block.text).trim();
  const isEmpty = text === '' || (block.kind === 'keepit' && parseKeepits(text).spans.length === 0);
  return isEmpty ? [] : [{ ...block, text: closed(text) }];
}

function cleanTool(tool: ContextTool, report: RedactionReport): ContextTool {
  const input = withTextsOf(tool.input, (text) => report.clean(text));
  return { ...tool, input, result: report.clean(tool.result) };
}

const END = '##keepit:end##';

/** Text that leaves nothing open that would reach into what follows: no code fence, and no keepit. */
function closed(text: string): string {
  const fence = openFence(text);
  const whole = fence === undefined ? text : `${text}\n${fence}`;
  const { spans } = parseKeepits(whole);
  return spans.at(-1)?.end === whole.length ? `${whole}\n${END}` : whole;
}

/** A decoded JSON value with every text in it changed, however deep; keys stay. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  return typeof value === 'object' && value !== null ? withTextsOf(value, change) : value;
}

/** The same, of the fields of an object. */
function withTextsOf(fields: object, change: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, withTexts(value, change)]));
}

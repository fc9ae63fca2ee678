import type { HookActivity, InjectedKind, InjectedPiece } from '../../model/hookActivity';
import { formatCount, formatDuration, joinParts, type Formats } from '../../text/formats';
import { cleanLines } from '../../text/cleanText';
import { windowHint } from '../../text/windowHint';
import { sumOf } from '../../text/ownValue';

const kinds: Readonly<Record<InjectedKind, { readonly name: string; readonly icon: string }>> = {
  'session-id': { name: 'Session ID', icon: 'key' },
  armed: { name: 'Armed composition', icon: 'package' },
  brief: { name: 'Project brief', icon: 'info' },
  memory: { name: 'Project memory', icon: 'notebook' },
  facts: { name: 'Facts', icon: 'lightbulb' },
  'open-ends': { name: 'Open ends', icon: 'tasklist' },
  summaries: { name: 'New summaries', icon: 'note' },
  rules: { name: 'Rules', icon: 'law' },
  reminder: { name: 'Reminder', icon: 'bell' },
  file: { name: 'About a file', icon: 'file' },
  keepits: { name: 'Keepits', icon: 'pinned' },
  decisions: { name: 'Decisions', icon: 'checklist' },
};
const known = new Map<string, (typeof kinds)[InjectedKind]>(Object.entries(kinds));

/** What an injected piece is, for people; a kind of a later version by its own name. */
export function kindName(kind: string): string {
  return known.get(kind)?.name ?? kind;
}

/** The icon that stands for it. */
export function kindIcon(kind: string): string {
  return known.get(kind)?.icon ?? 'symbol-string';
}

/** `34 ms`, `1.2 s`, `12 s`. */
export function formatTook(tookMs: number): string {
  if (tookMs < 1000) return `${Math.round(tookMs)} ms`;
  return tookMs < 10_000 ? `${(tookMs / 1000).toFixed(1)} s` : formatDuration(tookMs);
}

/** `2,310 tokens given`; empty for a hook that gave nothing. */
function gaveText({ injected }: Pick<HookActivity, 'injected'>, formats: Formats): string {
  return injected === undefined ? '' : `${formats.plural(injected.tokens, 'token')} given`;
}

/** `4 messages taken in, 12k tokens`; empty where nothing was to be taken in. */
export function capturedText({ captured }: Pick<HookActivity, 'captured'>, formats: Formats): string {
  if (captured === undefined) return '';
  if (captured.messages === 0) return 'nothing new to take in';
  const tokens = captured.tokens === 0 ? '' : `, ${formatCount(captured.tokens)} tokens`;
  return `${formats.plural(captured.messages, 'message')} taken in${tokens}`;
}

/** What was given to a session, in one sentence, the largest first. Empty when that was nothing. */
export function givenSentence(activity: readonly HookActivity[], formats: Formats): string {
  const pieces = activity.flatMap(({ injected }) => injected?.pieces ?? []);
  if (pieces.length === 0) return '';
  const tokens = sumOf(activity, ({ injected }) => injected?.tokens ?? 0);
  return `Keepit gave this session ${formats.plural(tokens, 'token')}: ${givenByKind(pieces, formats)}.`;
}

/** `Project brief 1,204, Rules 850 (5 times)`. */
function givenByKind(pieces: readonly InjectedPiece[], formats: Formats): string {
  const byKind = new Map<string, { tokens: number; times: number }>();
  for (const { kind, tokens } of pieces) {
    const sum = byKind.get(kind) ?? { tokens: 0, times: 0 };
    byKind.set(kind, { tokens: sum.tokens + tokens, times: sum.times + 1 });
  }
  return [...byKind]
    .sort(([, a], [, b]) => b.tokens - a.tokens)
    .map(([kind, { tokens, times }]) => {
      const often = times === 1 ? '' : ` (${formats.exact(times)} times)`;
      return `${kindName(kind)} ${formats.exact(tokens)}${often}`;
    })
    .join(', ');
}

/** The time of day; with the date where that was another day. */
export function formatMoment(at: string, nowMs: number, formats: Formats): string {
  return formats.date(at) === formats.date(nowMs) ? formats.time(at) : formats.dateTime(at);
}

/** What a hook did, in one line: `startup · 2,310 tokens given`. */
export function firingText(firing: HookActivity, formats: Formats): string {
  return joinParts([firing.source, gaveText(firing, formats), capturedText(firing, formats)]);
}

/** What one hook did, as Markdown to be read and copied. `given` has the whole of what it gave, by the keys of pieces. */
export function firingDocument(
  firing: HookActivity,
  title: string,
  formats: Formats,
  given: ReadonlyMap<string, string> = new Map(),
): string {
  const { event, source, at, tookMs, injected, note, problem } = firing;
  const when = formats.dateTime(at) || at;
  const captured = capturedText(firing, formats);
  return [
    `# ${joinParts([event, source])}`,
    '',
    `${oneLineOf(title)}, ${when}. It took ${formatTook(tookMs)}.`,
    ...(problem === undefined ? [] : ['', `**Problem**: ${oneLineOf(problem)}`]),
    ...(note === undefined ? [] : ['', windowHint(oneLineOf(note))]),
    ...(captured === '' ? [] : ['', `${captured.charAt(0).toUpperCase()}${captured.slice(1)}.`]),
    ...(injected === undefined ? ['', 'Nothing was given to the session.'] : givenLines(injected, formats, given)),
    '',
  ].join('\n');
}

function givenLines(
  { tokens, units, pieces }: NonNullable<HookActivity['injected']>,
  formats: Formats,
  given: ReadonlyMap<string, string>,
): string[] {
  const size = `${formats.plural(tokens, 'token')}, ${formats.plural(units, 'character')}`;
  const isCut = pieces.some(({ key, preview = '' }) => preview.endsWith('…') && !given.has(key ?? ''));
  const lines = ['', `Keepit gave the session ${size}${isCut ? '. Of some pieces only the beginning is known:' : ':'}`];
  for (const piece of pieces) {
    const from = piece.from === undefined ? '' : `, from ${oneLineOf(piece.from)}`;
    lines.push('', `## ${kindName(piece.kind)}: ${formats.plural(piece.tokens, 'token')}${from}`);
    const text = given.get(piece.key ?? '') ?? piece.preview;
    if (text !== undefined) lines.push('', ...cleanLines(text).map((line) => `> ${line}`));
  }
  return lines;
}

function oneLineOf(text: string): string {
  return cleanLines(text).join(' ');
}

import type { KeptSession, PreparedPiece } from '../../model/hookCard';
import { harmless } from './harmless';
import { answerOf, HOOK_OUTPUT_UNITS, uncountedPiece, type HookAnswer } from './hookAnswer';

const HEAD =
  'Keepit: what follows was marked by the user in this session to be kept. Repeat each of these passages in the summary word for word, ' +
  'as a list under the heading "Kept word for word".';
const DECISIONS = 'Keepit: these decisions of this session hold, and belong into the summary with their reasons:';
const OPEN_ENDS = 'Keepit: these ends are open, and belong into the summary:';
/** What decisions and open ends may take of the room: the user's own marks come first. */
const OTHERS_UNITS = 2500;
const PINNED = 1;

/**
 * What PreCompact hands to Claude Code's own compaction: the keepits that survive, word for word but for tags that could end their block or
 * pose as the harness, pinned ones first, then decisions and open ends. What does not fit is counted, and stays in memory.
 */
export function compactAnswer({ keepits, decisions, openEnds }: KeptSession): HookAnswer | undefined {
  const others = [listPiece('decisions', DECISIONS, decisions), listPiece('open-ends', OPEN_ENDS, openEnds)];
  const taken = others.reduce((sum, piece) => sum + (piece?.text.length ?? 0) + 2, 0);
  const kept = keepitsPiece(keepits, HOOK_OUTPUT_UNITS - taken);
  return answerOf([kept, ...others].filter((piece) => piece !== undefined));
}

function keepitsPiece(keepits: KeptSession['keepits'], room: number): PreparedPiece | undefined {
  if (keepits.length === 0) return undefined;
  const rest = (count: number): string =>
    `\n(${count} more did not fit here; Keepit has them, and \`keepit keepits\` lists them.)`;
  let text = HEAD;
  let left = keepits.length;
  for (const { weight, text: passage } of keepits) {
    const item = `\n\n<keepit weight="${weight.toFixed(2)}"${weight >= PINNED ? ' pinned' : ''}>\n${harmless(passage)}\n</keepit>`;
    if (text.length + item.length + rest(left).length > room) continue;
    text += item;
    left -= 1;
  }
  return uncountedPiece('keepits', left === 0 ? text : text + rest(left));
}

function listPiece(kind: string, head: string, items: readonly string[]): PreparedPiece | undefined {
  let text = head;
  for (const item of items) {
    const line = `\n- ${harmless(item.replace(/\s+/g, ' '))}`;
    if (text.length + line.length <= OTHERS_UNITS / 2) text += line;
  }
  return text === head ? undefined : uncountedPiece(kind, text);
}

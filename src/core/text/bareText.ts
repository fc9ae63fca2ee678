const MARKER = /##keepit(?:\d\.\d\d|:end)##/gi;
/** Claude Code's own words for what was pasted. */
const PASTED = /\[(?:Image|Pasted text) #\d+(?: \+\d+ lines)?\]/g;

/** What terminals have people type before a new line; no path ends so. */
const NEW_LINE = /(?<!\\\S{0,200})\\(?=\r?\n|$)/g;

/** Words without the markers around them, which are no part of what they mark, and without what stands for pictures and new lines. */
export function bareText(text: string): string {
  const unmarked = text.includes('##') ? text.replace(MARKER, ' ') : text;
  const typed = unmarked.includes('\\') ? unmarked.replace(NEW_LINE, '') : unmarked;
  return typed.includes('[') ? typed.replace(PASTED, ' ') : typed;
}

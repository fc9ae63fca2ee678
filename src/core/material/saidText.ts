const MARKER = /##keepit(?:\d\.\d\d|:end)##/gi;
/** Claude Code's own words for what was pasted. */
const PASTED = /\[(?:Image|Pasted text) #\d+(?: \+\d+ lines)?\]/g;

/** Words without the markers around them, which are no part of what they mark, and without what stands for pictures. */
export function bareText(text: string): string {
  const unmarked = text.includes('##') ? text.replace(MARKER, ' ') : text;
  return unmarked.includes('[') ? unmarked.replace(PASTED, ' ') : unmarked;
}

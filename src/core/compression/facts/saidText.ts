const MARKER = /##keepit(?:\d\.\d\d|:end)##/gi;

/** Words without the markers around them: a marker is no part of what it marks. */
export function withoutMarkers(text: string): string {
  return text.includes('##') ? text.replace(MARKER, ' ') : text;
}

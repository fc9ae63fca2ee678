/** What a CLAUDE.md becomes when a composition is imported in it. */
export interface ImportEdit {
  /** The whole file. */
  readonly text: string;
  /** The line that was added, or was there. */
  readonly line: string;
  readonly isThere: boolean;
}

/** Claude Code reads an import up to the next blank; blanks in paths are written with a backslash before them. */
export function importLine(file: string): string {
  return `@${file.replaceAll('\\', '/').replaceAll(' ', String.raw`\ `)}`;
}

/** Adds the line that makes Claude Code read `file` with a CLAUDE.md, at its end; nothing else is changed. Not twice. */
export function withImport(claudeMd: string, file: string): ImportEdit {
  const line = importLine(file);
  const newline = claudeMd.includes('\r\n') ? '\r\n' : '\n';
  if (claudeMd.split(/\r?\n/).some((one) => one.trim() === line)) return { text: claudeMd, line, isThere: true };
  if (claudeMd.trim() === '') return { text: `${line}${newline}`, line, isThere: false };
  const gap = claudeMd.endsWith('\n') ? newline : newline + newline;
  return { text: `${claudeMd}${gap}${line}${newline}`, line, isThere: false };
}

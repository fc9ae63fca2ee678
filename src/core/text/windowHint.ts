import { KeepitError } from './keepitError';

/** What a hint's words for the command line are called in a window; the first that fits counts. */
const inWindow: readonly (readonly [RegExp, string])[] = [
  [/; `--project` narrows where they are looked for/g, ''],
  [/, or narrow with `--project`/g, ''],
  [/: `--replace`/g, ''],
  [/`keepit doctor(?: --repair)?`/g, '“Keepit: Doctor”'],
  [/`keepit register(?: <session>)?`/g, '“Keepit: Add to Memory…”'],
  [/`keepit (?:sessions|discover)`/g, 'The Sessions view'],
  [/, or take the last few: `keepit compose [^`]*`/g, ''],
  [/`keepit compositions`/g, 'The Compositions view'],
  [/`keepit composition rebuild [^`]*`/g, '“Keepit: Rebuild Composition”'],
  [/`keepit versions [^`]*`/g, 'The Versions view'],
  [/`keepit keepits`/g, 'The Keepits view'],
  [/`keepit keepit restore [^`]*`/g, '“Keepit: Restore Keepit”'],
  [/`keepit messages [^`]*`/g, 'The transcript'],
  [/`keepit layers enable(?: --location home)?`/g, '“Keepit: Enable Keepit in This Project…”'],
  [/`keepit layers build`/g, '“Keepit: Build Layers”'],
  [/`keepit facts(?: --all)?`/g, 'The Knowledge view'],
  [/`keepit fact forget [^`]*`/g, '“Keepit: Forget Fact”'],
  [/`keepit summarize(?: <session>)?`/g, '“Keepit: Summarize Session”'],
  [/`keepit synthesize`/g, '“Keepit: Synthesize Project Memory…”'],
  [/`keepit notebook export`/g, '“Keepit: Export Notebook…”'],
  [/; `--scope` says where/g, ''],
  [/Name the project’s folder with `--project`/g, 'Open the project’s folder'],
  [/`keepit install-hooks(?: --dry-run)?`|`--dry-run`/g, '“Keepit: Set Up Claude Code…”'],
  [/`keepit uninstall-hooks`/g, '“Keepit: Remove from Claude Code…”'],
  [/Set ANTHROPIC_API_KEY/g, 'Use “Keepit: Set Anthropic API Key”'],
];

/** The hint of an expected failure, which speaks to both hosts, for somebody who sits before a window rather than a terminal. */
export function windowHint(hint: string): string {
  const told = inWindow.reduce((text, [words, title]) => text.replace(words, title), hint);
  // Titles are written as at the beginning of a sentence.
  return told.replace(
    /(?<=[^.] )The (?=(?:Sessions|Keepits|Compositions|Versions|Knowledge) view|transcript)/g,
    'the ',
  );
}

/** A failure in words for somebody before a window. */
export function failureText(error: unknown): string {
  if (error instanceof KeepitError) return `${error.message} ${windowHint(error.hint)}`;
  return 'Keepit ran into a problem. Its log says more.';
}

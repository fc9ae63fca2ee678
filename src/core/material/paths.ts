import type { SourceMessage, SourceTool } from './types';
import type { CheckpointTally } from './checkpointTally';
import { bareText } from '../text/words';
import { isWriting, textOf } from './toolKinds';

/** Deeper than this, the beginning of a path says nothing more. */
const MAX_SEGMENTS = 10;

/** Names parted by slashes; `[id]` and `(group)` are names of folders in some frameworks. Bounded: V8 gives up on millions of either. */
const TOKEN =
  /(?:[\p{L}\p{N}\p{M}_@.+~$%-]{1,4096}|(?=\/[^\s/]))(?:\/(?:\[[^\]\s/]{1,80}\]|\([^)\s/]{1,80}\)|[\p{L}\p{N}\p{M}_@.+~$%-]{1,4096})){0,999}\/?/gu;

const EXTENSION = /^[^.].*\.(?=[a-z\d]{1,10}$)\d*[a-z][a-z\d]*$/i;
/** Endings of files that people speak of without a folder. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(
  (
    'js jsx ts tsx cjs cjsx cts ctsx mjs mjsx mts mtsx vue svelte astro json jsonc jsonl json5 yaml yml toml ini cfg conf env lock md mdx rst txt htm html css scss sass ' +
    'less py pyi ipynb rb go rs java kt kts swift scala php cs fs c cc cpp h hpp m mm sh bash zsh fish ps1 bat sql graphql proto xml svg png csv tsv ' +
    'log tf gradle ex exs erl hs lua pl r dart zig nix diff patch'
  ).split(' '),
);
const NAME_AND_ENDING = /^[\p{L}\p{N}\p{M}_@.+~$%-]+\.(\w+)$/u;
const DOT_FILE =
  /^\.(?:env|git(?=[a-z])|npm|docker|eslint|prettier|babel|editor|nvm|gitlab|github)[\w.-]*$|^(?:Dockerfile|Makefile|Gemfile|Procfile|Rakefile|Jenkinsfile|CMakeLists\.txt)$/;
/** They look like files, and are not. */
const PRODUCT =
  /^(?:node|next|vue|nuxt|three|express|d3|chart|react|ember|backbone|moment|alpine|socket|discord|p5|tone|solid)\.(?:js|io)$/i;

const pathFields = ['file_path', 'filePath', 'notebook_path', 'path'] as const;

const weights = { written: 2, touched: 1, said: 1, human: 1.5, outside: 0.3, folder: 0.4 } as const;
const OUTSIDE = /(?:^|\/)(?:node_modules|\.git|__pycache__|site-packages|dist|tmp)\/|^\/dev\//;

/** Everything in a text that may be a path, as it stands there, with the character before it. Linear. */
export function* pathTokens(text: string): Generator<{ token: string; before: string }> {
  for (const { 0: raw, index } of unified(text).matchAll(TOKEN)) {
    const token = raw.replace(/^@/, '').replace(/(?<![.$%])[.$%]+$/, '');
    if (token !== '/' && (/[/.]/.test(token) || DOT_FILE.test(token))) {
      yield { token, before: index > 0 ? text.charAt(index - 1) : '' };
    }
  }
}

/** Windows separates with backslashes. */
function unified(text: string): string {
  return /[a-z]:\\/i.test(text) ? text.replace(/\\/g, '/') : text;
}

/** The names that a path leads through, without its root; the last ones of a deep path. */
function segmentsOf(path: string): string[] {
  const names = unified(path).split('/');
  return names.filter((name) => !/^(?:|\.|\.\.|~|[a-z]:)$/i.test(name)).slice(-MAX_SEGMENTS);
}

/** The endings of a path, from its last name alone to the whole. */
export function endingsOf(path: string): string[] {
  const segments = segmentsOf(path);
  return segments.map((_, index) => segments.slice(segments.length - 1 - index).join('/'));
}

interface Seen {
  text: string;
  message: SourceMessage;
  weight: number;
  mentions: number;
}

/** The files that a session was about. `src/a.ts` and `/home/ada/app/src/a.ts` are one when nothing else ends like that. */
export class PathCollector {
  private readonly seen = new Map<string, Seen>();

  addMessage(message: SourceMessage): void {
    const said = message.role === 'user' ? weights.human : weights.said;
    for (const { text } of message.texts) this.addText(bareText(text), message, said);
    for (const tool of message.tools) this.addTool(tool, message);
  }

  /** Hands on what was found, once it can be told which names mean the same file. */
  report(tally: CheckpointTally): void {
    const endings = new Map<string, Set<Seen>>();
    const kept = new Set<Seen>();
    const found = [...this.seen].map(([key, seen]) => ({ seen, all: endingsOf(key) }));
    found.sort((a, b) => b.all.length - a.all.length);
    for (const { seen, all } of found) {
      const owners = endings.get(all.at(-1) ?? '');
      const [owner] = owners ?? [];
      if (owner !== undefined && owners?.size === 1) join(owner, seen);
      else if (owner === undefined || all.length > 1) {
        kept.add(seen);
        for (const ending of all) endings.set(ending, (endings.get(ending) ?? new Set()).add(seen));
      }
    }
    for (const { text, message, weight, mentions } of kept) {
      tally.add({ kind: 'path', key: text, text, weight, isArtifact: weight >= weights.written }, message, mentions);
    }
  }

  private addTool(tool: SourceTool, message: SourceMessage): void {
    const weight = isWriting(tool) ? weights.written : weights.touched;
    for (const field of pathFields) {
      const path = textOf(tool, field);
      if (path.length < 1000) this.add(path, message, weight);
    }
    this.addText(textOf(tool, 'command'), message, weights.touched / 2);
  }

  private addText(text: string, message: SourceMessage, weight: number): void {
    for (const { token, before } of pathTokens(text)) {
      if (before !== '/' && isPath(token)) this.add(token, message, weight);
    }
  }

  private add(path: string, message: SourceMessage, weight: number): void {
    const segments = segmentsOf(path);
    const last = segments.at(-1) ?? '';
    const isFile = EXTENSION.test(last) || DOT_FILE.test(last);
    if (segments.length < (isFile ? 1 : 2)) return;
    const key = segments.join('/');
    const text = path.replace(/\s+/g, ' ');
    const most = OUTSIDE.test(path) ? weights.outside : isFile ? weight : weights.folder;
    const counts = Math.min(weight, most);
    const known = this.seen.get(key);
    if (known === undefined) this.seen.set(key, { text, message, weight: counts, mentions: 1 });
    else join(known, { text: known.text, message, weight: counts, mentions: 1 });
  }
}

function join(one: Seen, other: Seen): void {
  if (other.message.index >= one.message.index) one.message = other.message;
  one.weight = Math.max(one.weight, other.weight);
  one.mentions += other.mentions;
}

function isFileName(name: string): boolean {
  return FILE_ENDINGS.has(NAME_AND_ENDING.exec(name)?.[1]?.toLowerCase() ?? '');
}

/** Whether words that look like a path are one: what has a file's ending, or leads through folders from a root. */
function isPath(token: string): boolean {
  const segments = segmentsOf(token);
  const last = segments.at(-1) ?? '';
  if (segments.length === 0 || last.length > 120) return false;
  if (segments.length === 1 && !token.startsWith('./')) {
    return !token.includes('/') && (isFileName(last) || DOT_FILE.test(last)) && !PRODUCT.test(last);
  }
  return EXTENSION.test(last) || DOT_FILE.test(last) || /^(?:~|\.{1,2})?\/(?!\/)/.test(token) || token.endsWith('/');
}

/** Files and folders that a text names, in any form in which people write them. */
export function placesIn(text: string): string[] {
  return [...pathTokens(text)].flatMap(({ token, before }) => (before !== ':' && isPath(token) ? [token] : []));
}

/** The paths that a text names: relative, with a folder and an ending: everything else may be a way of speaking. */
export function relativePathsIn(text: string): string[] {
  return [...pathTokens(text)].flatMap(({ token, before }) => {
    const path = token.replace(/^\.\//, '').replace(/\/$/, '');
    const isPlain =
      path.includes('/') &&
      EXTENSION.test(path.split('/').at(-1) ?? '') &&
      !/^[/~]|^\.\.|[*$%{}]|:\/|node_modules/.test(path);
    return isPlain && before !== '/' && before !== ':' && !/^[\w-]+\.(?:com|org|io|net|dev)\//.test(path) ? [path] : [];
  });
}

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { RENAMED, UNSURE, type Whereabouts } from '../../core/knowledge/facts/anchors';
import { parsedJson } from '../../core/text/parsedJson';
import { runGit } from '../runGit';

/** Git takes some milliseconds for each. */
const MOST_ASKED = 20;
/** Words about the code are not the code. */
const CODE = ['--', '.', ...['*.md', '.claude', '_memory'].map((name) => `:(exclude)${name}`)];
const names = z.optional(z.record(z.string(), z.unknown()));
const manifestSchema = z.object({
  scripts: names,
  dependencies: names,
  devDependencies: names,
  peerDependencies: names,
  optionalDependencies: names,
});

/** Looks in a project's folder for files, and for what `package.json` and the code name. Changes nothing. */
export async function findWhereabouts(
  folder: string,
  asked: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Whereabouts> {
  const found = new Map<string, string>();
  if (folder === '' || !(await isThere(folder))) return new Map(asked.map((name) => [name, UNSURE]));
  const place = new Place(folder, env);
  for (const name of asked) {
    const [, kind = '', word = ''] = /^(script|package|port|symbol):(.+)$/.exec(name) ?? [];
    const seen =
      kind === ''
        ? await place.file(name)
        : kind === 'port' || kind === 'symbol'
          ? await place.word(word)
          : await place.named(kind === 'script', word);
    if (seen !== undefined) found.set(name, seen);
  }
  return found;
}

class Place {
  private asked = 0;
  private manifest: Promise<z.infer<typeof manifestSchema> | undefined> | undefined;

  constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  async file(name: string): Promise<string | undefined> {
    if (await isThere(path.join(this.folder, name))) return '';
    const gone = await this.git('log', '-1', '--diff-filter=D', '--format=%h %cs', '--', name);
    const [hash, day] = gone?.split(' ') ?? [];
    if (hash === undefined || day === undefined) return undefined;
    const moves = await this.git('show', '-M', '--diff-filter=R', '--name-status', '--relative', '--format=', hash);
    const move = moves?.split('\n').find((line) => line.split('\t')[1] === name);
    return `${day}${move === undefined ? '' : `${RENAMED}${move.split('\t')[2] ?? ''}`}`;
  }

  async named(isScript: boolean, name: string): Promise<string | undefined> {
    this.manifest ??= readManifest(path.join(this.folder, 'package.json'));
    const { scripts, ...packages } = (await this.manifest) ?? {};
    const lists = isScript ? [scripts] : Object.values(packages);
    if (lists.some((list) => list !== undefined && Object.hasOwn(list, name))) return '';
    return (await this.git('log', '-1', '--format=%cs', `-S"${name}":`, '--', 'package.json')) ?? undefined;
  }

  /** Whether a word stands somewhere in the code. */
  async word(word: string): Promise<string | undefined> {
    if (++this.asked > MOST_ASKED) return UNSURE;
    const args = ['grep', '-q', '-w', '-F', '-e', word, ...CODE];
    const answer = await runGit({ folder: this.folder, args, env: this.env });
    if ('stdout' in answer) return '';
    return answer.problem === '' ? undefined : UNSURE; // nothing was found, or nobody could look
  }

  /** Undefined where it says nothing, or was asked often enough. */
  private async git(...args: readonly string[]): Promise<string | undefined> {
    if (++this.asked > MOST_ASKED) return undefined;
    const answer = await runGit({ folder: this.folder, args, env: this.env });
    const text = 'stdout' in answer ? answer.stdout.trim() : '';
    return text === '' ? undefined : text;
  }
}

async function readManifest(file: string): Promise<z.infer<typeof manifestSchema> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined); // a project without one
  const manifest = manifestSchema.safeParse(text === undefined ? undefined : parsedJson(text));
  return manifest.success ? manifest.data : undefined;
}

export async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false, // gone, or not to be seen
  );
}

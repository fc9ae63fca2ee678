import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { NOWHERE, RENAMED, UNSURE } from '../../core/knowledge/facts/anchors';
import type { Looked } from '../../core/model/layers';
import { ownValue, setOwnValue, parsedJson } from '../../core/text/ownValue';
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
  before?: Looked,
): Promise<Looked> {
  const found: Record<string, string> = {};
  if (folder === '' || !(await isThere(folder))) {
    for (const name of asked) setOwnValue(found, name, UNSURE);
    return { stamp: '', found };
  }
  const stamp = await stampOf(folder);
  const place = new Place(folder, env, stamp !== '' && before?.stamp === stamp ? before.found : {});
  for (const name of asked) setOwnValue(found, name, await place.look(name));
  return { stamp, found };
}

/** Tells a repository from itself after a commit, a checkout, or files that were added; '' outside of one. */
async function stampOf(folder: string): Promise<string> {
  const found = path.join(folder, '.git');
  const file = await readFile(found, 'utf8').catch(() => ''); // a folder, but for worktrees
  const [, elsewhere = found] = /^gitdir: (.+)$/m.exec(file) ?? [];
  const dir = path.resolve(folder, elsewhere);
  const stats = await Promise.all(
    ['HEAD', 'index', 'logs/HEAD'].map(async (name) => stat(path.join(dir, name)).catch(() => undefined)),
  );
  return stats[0] === undefined ? '' : stats.map((one) => `${one?.mtimeMs ?? ''} ${one?.size ?? ''}`).join(' ');
}

class Place {
  private asked = 0;
  private manifest: Promise<z.infer<typeof manifestSchema> | undefined> | undefined;

  constructor(
    private readonly folder: string,
    private readonly env: NodeJS.ProcessEnv,
    /** What git has told of the same repository. */
    private readonly before: Readonly<Record<string, string>>,
  ) {}

  async look(name: string): Promise<string> {
    const [, kind = '', word = ''] = /^(script|package|port|symbol):(.+)$/.exec(name) ?? [];
    const isWord = kind === 'port' || kind === 'symbol';
    if (!isWord && (await (kind === '' ? isThere(path.join(this.folder, name)) : this.isNamed(kind, word)))) return '';
    const known = ownValue(this.before, name);
    if (known !== undefined && known !== UNSURE && (isWord || known !== '')) return known;
    if (++this.asked > MOST_ASKED) return UNSURE;
    if (isWord) return this.word(word);
    return kind === '' ? this.goneFile(name) : this.goneName(word);
  }

  private async isNamed(kind: string, name: string): Promise<boolean> {
    this.manifest ??= readManifest(path.join(this.folder, 'package.json'));
    const { scripts, ...packages } = (await this.manifest) ?? {};
    const lists = kind === 'script' ? [scripts] : Object.values(packages);
    return lists.some((list) => list !== undefined && Object.hasOwn(list, name));
  }

  private async goneFile(name: string): Promise<string> {
    const gone = await this.git('log', '-1', '--diff-filter=D', '--format=%h %cs', '--', name);
    const [hash, day] = gone?.split(' ') ?? [];
    if (hash === undefined || day === undefined) return NOWHERE;
    const moves = await this.git('show', '-M', '--diff-filter=R', '--name-status', '--relative', '--format=', hash);
    const move = moves?.split('\n').find((line) => line.split('\t')[1] === name);
    return `${day}${move === undefined ? '' : `${RENAMED}${move.split('\t')[2] ?? ''}`}`;
  }

  private async goneName(name: string): Promise<string> {
    return (await this.git('log', '-1', '--format=%cs', `-S"${name}":`, '--', 'package.json')) ?? NOWHERE;
  }

  /** Whether a word stands somewhere in the code. */
  private async word(word: string): Promise<string> {
    const args = ['grep', '-q', '-w', '-F', '-e', word, ...CODE];
    const answer = await runGit({ folder: this.folder, args, env: this.env });
    if ('stdout' in answer) return '';
    return answer.problem === '' ? NOWHERE : UNSURE; // nothing was found, or nobody could look
  }

  /** Undefined where it says nothing. */
  private async git(...args: readonly string[]): Promise<string | undefined> {
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

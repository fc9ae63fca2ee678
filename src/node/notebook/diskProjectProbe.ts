import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { ProjectCommit, ProjectLook, ProjectProbe, ProjectText } from '../../core/knowledge/layerStore';
import type { Looked } from '../../core/model/layers';
import { type Log, StoreError } from '../../core/model/host';
import { errorText } from '../../core/text/keepitError';
import { refuseWayOut } from '../files/links';
import { runGit } from '../runGit';

const DOCS = '_docs';
const MOST_DOCS = 50;
/** What a document is about stands at its beginning. */
const DOC_BYTES = 16 * 1024;
const MANIFEST_BYTES = 1024 * 1024;
const README = /^readme(?:\.(?:md|markdown|rst|txt))?$/i;
const DOCUMENT = /\.(?:md|markdown|rst|txt)$/i;
const MANIFESTS = [
  'package.json',
  'pyproject.toml',
  'requirements.txt',
  'Cargo.toml',
  'go.mod',
  'Gemfile',
  'composer.json',
];

/** Looks at a project on disk. What cannot be read is passed over, with a word in the log. */
export class DiskProjectProbe implements ProjectProbe {
  constructor(
    private readonly log: Log,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  async look(projectPath: string, paths: readonly string[], signal?: AbortSignal): Promise<ProjectLook> {
    signal?.throwIfAborted();
    const { isThere } = await import('./whereabouts'); // it brings the words of eleven languages along
    if (projectPath === '' || !(await isThere(projectPath))) return { docs: [], manifests: [], missing: [] };
    const git = await readGitLog(projectPath, this.env, signal);
    if ('problem' in git) this.log.info(`The history of ${projectPath} is not looked at: ${git.problem}.`);
    const missing: string[] = [];
    for (const name of paths) if (!(await isThere(path.join(projectPath, name)))) missing.push(name);
    signal?.throwIfAborted();
    return {
      docs: await this.#texts(projectPath, await this.#docs(projectPath), DOC_BYTES),
      manifests: await this.#texts(projectPath, MANIFESTS, MANIFEST_BYTES),
      missing,
      ...('commits' in git && { commits: git.commits }),
    };
  }

  async find(projectPath: string, names: readonly string[], before?: Looked): Promise<Looked> {
    const { findWhereabouts } = await import('./whereabouts');
    return findWhereabouts(projectPath, names, this.env, before);
  }

  async #docs(projectPath: string): Promise<string[]> {
    const readmes = (await this.#names(projectPath, projectPath, false)).filter((name) => README.test(name));
    const docs = (await this.#names(projectPath, path.join(projectPath, DOCS), true)).filter((name) =>
      DOCUMENT.test(name),
    );
    return [...readmes.sort(), ...docs.sort().map((name) => `${DOCS}/${name}`)].slice(0, MOST_DOCS);
  }

  async #names(projectPath: string, folder: string, isDeep: boolean): Promise<string[]> {
    try {
      await refuseWayOut(projectPath, folder);
      const entries = await readdir(folder, { recursive: isDeep });
      return entries.map((name) => name.split(path.sep).join('/'));
    } catch (error) {
      this.#tell(folder, error);
      return [];
    }
  }

  /** Most of what is looked for is not there, and nobody needs to know; that it leads elsewhere somebody does. */
  #tell(file: string, error: unknown): void {
    const text = `${file} is not looked at: ${errorText(error)}`;
    if (error instanceof StoreError) this.log.warn(text);
    else this.log.debug(text);
  }

  async #texts(projectPath: string, names: readonly string[], maxBytes: number): Promise<ProjectText[]> {
    const texts: ProjectText[] = [];
    for (const file of names) {
      try {
        const place = path.join(projectPath, file);
        await refuseWayOut(projectPath, place);
        texts.push({ file, text: await beginningOf(place, maxBytes) });
      } catch (error) {
        this.#tell(file, error);
      }
    }
    return texts;
  }
}

async function beginningOf(file: string, maxBytes: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes, (await handle.stat()).size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead).replace(/\uFFFD$/, '');
  } finally {
    await handle.close();
  }
}

const COMMITS = 200;
const FIELDS = '%cs%x00%s';

/** What git says of a folder: the latest commits that touched it; or why it could not be asked. */
type GitAnswer = { readonly commits: ProjectCommit[] } | { readonly problem: string };

/** Asks git for the history of a folder. Never fails: a computer without git, or a folder without a repository, is an answer. */
async function readGitLog(folder: string, env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<GitAnswer> {
  const args = ['log', `-${COMMITS}`, '--no-color', `--format=${FIELDS}`, '--', '.'];
  const answer = await runGit({ folder, args, env }, signal);
  return 'problem' in answer ? answer : { commits: answer.stdout.split('\n').flatMap(commitOf) };
}

function commitOf(line: string): ProjectCommit[] {
  const [date, subject] = line.split('\0');
  return date === undefined || subject === undefined ? [] : [{ date, subject }];
}

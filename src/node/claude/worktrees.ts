import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isSafeSegment } from '../../core/model/fields';
import { projectFolderName } from '../../core/sessions/projectNames';
import { mapLimited } from '../../core/text/mapLimited';
import { errorCode, unlessGone } from '../files/errorCode';
import { textWithin } from '../files/links';
import { ensurePrivateFolder, FILE_MODE } from '../files/atomicFile';
import { cwdOf } from '../forgetting/forgottenFile';
import { StoreLayout } from '../store/storeLayout';
import { mainFolder, type FoundText } from './mainFolder';

const PARALLEL_LOOKS = 8;

/**
 * Which of Claude Code's project folders are of worktrees, and of which repository's main folder. What was found out is noted in the store,
 * a file for each: a worktree is often gone before its sessions are. A project that has memory of its own already keeps it.
 */
export class Worktrees {
  readonly #layout: StoreLayout;
  /** Main folders by the names of worktrees' folders; undefined for those that are of none. */
  readonly #known = new Map<string, string | undefined>();

  constructor(
    memoryDir: string,
    /** Whether they are one project. */
    private readonly areTogether: () => Promise<boolean>,
  ) {
    this.#layout = new StoreLayout(memoryDir);
  }

  /** The folder of the main worktree, or the folder itself. */
  async mainOf(folder: string): Promise<string> {
    if (!(await this.areTogether())) return folder;
    const steps = mainFolder(folder);
    let step = steps.next();
    while (step.done !== true) step = steps.next(await textAt(step.value));
    const name = projectFolderName(folder);
    if (step.value === undefined) return folder;
    await this.#note(name, step.value);
    return (await this.#isOwn(name)) ? folder : step.value;
  }

  /** The main folders by the names of worktrees' folders: those that are noted, and of `names` those that turn out to be; each is looked at once. */
  async folded(projectsDir: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!(await this.areTogether())) return new Map();
    const noted = ((await unlessGone(readdir(this.#layout.worktrees))) ?? []).filter(isSafeSegment);
    await mapLimited(noted, PARALLEL_LOOKS, async (name) => {
      if (this.#known.get(name) !== undefined) return;
      const text = await textWithin(this.#layout.dir, this.#layout.worktree(name)).catch(() => undefined); // a link is no note
      if (text !== undefined && path.isAbsolute(text)) this.#known.set(name, text);
    });
    const unknown = names.filter((name) => !this.#known.has(name));
    await mapLimited(unknown, PARALLEL_LOOKS, (name) => this.#look(path.join(projectsDir, name), name));
    const found = new Map<string, string>();
    for (const [name, main] of this.#known) if (main !== undefined && !(await this.#isOwn(name))) found.set(name, main);
    return found;
  }

  /** By the folder that one of its transcripts names. */
  async #look(folder: string, name: string): Promise<void> {
    const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.jsonl'));
    const [first] = files;
    if (first === undefined) return;
    const cwd = await cwdOf(path.join(folder, first));
    this.#known.set(name, undefined);
    if (cwd !== undefined && path.isAbsolute(cwd) && projectFolderName(cwd) === name) await this.mainOf(cwd);
  }

  async #note(name: string, main: string): Promise<void> {
    if (this.#known.get(name) === main || !isSafeSegment(name)) return;
    this.#known.set(name, main);
    const { dir, worktrees } = this.#layout;
    if ((await unlessGone(stat(dir))) === undefined) return; // nothing is made before there is something to keep
    try {
      await ensurePrivateFolder(worktrees, dir);
      await writeFile(this.#layout.worktree(name), main, { mode: FILE_MODE, flag: 'wx' });
    } catch (error) {
      if (errorCode(error) === undefined) throw error; // it is there already, or cannot be noted: then it is found out again
    }
  }

  async #isOwn(name: string): Promise<boolean> {
    return (await unlessGone(stat(this.#layout.project(name).manifest))) !== undefined;
  }
}

async function textAt(file: string): Promise<FoundText> {
  return readFile(file, 'utf8').catch((error: unknown) => (errorCode(error) === 'EISDIR' ? null : undefined));
}

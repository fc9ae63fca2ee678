import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { KeptFolders } from './keptFolders';
import type { Stage } from './stage';
import { Workbench, type WorkbenchOptions } from './workbench';

/** What a window has to be. */
interface Wanted extends WorkbenchOptions {
  /** A window that nobody has used: for tests of how it opens. */
  isNew?: boolean;
}

interface Opened {
  /** What it was opened with; absent where it is nobody else's. */
  key: string | undefined;
  workbench: Workbench;
  atFirst: KeptFolders | undefined;
}

let opened: Opened | undefined;

async function close(): Promise<void> {
  const { workbench } = opened ?? {};
  opened = undefined;
  await workbench?.close();
}

after(close);

/** What windows are opened with that can be of several: nothing was put into their machine that others do not expect. */
function keyOf(stage: Stage, { prepare, asksForTrust, isNew: _isNew, ...options }: Wanted): string | undefined {
  if (prepare !== undefined || asksForTrust === true) return undefined;
  return JSON.stringify([stage.extensionsDir, options]);
}

/** The sample's window goes on making what is known of it, which ends with the project's memory. */
async function untilSampleIsKnown({ page, home }: Workbench): Promise<void> {
  const isKnown = async (): Promise<boolean> =>
    (await readdir(path.join(home.workspace, 'memory'), { recursive: true })).some((name) =>
      name.endsWith('master.md'),
    );
  while (!(await isKnown())) await page.waitForTimeout(100);
}

async function open(stage: Stage, options: Wanted, key: string | undefined): Promise<Opened> {
  let atFirst: KeptFolders | undefined;
  const keep = async ({ dir, claudeDir, memoryDir, workspace }: Workbench['home'], isSample = false): Promise<void> => {
    const folders = isSample ? [workspace] : [claudeDir, memoryDir, workspace];
    atFirst = await KeptFolders.of(folders, path.join(dir, 'at-first'));
  };
  const prepare =
    key === undefined || options.isSample === true
      ? options.prepare
      : async (home: Workbench['home']): Promise<undefined> => keep(home).then(() => undefined);
  const workbench = await Workbench.open(stage, { ...options, ...(prepare !== undefined && { prepare }) });
  if (options.isSample === true) {
    await untilSampleIsKnown(workbench);
    await keep(workbench.home, true);
  }
  return { key, workbench, atFirst };
}

/** The window that is open, as it was at first, where it is like the one that is wanted; else one that is opened now. */
async function windowFor(stage: Stage, options: Wanted): Promise<Opened> {
  const key = keyOf(stage, options);
  if (opened !== undefined && key !== undefined && opened.key === key && options.isNew !== true) {
    await opened.atFirst?.restore();
    await opened.workbench.tidy();
    return opened;
  }
  await close();
  return open(stage, options, key);
}

/**
 * A window for the tests of one `describe`; pictured when one fails. The next `describe` of the same process that wants one like it
 * goes on in it: what the tests before have written is undone, and what they opened is closed.
 */
export function useWorkbench(stage: Stage, options: Wanted = {}): () => Workbench {
  let workbench: Workbench | undefined;
  before(async () => {
    opened = await windowFor(stage, options);
    workbench = opened.workbench;
  });
  afterEach(async function () {
    const test = this.currentTest;
    if (test?.state === 'failed') await workbench?.shot(`failed ${test.fullTitle()}`);
  });
  return () => {
    if (workbench === undefined) throw new Error('The window is open only while tests run.');
    return workbench;
  };
}

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { projectFolderName } from '../../src/core/sessions/projectNames';
import { commitAll, git } from '../unit/support/gitRepository';
import { TranscriptBuilder } from '../unit/support/transcriptBuilder';
import { keepit } from './support/commandLine';
import { currentStage } from './support/stage';
import { useWorkbench } from './support/useWorkbench';
import type { Workbench } from './support/workbench';

const linksSchema = z.object({
  links: z.array(z.looseObject({ sourceName: z.string(), targetName: z.string(), reason: z.string() })),
});

/** A session that somebody had in a folder. */
async function say({ claudeDir }: Workbench['home'], folder: string, session: string, words: string): Promise<void> {
  const file = path.join(claudeDir, 'projects', projectFolderName(folder), `${session}.jsonl`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, new TranscriptBuilder(session, folder).human(words).assistant('Done.').toString());
}

async function makeRepository(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  commitAll(folder);
}

describe('folders of one repository, in the window', () => {
  const workbench = useWorkbench(currentStage(), {
    prepare: async (home) => {
      const folders = ['api', 'web'].map((name) => path.join(home.dir, 'shop', 'packages', name));
      const [api = '', web = ''] = folders;
      await makeRepository(path.join(home.dir, 'shop'));
      for (const folder of folders) await mkdir(folder, { recursive: true });
      await say(home, api, 'b1c2d3e4-0000-4000-8000-000000000001', 'Return prices in cents.');
      await say(home, web, 'c1c2d3e4-0000-4000-8000-000000000002', 'Show prices with two decimals.');
      await keepit(home, 'register', '--all', '--all-projects');
      return api;
    },
  });
  const proposal = () => workbench().notifications().filter({ hasText: 'shares a repository with' });

  it('are proposed to be linked, once', async () => {
    await workbench().openView('Keepit');
    await proposal().getByText('api shares a repository with web').waitFor();
    await workbench().shot('linking proposed');
    await workbench().page.locator('.notification-toast').getByRole('button', { name: 'Link', exact: true }).click();
    await workbench().notifications().filter({ hasText: 'web is linked to api.' }).waitFor();
    const { links } = linksSchema.parse(
      JSON.parse(await keepit(workbench().home, 'links', '--all-projects', '--json')),
    );
    assert.deepEqual(
      links.map(({ sourceName, targetName, reason }) => [sourceName, targetName, reason]),
      [['web', 'api', 'In the same repository']],
    );
    await workbench().runCommand('Developer: Reload Window');
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Return prices in cents.' }).waitFor();
    assert.equal(await proposal().count(), 0);
  });
});

describe('a worktree, in the window', () => {
  const workbench = useWorkbench(currentStage(), {
    prepare: async (home) => {
      const [main, tree] = [path.join(home.dir, 'shop'), path.join(home.dir, 'trees', 'retry')];
      await makeRepository(main);
      git(main, 'worktree', 'add', '-q', '-b', 'retry', tree);
      await say(home, main, 'b1c2d3e4-0000-4000-8000-000000000001', 'Return prices in cents.');
      await say(home, tree, 'c1c2d3e4-0000-4000-8000-000000000002', 'Retry three times.');
      await keepit(home, 'register', '--all', '--all-projects');
      return tree;
    },
  });

  it('shows the sessions of its repository, and its own among them', async () => {
    await workbench().openView('Keepit');
    for (const title of ['Return prices in cents.', 'Retry three times.'])
      await workbench().treeRows('Sessions').filter({ hasText: title }).waitFor();
    await workbench().shot('sessions of a worktree');
  });
});

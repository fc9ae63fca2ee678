import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { currentStage } from './support/stage';
import { useWorkbench } from './support/useWorkbench';

const SESSION = '7a5f6a1e-3c1b-4a55-9a3e-5f0c1c2d3e4f';
const LINE = 'export const waitMs = 250;';

/** A session that wrote the line. */
function transcript(workspace: string): string {
  const common = { isSidechain: false, cwd: workspace, sessionId: SESSION, version: '2.1.197' };
  const timestamp = new Date(Date.now() - 3_600_000).toISOString();
  const input = { file_path: path.join(workspace, 'wait.ts'), content: `${LINE}\n` };
  const uuids = [1, 2, 3].map((at) => `${SESSION.slice(0, -1)}${at}`);
  const records = [
    { type: 'user', message: { role: 'user', content: 'Wait a quarter of a second between the tries.' } },
    {
      type: 'assistant',
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'claude-opus-4-8',
        content: [{ type: 'tool_use', id: 't1', name: 'Write', input }],
      },
    },
    { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] } },
  ];
  return records
    .map((record, at) => {
      const parentUuid = at === 0 ? null : uuids[at - 1];
      return `${JSON.stringify({ ...common, timestamp, uuid: uuids[at], parentUuid, ...record })}\n`;
    })
    .join('');
}

describe('a line of a file', () => {
  const workbench = useWorkbench(currentStage(), {
    settings: { 'keepit.autoRegister': true, 'keepit.files.status': true },
    prepare: async ({ claudeDir, workspace }) => {
      const folder = path.join(claudeDir, 'projects', workspace.replace(/[^A-Za-z0-9]/g, '-'));
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, `${SESSION}.jsonl`), transcript(workspace));
      await writeFile(path.join(workspace, 'wait.ts'), `${LINE}\n`);
      return undefined;
    },
  });

  it('leads to the exchange that wrote it, and the status bar counts the sessions of the file', async () => {
    const { page } = workbench();
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').filter({ hasText: 'Wait a quarter' }).waitFor();
    await workbench().openView('Explorer');
    await page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: 'wait.ts' }).dblclick();
    await workbench().statusItem('1 session').waitFor();
    const link = page.locator('.monaco-hover a').filter({ hasText: 'Wait a quarter' });
    await workbench().hover(workbench().editorLines().getByText('waitMs').first(), link);
    await workbench().shot('file history');
    await link.click();
    await page.locator('.tab.active').filter({ hasText: 'Wait a quarter' }).waitFor();
    assert.ok(await workbench().editorLines().filter({ hasText: 'wait.ts' }).first().isVisible());
  });
});

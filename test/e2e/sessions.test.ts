import assert from 'node:assert/strict';
import { currentStage } from './support/stage';
import { useWorkbench } from './support/workbench';

describe('the sessions of Claude Code', () => {
  const workbench = useWorkbench(currentStage());

  it('are listed by month with their titles, those of the open folder', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Projects').filter({ hasText: 'mailer' }).waitFor();
    const row = (text: string): Promise<void> => workbench().treeRows('Sessions').filter({ hasText: text }).waitFor();
    await row('The order list takes four seconds');
    await workbench().treeRows('Sessions').filter({ hasText: 'October 2025' }).click();
    await row('Retry failed orders');
    assert.equal(await workbench().treeRows('Sessions').filter({ hasText: 'Umlauts' }).count(), 0);
    await workbench().shot('sessions');
  });

  it('open as a readable transcript', async () => {
    await workbench().treeRows('Sessions').filter({ hasText: 'Retry failed orders' }).click();
    const human = workbench().editorLines().filter({ hasText: 'blocks us after the fourth' });
    await human.first().waitFor();
    await workbench().shot('transcript');
  });

  it('give way to the sample memory, and come back', async () => {
    await workbench().runCommand('Keepit: Open Sample Memory');
    await workbench().treeRows('Projects').filter({ hasText: 'tidewatch' }).waitFor();
    await workbench().shot('sample memory');
    await workbench().runCommand('Keepit: Close Sample Memory');
    await workbench().treeRows('Projects').filter({ hasText: 'mailer' }).waitFor();
  });
});

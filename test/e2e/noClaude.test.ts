import { currentStage, inRepository } from './support/stage';
import { useWorkbench } from './support/useWorkbench';

describe('a machine without Claude Code', () => {
  const stage = currentStage();
  const workbench = useWorkbench(stage, { claudeFixture: inRepository(stage, 'test/fixtures/empty-claude-home') });

  it('is told what to do, and offered a sample', async () => {
    await workbench().openView('Keepit');
    await workbench().view('Projects').getByText('No Claude Code folder was found.').waitFor();
    await workbench().shot('no claude folder');
    const offer = workbench().view('Sessions').getByRole('button', { name: 'Open Sample Memory' });
    const sample = await workbench().windowOpenedBy(() => offer.click());
    await sample.treeRows('Projects').filter({ hasText: 'tidewatch' }).waitFor();
  });
});

import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { useSampleWindow } from '../support/windows';

/** Editors write spaces as non-breaking ones, which a pattern has to allow. */
function startingWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s')}`);
}

describe('the window of the sample, as it opens', () => {
  const workbench = useSampleWindow({ isNew: true });

  it('has what is known folded, with the versions, below what one looks at first', async () => {
    await workbench().page.setViewportSize({ width: 1280, height: 800 });
    await workbench().treeRows('Projects').filter({ hasText: 'garden-notes' }).waitFor();
    await workbench().treeRows('Keepits').filter({ hasText: 'Pinned' }).waitFor();
    await workbench().treeRows('Sessions').filter({ hasText: 'Release 1.0' }).waitFor();
    for (const title of ['Versions', 'Compositions', 'Knowledge', 'Inside Claude Code']) {
      assert.equal(await workbench().view(title).locator('.pane-header').getAttribute('aria-expanded'), 'false');
    }
    await workbench().shotInThemes('sample at 1280');
    await workbench().page.setViewportSize({ width: 1400, height: 900 });
  });

  describe('a transcript of the sample memory', () => {
    const line = (start: string): Locator =>
      workbench()
        .editorLines()
        .filter({ hasText: startingWith(start) });

    it('is there from the start, with what tools were given and answered folded away', async () => {
      await workbench().treeRows('Projects').filter({ hasText: 'tidewatch' }).waitFor();
      await line('## 1 · You').waitFor();
      await line('• Read').first().waitFor();
      await line('│').first().waitFor({ state: 'detached' });
      const coloured = line('## 1 · You').locator('span[class*="mtk"]').nth(1);
      await workbench().shotInThemes('sample transcript', () => coloured.waitFor());
    });

    it('unfolds and folds what tools were given and answered', async () => {
      await line('## 1 · You').click();
      await workbench().runCommand('Keepit: Unfold Tool Details');
      await workbench().shotInThemes('tool details', () => line('│ file_path:').first().waitFor());
      await workbench().runCommand('Keepit: Fold Tool Details');
      await line('│').first().waitFor({ state: 'detached' });
    });

    it('leads from a message to its record in the original, and stays open', async () => {
      const opening = line('  We go live on Friday');
      await opening.waitFor();
      await opening.click();
      await workbench().page.keyboard.press('Alt+o');
      await line('{"parentUuid":null').first().waitFor();
      await workbench().shot('original at this line');
      const tabs = workbench().page.locator('.tabs-container .tab');
      assert.equal(await tabs.count(), 2);
      await tabs.first().click();
      await opening.waitFor();
    });

    it('is found by its outline in the command center', async () => {
      await line('## 1 · You').click();
      await workbench().page.keyboard.press('Control+Shift+o');
      await workbench()
        .page.locator('.quick-input-list')
        .getByText(/^2 · and please no root/)
        .first()
        .waitFor();
      await workbench().shot('outline');
      await workbench().page.keyboard.press('Escape');
    });

    it('shows sub-agents under their session, each with a transcript of its own', async () => {
      await workbench().showOnly('Sessions');
      await workbench().treeRows('Sessions').filter({ hasText: 'October' }).click();
      const parent = workbench()
        .treeRows('Sessions')
        .filter({ has: workbench().page.locator('.collapsible') });
      const rows = workbench().treeRows('Sessions');
      for (const text of await rows.allTextContents()) assert.doesNotMatch(text, /agent-/);
      const withAgents = parent.filter({ hasNotText: /sessions?/ }).first();
      await withAgents.locator('.monaco-tl-twistie').click();
      const agent = workbench()
        .page.getByRole('treeitem', { name: /^Sub-agent/ })
        .first();
      await agent.click();
      await line('# In /home').first().waitFor();
      await workbench().shot('sub-agent');
    });
  });
});

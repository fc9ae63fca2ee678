import type { FrameLocator, Locator } from 'playwright-core';
import type { Workbench } from './workbench';

/** The rows of sessions in a Composition Builder. */
export function rowsOf(panel: FrameLocator): Locator {
  return panel.locator('li.component');
}

/** Composes the fixtures' session about failed orders, from an empty builder; what was made is announced in the panel. */
export async function composeOrders(workbench: Workbench, name: string): Promise<void> {
  const { page } = workbench;
  await workbench.openView('Keepit');
  await workbench.treeRows('Projects').filter({ hasText: 'mailer' }).waitFor();
  await workbench.runCommand('Keepit: Compose Context…');
  const panel = workbench.webview();
  await panel.getByRole('button', { name: 'Add Sessions…' }).click();
  await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Retry failed orders' }).click();
  await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  await workbench.answer('Add to Memory');
  await rowsOf(panel).first().waitFor();
  await panel.getByRole('textbox', { name: 'Name' }).fill(name);
  await panel.getByRole('button', { name: 'Compose', exact: true }).click();
  await panel.getByText(`“${name}” is saved`).waitFor();
}

/** The view *Compositions*, with the others folded. */
export async function showCompositions(workbench: Workbench): Promise<void> {
  const header = workbench.view('Compositions').locator('.pane-header');
  if ((await header.getAttribute('aria-expanded')) !== 'true') await header.click();
  await workbench.showOnly('Compositions');
}

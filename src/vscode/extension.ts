import type { ExtensionContext } from 'vscode';
import { window } from 'vscode';

/** Composes the extension; VS Code calls it once, when one of the activation events fires. */
export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel('Keepit', { log: true });
  context.subscriptions.push(log);
  log.info('Keepit is active.');
}

/** Everything that was made belongs to the context's subscriptions, which VS Code disposes of by itself. */
export function deactivate(): void {
  return;
}

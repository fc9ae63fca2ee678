import type { CancellationToken } from 'vscode';

/** VS Code's way to cancel, as the rest of the code knows it. */
export function abortSignalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

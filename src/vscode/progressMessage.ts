import { ProgressLocation, window, type CancellationToken } from 'vscode';
import type { OnProgress, Progress } from '../core/sessions/results';

/** VS Code's way to cancel, as the rest of the code knows it. */
export function abortSignalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

/** Whoever else follows the work, or may stop it. */
export interface ProgressFollower {
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
  /** It is done in a moment: a message that can cancel it would only flash. */
  readonly isShort?: boolean | undefined;
}

/** Does work behind a message that shows how far it is, and can cancel it. */
export async function withProgressMessage<T>(
  title: string,
  follower: ProgressFollower,
  work: (onProgress: OnProgress, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const isShort = follower.isShort === true;
  const location = isShort ? ProgressLocation.Window : ProgressLocation.Notification;
  return window.withProgress({ location, title, cancellable: !isShort }, (bar, token) => {
    let shown = 0;
    const byMessage = abortSignalOf(token);
    const signal = follower.signal === undefined ? byMessage : AbortSignal.any([byMessage, follower.signal]);
    return work((progress: Progress) => {
      const { done, total, label } = progress;
      const percent = total === 0 ? 0 : (done / total) * 100;
      bar.report({ increment: Math.max(0, percent - shown), ...(label !== undefined && { message: label }) });
      shown = Math.max(shown, percent);
      follower.onProgress?.(progress);
    }, signal);
  });
}

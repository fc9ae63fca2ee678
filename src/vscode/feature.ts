import type { Disposable } from 'vscode';
import type { Log } from '../core/model/host';

/** A part of the extension that stands on its own. */
export interface Feature {
  /** For the log, when it cannot start. */
  readonly name: string;
  /** Registers everything with VS Code; what it returns ends all of it. Called once. */
  register(): Disposable;
}

/** Starts each feature. One that throws is logged, and the others still start. */
export function startFeatures(features: readonly Feature[], log: Log): Disposable[] {
  const started: Disposable[] = [];
  for (const feature of features) {
    try {
      started.push(feature.register());
    } catch (error) {
      log.error(`The feature “${feature.name}” could not start; the others go on without it.`, error);
    }
  }
  return started;
}

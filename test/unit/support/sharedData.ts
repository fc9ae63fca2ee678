import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * A path in the folder of real transcripts that may lie beside the repository; undefined where it does not: the test
 * then says so with `this.skip()`. Tests run in the repository's folder.
 */
export function sharedData(...parts: readonly string[]): string | undefined {
  const place = path.resolve('..', 'shared', 'data', ...parts);
  return existsSync(place) ? place : undefined;
}

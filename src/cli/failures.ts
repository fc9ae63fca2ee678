import type { RegisterResult } from '../core/sessions/results';
import { CliFailure } from './cliErrors';
import type { Page } from './page';

export type Failure = RegisterResult['failed'][number];

/** What went wrong, session by session. */
export function failedLines(failed: readonly Failure[], { bad }: Page): string[] {
  return failed.map(({ session, error }) => `${bad('✗ failed')}  ${session}: ${error}`);
}

/** The exit code of a bulk command tells that not all of it was done. */
export function failureOf(failed: readonly unknown[]): CliFailure | undefined {
  if (failed.length === 0) return undefined;
  return new CliFailure('partly-failed', failed.length === 1 ? '1 session' : `${failed.length} sessions`);
}

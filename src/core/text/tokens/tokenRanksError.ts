import { KeepitError, type ErrorText } from '../keepitError';

export type TokenRanksErrorReason = 'missing' | 'unreadable' | 'corrupt';

const reinstall = 'Install Keepit again, or run `npm run build` in a checkout; estimates go on working.';

const texts: Record<TokenRanksErrorReason, ErrorText> = {
  missing: { message: 'The data for exact token counts is missing.', hint: reinstall },
  unreadable: {
    message: 'The data for exact token counts cannot be read.',
    hint: 'Check that you may read the folder in which Keepit is installed; estimates go on working.',
  },
  corrupt: { message: 'The data for exact token counts is damaged.', hint: reinstall },
};

/** The ranks that exact counting needs could not be had. */
export class TokenRanksError extends KeepitError {
  constructor(
    readonly reason: TokenRanksErrorReason,
    options?: { cause?: unknown },
  ) {
    super(`tokens-${reason}`, texts[reason], options);
  }
}

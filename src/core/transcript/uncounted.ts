import type { TokenCounter, TokenEstimator } from '../text/tokens/tokenCounter';

/** For reading words whose tokens nobody asks for. */
export const uncounted: TokenEstimator = { estimate: () => 0, sample: () => 0 };

/** The same, where a counter is wanted. */
export const countsNothing: TokenCounter = { id: 'estimate', count: () => 0 };

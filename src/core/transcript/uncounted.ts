import type { TokenEstimator } from '../text/tokens/tokenCounter';

/** For reading words whose tokens nobody asks for. */
export const uncounted: TokenEstimator = { estimate: () => 0, sample: () => 0 };

import * as z from 'zod/mini';

/** How many there are of something, or how much: no less than none. */
export const count = z.number().check(z.nonnegative());

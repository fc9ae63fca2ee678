import * as z from 'zod';

const environmentSchema = z.object({
  root: z.string(),
  /** Generated transcripts and installed tools stay here from one run to the next. */
  cacheDir: z.string(),
  /** The bundled program in which `inFreshProcess` runs a probe. */
  childMain: z.string(),
});

export type BenchEnvironment = z.infer<typeof environmentSchema>;

/** What `npm run bench` prepared. */
export function benchEnvironment(): BenchEnvironment {
  const { KEEPIT_BENCH: text } = process.env;
  if (text === undefined) throw new Error('KEEPIT_BENCH is not set: use npm run bench.');
  return environmentSchema.parse(JSON.parse(text));
}

import path from 'node:path';
import * as z from 'zod';

/** What the runner has set up before the tests begin. */
const stageSchema = z.object({
  root: z.string(),
  node: z.string(),
  serverMain: z.string(),
  chromium: z.string(),
  /** The real Claude Code, and a folder of extensions in which its own one is too; absent where they cannot be had. */
  claude: z.optional(z.string()),
  withClaudeExtension: z.optional(z.string()),
  /** Holds the packaged extension, as it was installed from its VSIX. */
  extensionsDir: z.string(),
  /** Where logs and pictures go; it outlives the run. */
  artefacts: z.string(),
});

export type Stage = z.infer<typeof stageSchema>;

/** The stage that `npm run test:e2e` prepared; these tests cannot run without it. */
export function currentStage(): Stage {
  const { KEEPIT_E2E: text } = process.env;
  if (text === undefined) throw new Error('KEEPIT_E2E is not set: use npm run test:e2e.');
  return stageSchema.parse(JSON.parse(text));
}

/** A path below the repository's folder. */
export function inRepository(stage: Stage, ...parts: string[]): string {
  return path.join(stage.root, ...parts);
}

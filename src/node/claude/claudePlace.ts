import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { parsedJson } from '../../core/text/ownValue';

/** Claude Code's folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function defaultClaudeDir(env: NodeJS.ProcessEnv = process.env): string {
  const configured = env.CLAUDE_CONFIG_DIR;
  return configured !== undefined && configured !== '' ? path.resolve(configured) : path.join(homedir(), '.claude');
}

/** How long Claude Code keeps transcripts when its settings say nothing. */
const DEFAULT_CLEANUP_DAYS = 30;

const settingsSchema = z.looseObject({ cleanupPeriodDays: z.optional(z.number().check(z.nonnegative())) });

/** `cleanupPeriodDays` of Claude Code's `settings.json`; the default when the file is absent, damaged or silent about it. */
export async function readCleanupPeriodDays(claudeDir: string): Promise<number> {
  const text = await readFile(path.join(claudeDir, 'settings.json'), 'utf8').catch(() => '{}');
  const settings = settingsSchema.safeParse(parsedJson(text));
  return settings.data?.cleanupPeriodDays ?? DEFAULT_CLEANUP_DAYS;
}

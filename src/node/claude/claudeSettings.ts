import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';

/** How long Claude Code keeps transcripts when its settings say nothing. */
export const DEFAULT_CLEANUP_DAYS = 30;

const settingsSchema = z.looseObject({ cleanupPeriodDays: z.optional(z.number().check(z.nonnegative())) });

/** `cleanupPeriodDays` of Claude Code's `settings.json`; the default when the file is absent, damaged or silent about it. */
export async function readCleanupPeriodDays(claudeDir: string): Promise<number> {
  const text = await readFile(path.join(claudeDir, 'settings.json'), 'utf8').catch(() => '{}');
  const settings = settingsSchema.safeParse(parseJson(text));
  return settings.data?.cleanupPeriodDays ?? DEFAULT_CLEANUP_DAYS;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Claude Code itself then goes on with its defaults
  }
}

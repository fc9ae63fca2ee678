import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock, Log } from '../../core/model/host';
import { ClaudeSetup } from '../../core/claude/setup/claudeSetup';
import { defaultClaudeDir } from '../claude/claudeFolder';
import { defaultMemoryDir } from '../store/storeLayout';
import { DiskSetupMachine } from './diskSetupMachine';

export interface ClaudeSetupOptions {
  log: Log;
  /** Default: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  claudeDir?: string;
  /** Default: `CLAUDE_MEMORY_DIR`, else `~/.claude-memory`. */
  memoryDir?: string;
  /** Where the products of the build lie. Default: beside the running bundle. */
  distDir?: string;
  clock?: Clock;
}

/** Wires the set-up of Claude Code to this machine. Opens no file yet. */
export function createClaudeSetup(options: ClaudeSetupOptions): ClaudeSetup {
  const { log, clock = { now: () => new Date() } } = options;
  const machine = new DiskSetupMachine({
    claudeDir: options.claudeDir ?? defaultClaudeDir(),
    memoryDir: options.memoryDir ?? defaultMemoryDir(),
    distDir: options.distDir ?? path.dirname(fileURLToPath(import.meta.url)),
    env: process.env,
    log,
  });
  return new ClaudeSetup(machine, clock);
}

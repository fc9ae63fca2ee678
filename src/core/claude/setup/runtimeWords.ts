import * as z from 'zod/mini';
import { text } from '../../model/fields';
import type { SetupRuntime } from '../../model/setupRecord';

/** How the plugin's files call Keepit where `node` is on PATH, which is how they are shipped. */
const CALL = 'node "${CLAUDE_PLUGIN_ROOT}/bin/keepit.js"';

const ROOT = '${CLAUDE_PLUGIN_ROOT}';

const mcpSchema = z.looseObject({ mcpServers: z.record(text, z.looseObject({ command: text })) });

/**
 * A file of the plugin with its calls made for a runtime. Only files that call something change: hooks, commands, agents, `.mcp.json`.
 * Windows has no words that set a variable in every shell: a batch file does it there, see {@link windowsLauncher}.
 */
export function withRuntime(text: string, runtime: SetupRuntime, platform: 'posix' | 'windows'): string {
  const call = callOf(runtime, platform);
  if (call === CALL) return text;
  return replaceCall(mcpWithRuntime(text, runtime), call);
}

/** The same with the folder itself instead of the variable, for places that Claude Code does not expand it in. */
export function withRoot(text: string, root: string): string {
  const plain = root.replaceAll('\\', '/');
  return text.replaceAll(ROOT, () => plain);
}

/** `bin/keepit.cmd`, for Windows without `node` on PATH; undefined where it is not needed. */
export function windowsLauncher(runtime: SetupRuntime, platform: 'posix' | 'windows'): string | undefined {
  if (platform === 'posix' || runtime.kind !== 'electron') return undefined;
  return `@echo off\r\nset ELECTRON_RUN_AS_NODE=1\r\n"${runtime.file}" "%~dp0keepit.js" %*\r\n`;
}

function callOf({ kind, file }: SetupRuntime, platform: 'posix' | 'windows'): string {
  if (kind === 'path') return CALL;
  if (kind === 'electron' && platform === 'windows') return `"${ROOT}/bin/keepit.cmd"`;
  const words = `"${platform === 'windows' ? file.replaceAll('\\', '/') : shellSafe(file)}" "${ROOT}/bin/keepit.js"`;
  return kind === 'electron' ? `ELECTRON_RUN_AS_NODE=1 ${words}` : words;
}

/** Inside double quotes of a shell. */
function shellSafe(word: string): string {
  return word.replace(/[\\"$`]/g, '\\$&');
}

function replaceCall(text: string, call: string): string {
  const inJson = (words: string): string => JSON.stringify(words).slice(1, -1);
  return text.replaceAll(CALL, () => call).replaceAll(inJson(CALL), () => inJson(call));
}

/** Servers are started without a shell, and have a place for variables. */
function mcpWithRuntime(text: string, { kind, file }: SetupRuntime): string {
  if (!text.includes('"mcpServers"')) return text;
  const parsed = mcpSchema.parse(JSON.parse(text));
  for (const server of Object.values(parsed.mcpServers)) {
    server.command = file;
    if (kind === 'electron') server.env = { ELECTRON_RUN_AS_NODE: '1' };
  }
  return `${JSON.stringify(parsed, null, 2)}\n`;
}

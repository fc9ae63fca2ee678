import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const call = 'node "${CLAUDE_PLUGIN_ROOT}/bin/keepit.js"';

/** A small plugin with the ways of the real one, in `<distDir>/claude-plugin`, as a build leaves it. */
export async function carriedPlugin(
  distDir: string,
  {
    version = '0.1.0',
    files = {},
    without = '',
  }: { version?: string; files?: Record<string, string>; without?: string } = {},
): Promise<void> {
  const hook = (event: string) => [{ hooks: [{ type: 'command', command: `${call} hook ${event}`, timeout: 5 }] }];
  const all: Record<string, string> = {
    '.claude-plugin/plugin.json': JSON.stringify({ name: 'keepit', version }),
    '.mcp.json': JSON.stringify({
      mcpServers: { memory: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/bin/keepit.js', 'mcp'] } },
    }),
    'hooks/hooks.json': JSON.stringify({ hooks: { Stop: hook('Stop'), SessionEnd: hook('SessionEnd') } }),
    'bin/keepit.js': `#!/usr/bin/env node\nconsole.log(${JSON.stringify(version)});\n`,
    'bin/part-a.mjs': 'export const a = 1;\n',
    ...files,
  };
  for (const name of ['summarize', 'synthesize', 'recall']) {
    all[`commands/${name}.md`] = `---\ndescription: ${name}\n---\n!\`${call} ${name}\`\n`;
  }
  const names = Object.keys(all).filter((name) => name !== without);
  const hashes = names.map((name): [string, string] => [
    name,
    createHash('sha256')
      .update(all[name] ?? '')
      .digest('hex'),
  ]);
  all['files.json'] = JSON.stringify({ version, files: Object.fromEntries(hashes) });
  for (const name of [...names, 'files.json']) {
    const file = path.join(distDir, 'claude-plugin', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, all[name] ?? '');
  }
}

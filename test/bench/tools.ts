import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CaseSkipped } from './bench';
import { benchEnvironment } from './environment';

/** Other people's tools that ours is compared with; they are no dependency of the project. Exact, so that figures stay comparable. */
const tools = {
  'ccusage@18': { spec: 'ccusage@18.0.11', program: 'ccusage' },
  'ccusage@20': { spec: 'ccusage@20.0.24', program: 'ccusage' },
} as const;

export type Tool = keyof typeof tools;

function npmInstall(folder: string, spec: string): Promise<number> {
  return new Promise((resolve) => {
    const args = ['install', spec, '--no-audit', '--no-fund', '--loglevel', 'error'];
    const child = spawn('npm', args, { cwd: folder, stdio: 'ignore', shell: process.platform === 'win32' });
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * The path of a tool's program, installed on first use. Throws `CaseSkipped` where it cannot be had: call it in a case's `setup`.
 */
export async function installedTool(tool: Tool): Promise<string> {
  const { spec, program: name } = tools[tool];
  const folder = path.join(benchEnvironment().cacheDir, 'bench-tools', spec);
  const program = path.join(folder, 'node_modules/.bin', name);
  if (existsSync(program)) return program;
  const draft = `${folder}.${process.pid}.draft`;
  await mkdir(draft, { recursive: true });
  await writeFile(path.join(draft, 'package.json'), '{"private":true}\n');
  if ((await npmInstall(draft, spec)) !== 0) {
    await rm(draft, { recursive: true, force: true });
    throw new CaseSkipped(`${spec} could not be installed from the npm registry`);
  }
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
  return program;
}

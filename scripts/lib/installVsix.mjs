import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from './run.mjs';

/**
 * Installs packaged extensions for the embedded VS Code, in place of what was installed there before.
 * @param {{ node: string, serverMain: string }} server
 * @param {readonly string[]} files
 * @param {string} dir everything that it writes stays below this folder
 * @returns {Promise<string>} the folder of installed extensions
 */
export async function installVsix(server, files, dir) {
  const extensionsDir = path.join(dir, 'extensions');
  const places = ['--extensions-dir', extensionsDir, '--server-data-dir', path.join(dir, 'install-data')];
  const wanted = files.flatMap((file) => ['--install-extension', file]);
  const args = [server.serverMain, ...wanted, '--force', ...places, '--accept-server-license-terms'];
  await mkdir(dir, { recursive: true });
  const { output } = await run(server.node, args, { isQuiet: true, env: { ...process.env, HOME: dir } });
  const installed = output.match(/was successfully installed/g) ?? [];
  if (installed.length < files.length) throw new Error(`The VSIX could not be installed:\n${output}`);
  return extensionsDir;
}

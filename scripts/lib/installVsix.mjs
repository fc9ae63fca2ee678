import path from 'node:path';
import { run } from './run.mjs';

/**
 * Installs a packaged extension for the embedded VS Code, in place of what was installed there before.
 * @param {{ node: string, serverMain: string }} server
 * @param {string} vsix
 * @param {string} dir everything that it writes stays below this folder
 * @returns {Promise<string>} the folder of installed extensions
 */
export async function installVsix(server, vsix, dir) {
  const extensionsDir = path.join(dir, 'extensions');
  const places = ['--extensions-dir', extensionsDir, '--server-data-dir', path.join(dir, 'install-data')];
  const args = [server.serverMain, '--install-extension', vsix, '--force', ...places, '--accept-server-license-terms'];
  const { output } = await run(server.node, args, { isQuiet: true, env: { ...process.env, HOME: dir } });
  if (!output.includes('was successfully installed')) throw new Error(`The VSIX could not be installed:\n${output}`);
  return extensionsDir;
}

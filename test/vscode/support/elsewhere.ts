import path from 'node:path';
import type { Log } from '../../../src/core/model/host';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { folderOf } from './window';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The same store as another window or a command line has it. */
export function elsewhere(): Memory {
  const { KEEPIT_TEST_ROOT: root = '' } = process.env;
  return createMemory({
    log: silent,
    claudeDir: folderOf('CLAUDE_CONFIG_DIR'),
    memoryDir: folderOf('CLAUDE_MEMORY_DIR'),
    distDir: path.join(root, 'dist'),
  });
}

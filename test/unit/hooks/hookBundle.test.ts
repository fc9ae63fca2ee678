import assert from 'node:assert/strict';
import { build } from 'esbuild';

describe('the program that hooks run', () => {
  it('carries no data: Claude Code waits while it is read', async () => {
    const { metafile } = await build({
      entryPoints: ['src/hooks/main.ts'],
      alias: { 'zod/mini': './src/hooks/leanZod.ts' },
      bundle: true,
      platform: 'node',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    assert.deepEqual(
      Object.keys(metafile.inputs).filter((file) => file.endsWith('.json')),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { build } from 'esbuild';

describe('the program that hooks run', () => {
  it('carries no data but a few words: Claude Code waits while it is read', async () => {
    const { metafile } = await build({
      entryPoints: ['src/hooks/main.ts'],
      alias: { 'zod/mini': './src/hooks/leanZod.ts' },
      bundle: true,
      platform: 'node',
      write: false,
      metafile: true,
      logLevel: 'silent',
    });
    const [bundle] = Object.values(metafile.outputs);
    const data = Object.entries(bundle?.inputs ?? {}).filter(([file]) => file.endsWith('.json'));
    const bytes = data.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    assert.ok(bytes < 4000, `${bytes} bytes of ${data.map(([file]) => file).join(', ')}`);
  });
});

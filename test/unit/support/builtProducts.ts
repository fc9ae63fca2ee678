import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { buildRanks } from '../../../scripts/buildRanks.mjs';

/** Builds what a memory finds beside its bundle: the threads that scan and compress, and the data for exact counts. */
export function useBuiltProducts(): { readonly distDir: string } {
  const products = { distDir: '' };
  before(async () => {
    products.distDir = await mkdtemp(path.join(tmpdir(), 'keepit-dist-'));
    await buildRanks(path.join(products.distDir, 'o200k_base.bin'));
    await build({
      entryPoints: ['src/node/threads/scannerWorker.ts', 'src/node/threads/compressionWorker.ts'],
      outdir: products.distDir,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      logLevel: 'error',
    });
  });
  after(() => rm(products.distDir, { recursive: true, force: true }));
  return products;
}

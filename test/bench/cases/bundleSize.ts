import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { BenchCase } from '../bench';
import { benchEnvironment } from '../environment';

const sizesSchema = z.array(z.object({ name: z.string(), bytes: z.number() }));

async function bundleBytes(product: string): Promise<number> {
  const file = path.join(benchEnvironment().root, 'dist/sizes.json');
  const sizes = sizesSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const size = sizes.find(({ name }) => name === product);
  if (size === undefined) throw new Error(`The build reports no product '${product}'.`);
  return size.bytes;
}

const ACTIVATION_LIMIT_BYTES = 300 * 1024;

export const cases: BenchCase[] = [
  {
    name: 'what VS Code loads when the extension activates',
    subject: { name: 'dist/extension.js, production', run: async () => ({ bytes: await bundleBytes('extension') }) },
    limits: { bytes: ACTIVATION_LIMIT_BYTES },
    repeats: 1,
    warmups: 0,
  },
];

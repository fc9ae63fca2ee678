import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { BenchCase, Metrics } from '../bench';
import { benchEnvironment } from '../environment';
import { metricsOfScript } from '../scriptRun';

const ACTIVATION_LIMIT_BYTES = 300 * 1024;
const ACTIVATION_LIMIT_MS = 50;

const sizesSchema = z.array(z.object({ name: z.string(), bytes: z.number() }));

async function bundleSize(product: string): Promise<Metrics> {
  const file = path.join(benchEnvironment().root, 'dist/sizes.json');
  const sizes = sizesSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const size = sizes.find(({ name }) => name === product);
  if (size === undefined) throw new Error(`The build reports no product '${product}'.`);
  return { bytes: size.bytes };
}

export const cases: BenchCase[] = [
  {
    name: 'what VS Code loads when the extension activates',
    subject: { name: 'dist/extension.mjs, production', run: () => bundleSize('extension') },
    limits: { bytes: ACTIVATION_LIMIT_BYTES },
    repeats: 1,
    warmups: 0,
  },
  {
    name: 'activation in a real VS Code',
    baseline: { name: 'an extension that does nothing', run: () => metricsOfScript('measureActivation.mjs', 'bare') },
    subject: { name: 'Keepit', run: () => metricsOfScript('measureActivation.mjs', 'keepit') },
    limits: { timeMs: ACTIVATION_LIMIT_MS },
  },
];

import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { BenchCase, Metrics } from '../bench';
import { benchEnvironment } from '../environment';

const ACTIVATION_LIMIT_BYTES = 300 * 1024;
const ACTIVATION_LIMIT_MS = 50;

const sizesSchema = z.array(z.object({ name: z.string(), bytes: z.number() }));
const timeSchema = z.object({ timeMs: z.number() });

async function bundleSize(product: string): Promise<Metrics> {
  const file = path.join(benchEnvironment().root, 'dist/sizes.json');
  const sizes = sizesSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const size = sizes.find(({ name }) => name === product);
  if (size === undefined) throw new Error(`The build reports no product '${product}'.`);
  return { bytes: size.bytes };
}

/** One cold start of VS Code; what it prints last is the measurement. */
function activationTime(extension: 'keepit' | 'bare'): Promise<Metrics> {
  const { root } = benchEnvironment();
  return new Promise((resolve, reject) => {
    const script = path.join(root, 'scripts/measureActivation.mjs');
    const child = spawn(process.execPath, [script, extension], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve(timeSchema.parse(JSON.parse(last)));
      else reject(new Error(`Activation of ${extension} could not be measured.`));
    });
  });
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
    baseline: { name: 'an extension that does nothing', run: () => activationTime('bare') },
    subject: { name: 'Keepit', run: () => activationTime('keepit') },
    limits: { timeMs: ACTIVATION_LIMIT_MS },
  },
];

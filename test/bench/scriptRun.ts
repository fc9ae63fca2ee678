import { spawn } from 'node:child_process';
import path from 'node:path';
import * as z from 'zod';
import type { Metrics } from './bench';
import { benchEnvironment } from './environment';

const metricsSchema = z.record(z.string(), z.number());

/** Runs a script of ours in a process of its own; what it prints last are its metrics. */
export function metricsOfScript(script: string, argument: string, node = process.execPath): Promise<Metrics> {
  const { root } = benchEnvironment();
  return new Promise((resolve, reject) => {
    const file = path.join(root, 'scripts', script);
    const child = spawn(node, [file, argument], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve(metricsSchema.parse(JSON.parse(last)));
      else reject(new Error(`${script} ${argument} could not be measured.`));
    });
  });
}

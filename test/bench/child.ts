import { fork, spawn } from 'node:child_process';
import * as z from 'zod';
import { CaseSkipped, type Metrics } from './bench';
import { benchEnvironment } from './environment';

const metricsSchema = z.record(z.string(), z.number());

/**
 * Runs a function of a case file in a fresh Node process, and measures it there: its time without the process's start,
 * the peak of resident memory, and the longest time for which the event loop could do nothing else.
 *
 * @param caseUrl the case file's own `import.meta.url`
 * @param probe the name of one of the functions in the `probes` that the file exports
 * @param input what the function gets; it crosses as JSON
 */
export function inFreshProcess(caseUrl: string, probe: string, input: unknown): Promise<Metrics> {
  return new Promise((resolve, reject) => {
    const child = fork(benchEnvironment().childMain, [caseUrl, probe, JSON.stringify(input)], {
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let metrics: Metrics | undefined;
    child.on('message', (message) => (metrics = metricsSchema.parse(message)));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0 && metrics !== undefined) resolve(metrics);
      else reject(new Error(`${probe} ended with code ${code} in its own process.`));
    });
  });
}

/** Runs a program to its end, throws its output away, and counts it. A program that fails is an error. */
export function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Metrics> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let outputBytes = 0;
    child.stdout.on('data', (chunk: Buffer) => (outputBytes += chunk.length));
    child.once('error', (error) => reject(new CaseSkipped(`${command} cannot be run here (${error.message})`)));
    child.once('close', (code) => {
      if (code === 0) resolve({ timeMs: performance.now() - started, outputBytes });
      else reject(new Error(`${command} ended with code ${code}.`));
    });
  });
}

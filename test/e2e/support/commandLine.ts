import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { currentStage, inRepository } from './stage';
import type { Workbench } from './workbench';

/** Runs the command line in a window's folder, with its memory; what it prints. */
export async function keepit({ workspace, env }: Workbench['home'], ...args: string[]): Promise<string> {
  const program = inRepository(currentStage(), 'dist/cli.js');
  return (await promisify(execFile)(process.execPath, [program, ...args], { cwd: workspace, env })).stdout;
}

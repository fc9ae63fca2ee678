import { commands } from 'vscode';
import { armedText, reaches, type HandOver } from '../../core/presentation/armedText';
import type { CompositionRef } from '../../core/presentation/treeNode';
import { commandIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';

export interface ArmingOptions {
  readonly host: MemoryHost;
  readonly notifier: Notifier;
}

/** A composition that waits for the next session of its project. */
export interface Armed {
  readonly place: CompositionRef;
  /** The project's folder; empty where it is not known. */
  readonly folder: string;
  /** It is longer than hooks may say. */
  readonly isCut: boolean;
}

/** Says whether a hook will hand over what is armed, and helps where none would. What is left to the caller is its answer. */
export async function tellArmed(
  { host, notifier }: ArmingOptions,
  { place, folder, isCut }: Armed,
): Promise<'start' | 'undo' | undefined> {
  const { service, setup } = await host.memory();
  const { installs } = await setup.status();
  const isHooked = installs.some((install) => reaches(install, folder));
  const isOn = (await service.readConfig()).hooks.sessionStart;
  const handOver: HandOver = !isHooked ? 'notSetUp' : isOn ? 'sure' : 'off';
  const [setUp, turnOn, start, undo] = ['Set Up Claude Code', 'Turn It On', 'Start Claude Code Now', 'Undo'] as const;
  const help = { sure: [], off: [turnOn], notSetUp: [setUp] }[handOver];
  const answer = await notifier.tell(armedText(place.name, handOver, isCut), ...help, start, undo);
  if (answer === setUp) await commands.executeCommand(commandIds.setUpClaudeCode);
  if (answer === turnOn) await service.setConfig('hooks.sessionStart', 'true');
  return answer === start ? 'start' : answer === undo ? 'undo' : undefined;
}

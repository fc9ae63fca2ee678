import type { CommandContext } from './command';
import type { CommandInput } from './commandInput';

/**
 * Whether something may be deleted that can be brought back. Asked on a terminal, unless `--yes` or the configuration says that it need not be.
 */
export async function mayDelete(
  question: () => string | Promise<string>,
  input: Pick<CommandInput, 'has'>,
  { confirm, memory }: Pick<CommandContext, 'confirm' | 'memory'>,
): Promise<boolean> {
  if (confirm === undefined || input.has('yes')) return true;
  const { ui } = await memory.readConfig();
  return !ui.confirmDestructiveActions || confirm(await question());
}

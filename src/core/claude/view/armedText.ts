import type { SetupInstall } from '../../model/setupRecord';

/** Whether what is set up there is in force in a project's folder. */
export function reaches(
  { scope, folder }: Pick<SetupInstall, 'scope' | 'folder'>,
  project: string | undefined,
): boolean {
  return scope === 'user' || (folder !== undefined && folder === project);
}

/** Whether a hook will hand over what is armed: it will, it is switched off, or Claude Code is not set up here. */
export type HandOver = 'sure' | 'off' | 'notSetUp';

/** What becomes of a composition that waits for the next session. */
export function armedText(name: string, handOver: HandOver, isCut: boolean): string {
  const cut = isCut
    ? ' It is longer than a hook may say: what is marked is handed over, where the work stands, and the file to read. Start it from here to have all of it.'
    : '';
  switch (handOver) {
    case 'sure':
      return `“${name}” is handed to the next session of the project, once.${cut}`;
    case 'off':
      return `“${name}” waits for the next session of the project, but the SessionStart hook, which hands it over, is off.${cut}`;
    case 'notSetUp':
      return `“${name}” waits for the next session of the project, but Claude Code is not set up to be handed it: do that now, or start it from here.${cut}`;
  }
}

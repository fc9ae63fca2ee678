import path from 'node:path';
import { commands, env, UIKind, Uri } from 'vscode';

/** In the system's file manager; a window on a remote machine has none, and shows the file instead. */
export async function revealFile(...file: readonly string[]): Promise<void> {
  const uri = Uri.file(path.join(...file));
  if (env.remoteName === undefined && env.uiKind === UIKind.Desktop)
    await commands.executeCommand('revealFileInOS', uri);
  else await commands.executeCommand('vscode.open', uri, { preview: true });
}

import path from 'node:path';
import { commands, env, UIKind, Uri, workspace, window } from 'vscode';

/** Asks where to save something, which is made once that is known. The file, unless nothing came of it. */
export async function saveAs(
  { title, name, filters }: { title: string; name: string; filters: Record<string, string[]> },
  textFor: (file: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const options = { title, filters, ...(folder !== undefined && { defaultUri: Uri.joinPath(folder, name) }) };
  const file = await window.showSaveDialog(options);
  const text = file && (await textFor(file.fsPath));
  if (file === undefined || text === undefined) return undefined;
  await workspace.fs.writeFile(file, new TextEncoder().encode(text));
  return file.fsPath;
}

/** In the system's file manager; a window on a remote machine has none, and shows the file instead. */
export async function revealFile(...file: readonly string[]): Promise<void> {
  const uri = Uri.file(path.join(...file));
  if (env.remoteName === undefined && env.uiKind === UIKind.Desktop)
    await commands.executeCommand('revealFileInOS', uri);
  else await commands.executeCommand('vscode.open', uri, { preview: true });
}

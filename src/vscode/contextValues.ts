import { commands } from 'vscode';

/** Tells VS Code what `when` clauses ask for; only what has changed. */
export class ContextValues {
  private readonly told = new Map<string, string | boolean>();

  set(values: Readonly<Record<string, string | boolean>>): void {
    for (const [key, value] of Object.entries(values)) {
      if (this.told.get(key) === value) continue;
      this.told.set(key, value);
      void commands.executeCommand('setContext', key, value);
    }
  }
}

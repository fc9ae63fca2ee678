import { ViewColumn, window } from 'vscode';

/** The column next to what is active: where something is shown that belongs to it, so that both are seen. */
export function columnBeside(): ViewColumn {
  return window.tabGroups.activeTabGroup.viewColumn === ViewColumn.One ? ViewColumn.Two : ViewColumn.One;
}

import { randomBytes } from 'node:crypto';
import { env, Uri, type Webview } from 'vscode';

export interface PanelPage {
  readonly webview: Webview;
  readonly extensionUri: Uri;
  /** The product in `dist/webview`. */
  readonly name: string;
  readonly title: string;
}

/** Where a panel's script and style lie: all that it may load. */
export function panelRoot(extensionUri: Uri): Uri {
  return Uri.joinPath(extensionUri, 'dist/webview');
}

/** The page of a panel. Everything is forbidden that is not named: one script, by its nonce, and our own style sheets. */
export function panelHtml({ webview, extensionUri, name, title }: PanelPage): string {
  const nonce = randomBytes(18).toString('base64');
  const file = (ending: string): string =>
    webview.asWebviewUri(Uri.joinPath(panelRoot(extensionUri), `${name}.${ending}`)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="${env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('css')}">
<title>${title}</title>
</head>
<body>
<script nonce="${nonce}" src="${file('js')}"></script>
</body>
</html>`;
}

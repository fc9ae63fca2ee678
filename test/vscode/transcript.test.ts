import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import {
  commands,
  env,
  MarkdownString,
  Position,
  Selection,
  TabInputText,
  window,
  workspace,
  type FoldingRange,
  type Hover,
} from 'vscode';
import { eventually, fixtureSessions, openTranscript, outlineOf, transcriptFile } from './support/window';

describe('a transcript in an editor', () => {
  afterEach(() => commands.executeCommand('workbench.action.closeAllEditors'));

  it('is a read-only document of a language of its own', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    assert.equal(document.languageId, 'keepit-transcript');
    assert.equal(workspace.fs.isWritableFileSystem('keepit-transcript'), false);
    assert.match(document.getText(), /^# .+\n {2}/);
    assert.match(document.getText(), /\n {2}Orders that fail with a 503 from the payment provider are lost\./);
  });

  it('opens once, however often it is asked for', async () => {
    const first = await openTranscript(fixtureSessions.retries);
    const second = await openTranscript(fixtureSessions.retries);
    assert.equal(first.document, second.document);
  });

  it('has an outline of turns with their messages', async () => {
    const editor = await openTranscript(fixtureSessions.retries);
    const [turn] = await outlineOf(editor);
    assert.match(turn?.name ?? '', /^1 · Orders that fail with a 503/);
    assert.ok(turn!.children.length > 0);
    assert.match(editor.document.lineAt(turn!.selectionRange.start.line).text, /^## 1 · You/);
  });

  it('can fold each tool step, and offers its details as folded from the start', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    const folds = await commands.executeCommand<FoldingRange[]>('vscode.executeFoldingRangeProvider', document.uri);
    const steps = folds.filter(({ start }) => /^[•✗] /.test(document.lineAt(start).text));
    assert.ok(steps.length > 0);
    for (const { start, end } of steps) {
      for (let line = start + 1; line <= end; line += 1) assert.match(document.lineAt(line).text, /^│/);
    }
  });

  it('leads from any line to its record in the original, selected and read-only', async () => {
    const editor = await openTranscript(fixtureSessions.retries);
    const line = editor.document
      .getText()
      .split('\n')
      .findIndex((text) => text.startsWith('  Orders that fail'));
    editor.selection = new Selection(line, 4, line, 4);
    await commands.executeCommand('keepit.openOriginal');
    const original = await eventually('the original to open', () =>
      window.activeTextEditor?.document.uri.path.endsWith('.jsonl') ? window.activeTextEditor : undefined,
    );
    assert.equal(original.document.uri.fsPath, transcriptFile(fixtureSessions.retries));
    assert.match(original.document.getText(original.selection), /^\{.*Orders that fail with a 503.*\}$/);
    assert.ok(workspace.textDocuments.includes(editor.document), 'the transcript was closed');
  });

  it('offers the way to the original, and copying, where a message begins', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    const line = document
      .getText()
      .split('\n')
      .findIndex((text) => text.startsWith('### Claude'));
    const hovers = await commands.executeCommand<Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      new Position(line, 2),
    );
    const text = hovers
      .flatMap(({ contents }) => contents)
      .map((part) => (part instanceof MarkdownString ? part.value : ''));
    assert.match(text.join('\n'), /Open Original at Line \d+/);
  });

  it('copies a message as it was said', async () => {
    const editor = await openTranscript(fixtureSessions.slowList);
    const line = editor.document
      .getText()
      .split('\n')
      .findIndex((text) => text.startsWith('  The order list takes'));
    editor.selection = new Selection(line, 0, line, 0);
    await commands.executeCommand('keepit.copyMessage');
    assert.equal(await env.clipboard.readText(), 'The order list takes four seconds to open. Find out why.');
  });

  it('grows with its session while it is open, and keeps the place of the reader', async () => {
    const file = transcriptFile(fixtureSessions.slowList);
    const before = await readFile(file, 'utf8');
    const { document } = await openTranscript(fixtureSessions.slowList);
    const editor = window.activeTextEditor!;
    editor.selection = new Selection(6, 0, 6, 0);
    const last = before.trimEnd().split('\n').at(-1) ?? '';
    const parent = /"uuid": ?"([^"]+)"/.exec(last)?.[1] ?? null;
    const record = {
      type: 'user',
      parentUuid: parent,
      uuid: 'aaaaaaaa-0000-4000-8000-00000000aaaa',
      timestamp: new Date().toISOString(),
      sessionId: fixtureSessions.slowList,
      message: { role: 'user', content: 'One more thing, said just now.' },
    };
    try {
      await appendFile(file, `${JSON.stringify(record)}\n`);
      await eventually('the new message to be shown', () =>
        document.getText().includes('  One more thing, said just now.') ? true : undefined,
      );
      assert.equal(editor.selection.active.line, 6);
    } finally {
      await writeFile(file, before);
    }
  });

  it('shows tool steps without details when the settings say so, also while it is open', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    const configuration = workspace.getConfiguration('keepit');
    assert.match(document.getText(), /\n• .*\n│ /);
    await configuration.update('transcript.toolDetails', 'hidden', true);
    try {
      await eventually('the details to go', () => (/\n• .*\n│ /.test(document.getText()) ? undefined : true));
      assert.match(document.getText(), /\n• /);
    } finally {
      await configuration.update('transcript.toolDetails', undefined, true);
      await eventually('the details to come back', () => (/\n• .*\n│ /.test(document.getText()) ? true : undefined));
    }
  });

  it('leads to an original that is too large for extensions', async () => {
    const file = transcriptFile(fixtureSessions.retries);
    const before = await readFile(file, 'utf8');
    const { document } = await openTranscript(fixtureSessions.retries);
    const opened = (): unknown => window.tabGroups.activeTabGroup.activeTab?.input;
    try {
      await appendFile(file, `{"type":"progress","data":"${'x'.repeat(51 * 1024 * 1024)}"}\n`);
      // The transcript is read again while its file grows by so much; in between, its lines lead nowhere.
      await eventually('the original to open', async () => {
        const input = opened();
        if (input instanceof TabInputText && input.uri.fsPath === file) return true;
        await window.showTextDocument(document);
        await commands.executeCommand('keepit.openOriginal');
        return undefined;
      });
    } finally {
      await commands.executeCommand('workbench.action.closeActiveEditor');
      await writeFile(file, before);
    }
  });

  it('says why it cannot be shown when its session is gone', async () => {
    const uri = (await openTranscript(fixtureSessions.retries)).document.uri;
    const gone = uri.with({ query: uri.query.replace(fixtureSessions.retries, 'no-such-session') });
    await assert.rejects(async () => workspace.openTextDocument(gone), /There is no session/);
  });
});

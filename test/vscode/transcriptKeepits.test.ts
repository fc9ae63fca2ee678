import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  commands,
  languages,
  MarkdownString,
  Position,
  Range,
  Selection,
  Uri,
  window,
  workspace,
  type CodeAction,
  type CodeLens,
  type CompletionList,
  type Hover,
  type TextDocument,
} from 'vscode';
import {
  contentsOf,
  eventually,
  fixtureSessions,
  folderOf,
  openTranscript,
  registerByItself,
  transcriptFile,
} from './support/window';

async function lensesOf({ uri }: TextDocument): Promise<CodeLens[]> {
  return commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', uri);
}

async function titlesOf(document: TextDocument): Promise<string[]> {
  return (await lensesOf(document)).map(({ command }) => command?.title ?? '');
}

/** The lens whose title fits, once there is one. */
async function lens(document: TextDocument, title: RegExp): Promise<CodeLens> {
  return eventually(`a lens ${String(title)}`, async () =>
    (await lensesOf(document)).find(({ command }) => title.test(command?.title ?? '')),
  );
}

async function press({ command }: CodeLens): Promise<void> {
  assert.ok(command);
  const args: readonly unknown[] = command.arguments ?? [];
  await commands.executeCommand(command.command, ...args);
}

async function hoverText({ uri }: TextDocument, position: Position): Promise<string> {
  const hovers = await commands.executeCommand<Hover[]>('vscode.executeHoverProvider', uri, position);
  const parts = hovers.flatMap(({ contents }) => contents);
  return parts.map((part) => (part instanceof MarkdownString ? part.value : '')).join('\n');
}

function placeOf(document: TextDocument, words: string, from = 0): Position {
  const offset = document.getText().indexOf(words, from);
  assert.ok(offset >= 0, words);
  return document.positionAt(offset);
}

describe('keepits in an editor', () => {
  let untouched: Map<string, string>;

  before(async () => {
    await registerByItself();
    untouched = await contentsOf(folderOf('CLAUDE_CONFIG_DIR'));
  });

  afterEach(() => commands.executeCommand('workbench.action.closeAllEditors'));

  after(async () => assert.deepEqual(await contentsOf(folderOf('CLAUDE_CONFIG_DIR')), untouched));

  it('say above each what it weighs and how long it survives', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    const found = await lens(document, /1\.00 pinned · never fades/);
    assert.match(document.lineAt(found.range.start.line).text, /##keepit1\.00##/);
    await lens(document, /0\.75 important · survives/);
  });

  it('offer to mark each message that holds none', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    const { range } = await lens(document, /Mark as keepit/);
    assert.match(document.lineAt(range.start.line).text, /^##/);
  });

  it('show the decay preview in a hover, with links to these commands only', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    const text = await hoverText(document, placeOf(document, '##keepit0.75##'));
    assert.match(text, /distance 10 at 50:1/);
    assert.match(text, /command:keepit\.changeWeight\?/);
  });

  it('follow the configuration, whoever changes it, once sessions are looked at again', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    await lens(document, /0\.75 important · survives (?:to|at)/);
    const file = path.join(folderOf('CLAUDE_MEMORY_DIR'), 'config.json');
    const before = await readFile(file, 'utf8');
    assert.match(before, /"keepitDecayEnabled": true/);
    await writeFile(file, before.replace('"keepitDecayEnabled": true', '"keepitDecayEnabled": false'));
    await commands.executeCommand('keepit.refresh');
    await lens(document, /0\.75 important · never fades: decay is off/);
    await writeFile(file, before);
    await commands.executeCommand('keepit.refresh');
    await lens(document, /0\.75 important · survives (?:to|at)/);
  });

  it('are unpinned and given their own weight again without a change to the transcript', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    await press(await lens(document, /^Unpin$/));
    const changed = await lens(document, /0\.90 critical \(was 1\.00\)/);
    await commands.executeCommand('keepit.restoreKeepit', changed.command?.arguments?.[0]);
    await lens(document, /1\.00 pinned · never fades/);
  });

  it('are removed and restored', async () => {
    const { document } = await openTranscript(fixtureSessions.retries);
    const important = await lens(document, /0\.75 important/);
    void commands.executeCommand('keepit.removeKeepit', important.command?.arguments?.[0]); // ends when its message is answered
    await press(await lens(document, /^Restore$/));
    await lens(document, /0\.75 important · survives/);
  });

  it('are made of a selection, with the weight that is picked', async () => {
    const editor = await openTranscript(fixtureSessions.slowList);
    const words = 'Find out why.';
    const start = placeOf(editor.document, words, editor.document.getText().indexOf('\n## 1'));
    editor.selection = new Selection(start, start.translate(0, words.length));
    const marking = commands.executeCommand('keepit.markSelection');
    const added = await eventually('the selection to be a keepit', async () => {
      await commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      const titles = await lensesOf(editor.document);
      return titles.find(({ command, range }) => /pinned/.test(command?.title ?? '') && range.start.isEqual(start));
    });
    await marking;
    void commands.executeCommand('keepit.removeKeepit', added.command?.arguments?.[0]);
    await eventually('the keepit to go', async () =>
      (await titlesOf(editor.document)).some((title) => title.includes('1.00 pinned · never')) ? undefined : true,
    );
  });

  it('are made of a whole message, and the offer above it goes', async () => {
    const editor = await openTranscript(fixtureSessions.slowList);
    const offer = await lens(editor.document, /Mark as keepit/);
    const heading = offer.range.start.line;
    const marking = press(offer);
    const added = await eventually('the message to be a keepit', async () => {
      await commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      const all = await lensesOf(editor.document);
      const isOffered = all.some(
        ({ command, range }) => /Mark as/.test(command?.title ?? '') && range.start.line === heading,
      );
      return isOffered ? undefined : all.find(({ command }) => /pinned/.test(command?.title ?? ''));
    });
    await marking;
    void commands.executeCommand('keepit.removeKeepit', added.command?.arguments?.[0]);
    await eventually('the keepit to go', async () =>
      (await titlesOf(editor.document)).some((title) => title.includes('1.00 pinned · never')) ? undefined : true,
    );
  });

  it('stand at their columns in the raw transcript', async () => {
    const document = await workspace.openTextDocument(Uri.file(transcriptFile(fixtureSessions.retries)));
    const { range } = await lens(document, /1\.00 pinned/);
    const { line, character } = range.start;
    assert.equal(document.lineAt(line).text.slice(character, character + 14), '##keepit1.00##');
    assert.match(await hoverText(document, range.start.translate(0, 3)), /Keepit 1\.00 pinned/);
  });

  it('are edited in place in a document of one’s own', async () => {
    const content = 'Rules:\n\n- ##keepit0.50## UTC only. ##keepit:end## Else as you like.\n';
    const document = await workspace.openTextDocument({ language: 'markdown', content });
    await window.showTextDocument(document);
    await press(await lens(document, /^Pin$/));
    await eventually('the marker to change', () =>
      document.getText().includes('##keepit1.00## UTC') ? true : undefined,
    );
    await press(await lens(document, /^Remove$/));
    await eventually('the marker to go', () =>
      document.getText() === 'Rules:\n\n- UTC only. Else as you like.\n' ? true : undefined,
    );
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('leave files alone that are no transcripts', async () => {
    const file = Uri.file(transcriptFile(fixtureSessions.retries));
    assert.match(await readFile(file.fsPath, 'utf8'), /##keepit/);
    const document = await workspace.openTextDocument({ language: 'json', content: '{"a":"##keepit1.00## x"}' });
    assert.deepEqual(await titlesOf(document), []);
  });

  it('are reported when their weight does not count, and put right in place', async () => {
    const content = 'Note ##keepit0.8## the time zone.\n';
    const document = await workspace.openTextDocument({ language: 'markdown', content });
    await window.showTextDocument(document);
    const [diagnostic] = await eventually('the marker to be reported', () => {
      const found = languages.getDiagnostics(document.uri).filter(({ source }) => source === 'Keepit');
      return found.length > 0 ? found : undefined;
    });
    assert.equal(document.getText(diagnostic!.range), '##keepit0.8##');
    const actions = await commands.executeCommand<CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      diagnostic!.range,
    );
    const fix = actions.find(({ title }) => title === 'Write ##keepit0.80##');
    assert.ok(fix?.edit);
    await workspace.applyEdit(fix.edit);
    assert.equal(document.getText(), 'Note ##keepit0.80## the time zone.\n');
    await eventually('the report to go', () =>
      languages.getDiagnostics(document.uri).length === 0 ? true : undefined,
    );
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('are completed while they are written', async () => {
    const document = await workspace.openTextDocument({ language: 'markdown', content: 'Note ##kee' });
    // VS Code asks only the providers that are there in time; ours are loaded when they are first needed.
    const item = await eventually('the marker to be offered', async () => {
      const list = await commands.executeCommand<CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        new Position(0, 10),
      );
      return list.items.find(({ filterText }) => filterText === '##keepit0.75##');
    });
    assert.equal(item.insertText, '##keepit0.75## ');
    const line = document.lineAt(0).text;
    assert.deepEqual({ line, range: item.range }, { line: 'Note ##kee', range: new Range(0, 5, 0, 10) });
  });
});

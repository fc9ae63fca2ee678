// Runs inside the extension host in place of a test suite: scrolls through a long transcript, and writes down how long a screen takes.
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands, Range, TextEditorRevealType, window, workspace, type TextEditor } from 'vscode';
import * as z from 'zod';

const SCREENS = 100;
const LOOKS = 200;
const LOOK_EVERY_MS = 100;
/** A person reads: what is decorated after the scrolling has time to be, and to be in the way of the next one. */
const READING_MS = 110;
const SETTLE_MS = 3000;

const askedSchema = z.object({ projectId: z.string(), sessionId: z.string(), isOn: z.boolean() });

/** What VS Code calls. */
export async function run(): Promise<void> {
  const { KEEPIT_TEST_RESULTS: resultsFile, KEEPIT_BENCH_SCROLLING: text } = process.env;
  if (resultsFile === undefined || text === undefined) throw new Error('This runs in npm run bench only.');
  const { isOn, ...session } = askedSchema.parse(JSON.parse(text));
  const configuration = workspace.getConfiguration('keepit');
  await configuration.update('keepits.decorations', isOn, true);
  await workspace.getConfiguration('editor').update('codeLens', false, true); // lenses move the lines below them: they are another matter
  const editor = await opened(session);
  await sleep(SETTLE_MS);
  const times: number[] = [];
  for (let screen = 1; screen <= SCREENS; screen += 1) {
    times.push(await showing(editor, Math.floor((screen / (SCREENS + 1)) * editor.document.lineCount)));
    await sleep(READING_MS);
  }
  times.sort((a, b) => a - b);
  const timeMs = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const slowestMs = times[Math.floor(times.length * 0.95)] ?? Number.NaN;
  await writeFile(resultsFile, JSON.stringify({ timeMs, slowestMs, lines: editor.document.lineCount }));
}

/** The session may not be known yet, right after the start. */
async function opened(session: { projectId: string; sessionId: string }): Promise<TextEditor> {
  for (let look = 0; look < LOOKS; look += 1) {
    await commands.executeCommand('keepit.openTranscript', session);
    const editor = window.activeTextEditor;
    if (editor?.document.uri.scheme === 'keepit-transcript') return editor;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error('The transcript did not open.');
}

/** How long it takes until the editor shows a line that it was asked to show. */
async function showing(editor: TextEditor, line: number): Promise<number> {
  const startedMs = performance.now();
  await new Promise<void>((resolve) => {
    const listening = window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
      if (textEditor !== editor || !visibleRanges.some((range) => range.start.line <= line && line <= range.end.line))
        return;
      listening.dispose();
      resolve();
    });
    editor.revealRange(new Range(line, 0, line, 0), TextEditorRevealType.AtTop);
  });
  return performance.now() - startedMs;
}

// node scripts/measureScrolling.mjs on|off: scrolls through a transcript of 50,000 lines with 1,000 keepits in the embedded
// VS Code, with keepits tinted or not, and prints {"timeMs"} for one screen: from the request to the editor's answer.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { outputDirFor } from './lib/outputDir.mjs';
import { inRoot } from './lib/root.mjs';
import { openInServer } from './lib/serverEngine.mjs';
import { makeTestHome } from './lib/testHome.mjs';

const TIMEOUT_MS = 120_000;
const LINES = 50_000;
const LINES_OF_MESSAGE = 47;
const SESSION_ID = '5c011000-0000-4000-8000-000000000001';

/** Every message has one keepit. */
function transcript(cwd) {
  let parentUuid = null;
  const messages = Math.ceil(LINES / (LINES_OF_MESSAGE + 3));
  const records = Array.from({ length: messages }, (_, index) => {
    const text = Array.from({ length: LINES_OF_MESSAGE }, (_line, line) => `Line ${line} of message ${index}.`);
    text[1] = `##keepit0.${10 + (index % 90)}## ${text[1]} ##keepit:end##`;
    const uuid = `message-${index}`;
    const message = { role: 'user', content: text.join('\n') };
    const record = {
      parentUuid,
      uuid,
      sessionId: SESSION_ID,
      type: 'user',
      cwd,
      timestamp: '2026-01-15T10:00:00Z',
      message,
    };
    parentUuid = uuid;
    return `${JSON.stringify(record)}\n`;
  });
  return records.join('');
}

async function measure(isOn) {
  const home = await makeTestHome({ workspaceFixture: inRoot('test/fixtures/workspace') });
  const outdir = await outputDirFor('scrolling');
  const suite = path.join(outdir, 'suite.js');
  try {
    const project = home.workspace.replace(/[^A-Za-z0-9]/g, '-');
    const folder = path.join(home.claudeDir, 'projects', project);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${SESSION_ID}.jsonl`), transcript(home.workspace));
    await build({
      entryPoints: [inRoot('test/bench/vscode/scrollingSuite.ts')],
      outfile: suite,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      external: ['vscode'],
      logLevel: 'warning',
    });
    const resultsFile = path.join(home.dir, 'results.json');
    const asked = JSON.stringify({ projectId: project, sessionId: SESSION_ID, isOn });
    const env = { ...home.env, KEEPIT_TEST_RESULTS: resultsFile, KEEPIT_BENCH_SCROLLING: asked };
    const window = await openInServer({
      home,
      env,
      suite,
      extension: inRoot(),
      artefacts: path.join(home.dir, 'logs'),
    });
    try {
      await Promise.race([window.gone, new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS).unref())]);
    } finally {
      await window.close();
    }
    return JSON.parse(await readFile(resultsFile, 'utf8'));
  } finally {
    await rm(outdir, { recursive: true, force: true });
    await home.dispose();
  }
}

const which = process.argv[2];
if (which !== 'on' && which !== 'off') throw new Error('node scripts/measureScrolling.mjs on|off');
console.log(JSON.stringify(await measure(which === 'on')));

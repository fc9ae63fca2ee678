// node scripts/measureWays.mjs [folder of another build]: how many functions of `src` each way of a line through the program executes, by
// V8's coverage. Builds of development only: their bundles name the file that each part comes from.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTestHome } from './lib/testHome.mjs';
import { inRoot } from './lib/root.mjs';

const dist = path.resolve(process.argv[2] ?? inRoot('dist'));
const run = promisify(execFile);
const home = await makeTestHome({ claudeFixture: inRoot('media/sample/claude-home') });
const coverage = path.join(home.dir, 'coverage');

async function keepit(args, env = {}) {
  const cli = path.join(dist, 'cli.js');
  const options = { env: { ...home.env, ...env }, cwd: home.workspace, maxBuffer: 1 << 28 };
  const { stdout } = await run(process.execPath, [cli, ...args, '--json'], options);
  return JSON.parse(stdout);
}

/** The functions of `src` that these commands call, each with the file that it stands in. */
async function functionsOf(commands) {
  const called = new Set();
  for (const command of commands) {
    await rm(coverage, { recursive: true, force: true });
    await mkdir(coverage);
    await keepit(command, { NODE_V8_COVERAGE: coverage });
    for (const name of await readdir(coverage)) {
      const { result } = JSON.parse(await readFile(path.join(coverage, name), 'utf8'));
      const bundles = result.filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(dist));
      for (const bundle of bundles) await addCalled(bundle, called);
    }
  }
  return called;
}

async function addCalled({ url, functions }, called) {
  const text = await readFile(fileURLToPath(url), 'utf8');
  const parts = [...text.matchAll(/^ *\/\/ ((?:src|node_modules|scripts)\/\S+)$/gm)];
  let at = 0;
  const inOrder = functions
    .filter(({ functionName, ranges }) => functionName !== '' || ranges[0].startOffset > 0)
    .sort((a, b) => a.ranges[0].startOffset - b.ranges[0].startOffset);
  for (const { functionName, ranges } of inOrder) {
    const [{ startOffset, endOffset, count }] = ranges;
    while (at + 1 < parts.length && parts[at + 1].index <= startOffset) at += 1;
    const file = parts[at]?.[1] ?? '';
    // What only wraps a module of another format is no function of anybody's.
    if (count > 0 && file.startsWith('src/'))
      called.add(`${file} ${functionName} ${text.slice(startOffset, endOffset)}`);
  }
}

try {
  await keepit(['register', '--all']);
  const { projects } = await keepit(['discover']);
  const sessions = projects.flatMap((project) => project.sessions.map((session) => ({ ...session, project })));
  const longest = sessions.sort((a, b) => b.bytes - a.bytes)[0];
  const id = longest.sessionId;
  const projectId = longest.project.projectId;
  await keepit(['layers', 'enable', '--yes', '--location', 'home', '--project', projectId]);
  await rm(path.join(home.memoryDir, 'cache'), { recursive: true, force: true });
  const ways = {
    'the tree of sessions': [['discover']],
    'a decoration': [
      ['keepits', id],
      ['decay', id, '--ratio', '10'],
    ],
    'a version and its diff': [
      ['compress', id],
      ['diff', id, 'original', 'v001'],
    ],
    'a composition': [['compose', id, '--budget', '4000', '--name', 'ways']],
    'a fact': [
      ['layers', 'build', '--full', '--project', projectId],
      ['facts', '--project', projectId],
    ],
    'a hit of a search': [['search', 'keepit']],
  };
  for (const [name, commands] of Object.entries(ways)) {
    const called = await functionsOf(commands);
    if (called.size === 0) throw new Error(`${dist} names no files of src: build it with node esbuild.mjs first.`);
    console.log(`${String(called.size).padStart(6)}  ${name}`);
  }
} finally {
  await home.dispose();
}

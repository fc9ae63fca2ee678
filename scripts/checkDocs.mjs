// Every path, npm script, command and setting that a document names has to exist: docs that cannot rot.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot, root } from './lib/root.mjs';

const manifest = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
const scripts = new Set(Object.keys(manifest.scripts));
const npmWords = new Set(['ci', 'install', 'start', 'test', 'run', 'audit', 'version', 'publish', 'i']);
const contributes = manifest.contributes ?? {};
const commands = contributes.commands ?? [];
const commandIds = new Set(commands.map((command) => command.command));
const commandTitles = new Set(
  commands.map((command) => `${command.category ? `${command.category}: ` : ''}${command.title}`),
);
const settings = new Set(
  [contributes.configuration ?? []].flat().flatMap((section) => Object.keys(section.properties ?? {})),
);
const views = new Set(Object.values(contributes.views ?? {}).flatMap((list) => list.map((view) => view.id)));

/** Folders and files that exist at the top of the repository or are made by the build. */
const topLevel = new Set(await readdir(root));
const MADE = ['dist/', 'test-results/', '.vscode-test/', 'node_modules/'];

async function documents() {
  const below = async (folder) => {
    const entries = await readdir(inRoot(folder), { recursive: true }).catch(() => []);
    return entries.filter((entry) => entry.endsWith('.md')).map((entry) => path.posix.join(folder, entry));
  };
  const top = [...topLevel].filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md');
  return [...top, ...(await below('docs')), ...(await below('.github'))].sort();
}

function problemWithPath(place) {
  const clean = place.replace(/[#?].*$/, '').replace(/:\d+$/, '');
  if (clean === '' || MADE.some((made) => clean.startsWith(made)) || /[*<>{}$…]/.test(clean)) return undefined;
  return existsSync(inRoot(clean)) ? undefined : `no such file: ${clean}`;
}

/** Links are relative to the document; addresses elsewhere are not ours to check. */
function problemsWithLinks(line, file) {
  const links = [...line.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map((match) => match[1]);
  return links
    .filter((link) => !/^[a-z]+:/i.test(link) && !link.startsWith('#'))
    .map((link) => problemWithPath(path.posix.join(path.posix.dirname(file), decodeURIComponent(link))));
}

function problemsWithCode(code) {
  const problems = [];
  const npm = /^npm (?:run )?([\w:-]+)/.exec(code);
  if (npm !== null) {
    const isRun = code.startsWith('npm run ');
    const isKnown =
      isRun || !npmWords.has(npm[1]) || npm[1] === 'start' || npm[1] === 'test' ? scripts.has(npm[1]) : true;
    if (!isKnown) problems.push(`no such npm script: ${npm[1]}`);
  }
  if (/^keepit\.[\w.]+$/.test(code) && !commandIds.has(code) && !settings.has(code) && !views.has(code)) {
    problems.push(`no such command, setting or view: ${code}`);
  }
  if (/^Keepit: \S/.test(code) && !commandTitles.has(code)) problems.push(`no such command title: ${code}`);
  if (/^[\w.@-]+(\/[\w.@*<>{}$-]+)+\/?$/.test(code) && topLevel.has(code.split('/')[0])) {
    problems.push(problemWithPath(code));
  }
  return problems;
}

function problemsWithLine(line, file, isFenced) {
  const problems = isFenced ? problemsWithCode(line.trim().replace(/^\$ /, '')) : problemsWithLinks(line, file);
  if (!isFenced) {
    for (const match of line.matchAll(/`([^`]+)`/g)) problems.push(...problemsWithCode(match[1].trim()));
    for (const match of line.matchAll(/\*\*(Keepit: [^*]+)\*\*/g)) problems.push(...problemsWithCode(match[1]));
  }
  return problems.filter((problem) => problem !== undefined);
}

let failures = 0;
let checked = 0;
for (const file of await documents()) {
  checked += 1;
  let isFenced = false;
  const lines = (await readFile(inRoot(file), 'utf8')).split('\n');
  for (const [index, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) {
      isFenced = !isFenced;
      continue;
    }
    for (const problem of problemsWithLine(line, file, isFenced)) {
      failures += 1;
      console.error(`${file}:${index + 1}: ${problem}`);
    }
  }
}
console.log(`${checked} documents, ${failures} problems`);
process.exitCode = failures > 0 ? 1 : 0;

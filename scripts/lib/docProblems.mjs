// What a document says that is not so: the part of the docs check that needs no files.
import path from 'node:path';

/** What npm itself understands; anything else after `npm` has to be a script of ours. */
const NPM_WORDS = new Set(['ci', 'install', 'i', 'audit', 'version', 'publish', 'exec', 'pack', 'login', 'view']);

/** Folders that a build or a test run makes: a document may name what is in them. */
const MADE = ['dist', 'test-results', '.vscode-test', 'node_modules'];

function problemWithPath(place, house) {
  const clean = place
    .replace(/[#?].*$/, '')
    .replace(/:\d+$/, '')
    .replace(/\/$/, '');
  const isPattern = /[*<>{}$…|]/.test(clean);
  if (clean === '' || isPattern || MADE.includes(clean.split('/')[0]) || house.exists(clean)) return undefined;
  return `no such file: ${clean}`;
}

/** Links are relative to the document; addresses elsewhere are not ours to check. */
function problemsWithLinks(line, file, house) {
  return [...line.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)]
    .map((match) => match[1])
    .filter((link) => !/^[a-z]+:/i.test(link) && !link.startsWith('#'))
    .map((link) => problemWithPath(path.posix.join(path.posix.dirname(file), decodeURIComponent(link)), house));
}

function problemWithNpm(code, { scripts }) {
  const found = /^npm (run )?([\w:-]+)/.exec(code);
  if (found === null || scripts.has(found[2])) return undefined;
  return found[1] === undefined && NPM_WORDS.has(found[2]) ? undefined : `no such npm script: ${found[2]}`;
}

function problemsWithCode(code, house) {
  const problems = [problemWithNpm(code, house)];
  if (/^keepit\.[\w.]+$/.test(code) && !house.ids.has(code)) problems.push(`no such command, setting or view: ${code}`);
  if (/^Keepit: \S/.test(code) && !house.titles.has(code)) problems.push(`no such command title: ${code}`);
  for (const word of code.split(/\s+/)) {
    if (/^[\w.@-]+(\/[\w.@*<>{}$-]+)+\/?$/.test(word) && house.topLevel.has(word.split('/')[0])) {
      problems.push(problemWithPath(word, house));
    }
  }
  return problems;
}

/** A test is named by its file and, behind a colon, by words of its name in curly quotes. */
function problemsWithTests(line, house) {
  return [...line.matchAll(/`(test\/[^`]+\.test\.ts)`: “([^”]+)”/g)]
    .filter(([, file, words]) => house.exists(file) && !house.hasTest(file, words))
    .map(([, file, words]) => `no such test in ${file}: ${words}`);
}

function problemsWithProse(line, file, house) {
  const problems = [...problemsWithLinks(line, file, house), ...problemsWithTests(line, house)];
  for (const match of line.matchAll(/`([^`]+)`/g)) problems.push(...problemsWithCode(match[1].trim(), house));
  for (const match of line.matchAll(/\*\*(Keepit: [^*]+)\*\*/g)) problems.push(...problemsWithCode(match[1], house));
  return problems;
}

/**
 * The problems of one document, as `file:line: what`.
 * @param {string} file its path in the repository, with slashes
 * @param {string} text
 * @param {import('./docProblems.d.mts').House} house what there is
 * @returns {string[]}
 */
export function docProblems(file, text, house) {
  const found = [];
  let isFenced = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) {
      isFenced = !isFenced;
      continue;
    }
    const code = line.trim().replace(/^\$ /, '');
    const problems = isFenced ? problemsWithCode(code, house) : problemsWithProse(line, file, house);
    found.push(...problems.filter(Boolean).map((problem) => `${file}:${index + 1}: ${problem}`));
  }
  return found;
}

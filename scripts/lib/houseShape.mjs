// What shape the source is in, by figures that no splitting and no renaming makes better.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { inRoot } from './root.mjs';

const SRC = inRoot('src');
const CORE = path.join('src', 'core') + path.sep;
const MOST_IMPORTS = 15;

/** What a row of CONTRIBUTING's table says to each figure. */
export const FIGURES = new Map([
  ['files', 'files in `src`'],
  ['tokens', 'TypeScript tokens in `src`, without comments'],
  ['coreTokens', 'of these in `src/core`'],
  ['singleImporters', 'files with a single importer'],
  ['bagSpreads', 'object spreads into a constructor'],
  ['crowded', `files with more than ${MOST_IMPORTS} imports`],
  ['fileCycles', 'cycles between files, types included'],
  ['roomCycles', 'cycles between the rooms of the core'],
]);

/** @returns {Promise<Map<string, number>>} by the names of `FIGURES` */
export async function houseShape() {
  const names = await readdir(SRC, { recursive: true });
  const files = names.filter((name) => /(?<!\.d)\.ts$/.test(name)).map((name) => path.join(SRC, name));
  const read = await Promise.all(files.map(readSource));
  const sources = new Map(read.map((source) => [source.file, source]));
  const importers = new Map();
  for (const { imports } of read) {
    for (const target of new Set(imports)) importers.set(target, (importers.get(target) ?? 0) + 1);
  }
  const sum = (of, among = read) => among.reduce((total, source) => total + of(source), 0);
  return new Map([
    ['files', files.length],
    ['tokens', sum(({ tokens }) => tokens)],
    ['coreTokens', sum(({ tokens }) => tokens, read.filter(isCore))],
    ['singleImporters', files.filter((file) => importers.get(file) === 1).length],
    ['bagSpreads', sum(({ bagSpreads }) => bagSpreads)],
    ['crowded', read.filter(({ importCount }) => importCount > MOST_IMPORTS).length],
    ['fileCycles', cyclesIn(files, (file) => sources.get(file).imports)],
    ['roomCycles', roomCycles(read.filter(isCore))],
  ]);
}

/** The figures that are larger than CONTRIBUTING allows, or that it does not name, a line for each. */
export function shapeProblems(shape, text) {
  return [...FIGURES].flatMap(([name, title]) => {
    const row = text.split('\n').find((line) => line.startsWith(`| ${title} |`));
    if (row === undefined) return [`CONTRIBUTING.md: no row for “${title}”`];
    const most = Number(row.split('|')[2].replaceAll(',', ''));
    const now = shape.get(name);
    return now <= most ? [] : [`CONTRIBUTING.md allows at most ${most} ${title}: there are ${now}`];
  });
}

const isCore = ({ file }) => path.relative(inRoot('.'), file).startsWith(CORE);

async function readSource(file) {
  const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = { file, tokens: 0, imports: [], importCount: 0, bagSpreads: 0 };
  const visit = (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      found.importCount += 1;
      const target = `${path.resolve(path.dirname(file), node.moduleSpecifier.text)}.ts`;
      if (node.moduleSpecifier.text.startsWith('.') && existsSync(target)) found.imports.push(target);
    }
    if (ts.isNewExpression(node) && node.arguments?.some(isBag)) found.bagSpreads += 1;
    if (node.getChildCount(source) === 0 && node.getWidth(source) > 0) found.tokens += 1;
    for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  return found;
}

function isBag(argument) {
  return ts.isObjectLiteralExpression(argument) && argument.properties.some(ts.isSpreadAssignment);
}

function roomCycles(read) {
  const roomOf = (file) => {
    const [room, ...more] = path.relative(path.join(SRC, 'core'), file).split(path.sep);
    return more.length === 0 ? '.' : room;
  };
  const rooms = new Map();
  for (const { file, imports } of read) {
    const room = roomOf(file);
    const others = imports.map(roomOf).filter((other) => other !== room);
    rooms.set(room, [...(rooms.get(room) ?? []), ...others]);
  }
  return cyclesIn([...rooms.keys()], (room) => rooms.get(room) ?? []);
}

/** How many knots there are in which each leads to each other (Tarjan). */
export function cyclesIn(nodes, next) {
  const [indexOf, lowest, stack, onStack] = [new Map(), new Map(), [], new Set()];
  let knots = 0;
  const visit = (node) => {
    indexOf.set(node, indexOf.size);
    lowest.set(node, indexOf.get(node));
    stack.push(node);
    onStack.add(node);
    for (const other of next(node)) {
      if (!indexOf.has(other)) visit(other);
      if (onStack.has(other)) lowest.set(node, Math.min(lowest.get(node), lowest.get(other)));
    }
    if (lowest.get(node) !== indexOf.get(node)) return;
    const knot = stack.splice(stack.indexOf(node));
    for (const one of knot) onStack.delete(one);
    if (knot.length > 1) knots += 1;
  };
  for (const node of nodes) if (!indexOf.has(node)) visit(node);
  return knots;
}

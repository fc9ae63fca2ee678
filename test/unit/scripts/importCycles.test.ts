import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { filesBelow } from '../../../scripts/lib/bundleTests.mjs';

/** Who imports whom. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

const CORE = path.resolve('src/core');
const TYPES_ALONE = /^import type [^;]*;/gm;

async function importGraph(folder: string, { withTypes }: { withTypes: boolean }): Promise<ImportGraph> {
  const files = await filesBelow(path.resolve(folder), '.ts');
  const known = new Set(files);
  const entries = files.map(async (file): Promise<[string, string[]]> => {
    const text = await readFile(file, 'utf8');
    const { importedFiles } = ts.preProcessFile(withTypes ? text : text.replace(TYPES_ALONE, ''));
    const imported = importedFiles.map(({ fileName }) => `${path.resolve(path.dirname(file), fileName)}.ts`);
    return [file, imported.filter((one) => known.has(one))];
  });
  return new Map(await Promise.all(entries));
}

/** Which folder directly below the core imports from which; the core's own files count as one, the memory. */
function betweenFolders(graph: ImportGraph): ImportGraph {
  const folderOf = (file: string): string => {
    const [folder = '', ...more] = path.relative(CORE, file).split(path.sep);
    return more.length === 0 ? 'memory' : folder;
  };
  const folders = new Map<string, string[]>();
  for (const [file, imported] of graph) {
    const others = imported.map(folderOf).filter((folder) => folder !== folderOf(file));
    folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), ...others]);
  }
  return folders;
}

/** The first way found that leads from a file back to itself. */
function cycleIn(graph: ImportGraph): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): string[] | undefined => {
    const start = way.indexOf(file);
    if (start >= 0) return [...way.slice(start), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...way, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('the source', () => {
  it('has no file that imports itself by way of others', async () => {
    const graph = await importGraph('src', { withTypes: false });
    assert.ok(graph.size > 0);
    assert.equal(cycleIn(graph)?.join(' → '), undefined);
  });

  it('has no folder of the core that imports itself by way of others', async () => {
    const folders = betweenFolders(await importGraph(CORE, { withTypes: true }));
    assert.ok(folders.get('memory')?.includes('sessions'));
    assert.equal(cycleIn(folders)?.join(' → '), undefined);
  });

  it('would be told of a cycle', () => {
    const graph = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', []],
    ]);
    assert.deepEqual(cycleIn(graph), ['a', 'b', 'c', 'a']);
  });
});

import assert from 'node:assert/strict';
import { build } from 'esbuild';
import { filesBelow } from '../../../scripts/lib/bundleTests.mjs';

/** Who imports whom at run time; imports of types only are gone. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

async function importGraph(folder: string): Promise<ImportGraph> {
  const { metafile } = await build({
    entryPoints: await filesBelow(folder, '.ts'),
    outdir: 'never-written',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
  });
  const files = Object.entries(metafile.inputs);
  return new Map(files.map(([file, { imports }]) => [file, imports.map(({ path }) => path)]));
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
    const graph = await importGraph('src');
    assert.ok(graph.size > 0);
    assert.equal(cycleIn(graph)?.join(' → '), undefined);
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

import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import { build } from 'esbuild';
import ts from 'typescript';

/** A pattern of the product, and where it stands. */
export interface ProductPattern {
  readonly pattern: RegExp;
  readonly place: string;
}

interface Source {
  readonly file: string;
  readonly text: string;
}

const LOADED = /\.ts$/;
const RECORD = 'recordPattern';

/** Every pattern that is written in the product, and every one that it makes of lists when its readers of text run. */
export async function productPatterns(): Promise<readonly ProductPattern[]> {
  const sources = (await Promise.all(['src', 'webview-ui'].map(sourcesBelow))).flat();
  const all = [...sources.flatMap(literalsIn), ...(await madePatterns(sources))];
  return [...new Map(all.map((one) => [String(one.pattern), one])).values()];
}

async function sourcesBelow(folder: string): Promise<Source[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => LOADED.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      file: path.join(folder, name),
      text: await readFile(path.join(folder, name), 'utf8'),
    })),
  );
}

function nodesOf({ file, text }: Source): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true));
  return nodes;
}

function literalsIn(from: Source): ProductPattern[] {
  return nodesOf(from)
    .filter(ts.isRegularExpressionLiteral)
    .map(({ text }) => {
      const end = text.lastIndexOf('/');
      return { pattern: new RegExp(text.slice(1, end), text.slice(end + 1)), place: from.file };
    });
}

/** Where the product makes patterns; its own name for each place. */
function makingsIn(from: Source): { readonly place: string; readonly start: number; readonly end: number }[] {
  return nodesOf(from)
    .filter((node) => (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp')
    .map((node, index) => ({ place: `${from.file} (${index + 1})`, start: node.getStart(), end: node.end }));
}

/** Runs the readers, with what makes a pattern handing it over; a place that made none is a reader that is missing. */
async function madePatterns(sources: readonly Source[]): Promise<ProductPattern[]> {
  const makers = new Map(
    sources.filter((source) => makingsIn(source).length > 0).map((source) => [path.resolve(source.file), source]),
  );
  const missing = new Set([...makers.values()].flatMap(makingsIn).map(({ place }) => place));
  const made: ProductPattern[] = [];
  const record = (place: string, pattern: RegExp): RegExp => {
    missing.delete(place);
    made.push({ pattern, place });
    return pattern;
  };
  const code = await bundled(makers);
  const exported: { exports: { readAll?: (text: string) => void } } = { exports: {} };
  const run = compileFunction(code, ['require', 'module', RECORD]);
  Reflect.apply(run, undefined, [createRequire(path.resolve('package.json')), exported, record]);
  exported.exports.readAll?.('Always use `a`: password=abc, token: AKIAIOSFODNN7EXAMPLE.\n\nairtable adafruit key = a');
  if (missing.size > 0) throw new Error(`No reader makes the patterns at ${[...missing].join(', ')}.`);
  return made;
}

async function bundled(makers: ReadonlyMap<string, Source>): Promise<string> {
  const entry = [...makers.keys()].map((file) => `import ${JSON.stringify(file)};`);
  const { outputFiles } = await build({
    stdin: {
      contents: [...entry, "export { readAll } from './test/hard/support/textReaders';"].join('\n'),
      resolveDir: '.',
    },
    absWorkingDir: path.resolve('.'),
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: ['vscode'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'record-patterns',
        setup: (bundler) => {
          bundler.onLoad({ filter: LOADED }, ({ path: file }) => {
            const source = makers.get(file);
            return source === undefined ? undefined : { contents: recording(source), loader: 'ts' };
          });
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

function recording(source: Source): string {
  return makingsIn(source).reduceRight(
    (text, { place, start, end }) =>
      `${text.slice(0, start)}${RECORD}(${JSON.stringify(place)}, ${text.slice(start, end)})${text.slice(end)}`,
    source.text,
  );
}

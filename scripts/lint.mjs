// npm run lint [-- --all] [-- --types]: ESLint, on the files that changed since they last passed, or that import something that did,
// however far away. (ESLint's own cache looks only at the file itself, but rules that ask for types depend on what it imports.)
// With `--types` what `npm run types` does is done by the way: TypeScript has worked out by then what the rules ask for.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { filesBelow } from './lib/bundleTests.mjs';
import { inRoot, root } from './lib/root.mjs';

const passedFile = inRoot('node_modules/.cache/keepit/lint.json');
const OUTSIDE = new Set(['.git', '.vscode-test', 'node_modules', 'dist', 'test-results', 'media']);
const hashOf = (text) => createHash('sha256').update(text).digest('base64');

/** Whatever a file may import from, or be judged by, by its path. */
async function readSources() {
  const places = (await readdir(root)).filter((name) => !OUTSIDE.has(name)).map((name) => inRoot(name));
  const sources = new Map();
  for (const ending of ['.ts', '.mjs', '.mts', '.json'])
    for (const place of places) {
      for (const file of await filesBelow(place, ending).catch(() => []))
        sources.set(file, await readFile(file, 'utf8'));
    }
  return sources;
}

/** The files that a file imports; TypeScript leaves out endings. */
function importsOf(file, sources) {
  const { importedFiles } = ts.preProcessFile(sources.get(file), true, true);
  return importedFiles.flatMap(({ fileName }) => {
    const target = path.resolve(path.dirname(file), fileName);
    const names = [target, `${target}.ts`, `${target}.d.ts`, target.replace(/\.mjs$/, '.d.mts')];
    return names.filter((name) => sources.has(name));
  });
}

/** For each file a key that changes with it, with all that it imports, and with the rules. */
function keysOf(sources) {
  const hashes = new Map([...sources].map(([file, text]) => [file, hashOf(text)]));
  const imports = new Map([...sources.keys()].map((file) => [file, importsOf(file, sources)]));
  const isForAll = (file) =>
    /\.d\.ts$|[/\\](eslint\.config\.mjs|tsconfig\.json|package-lock\.json)$|[/\\]scripts[/\\]eslint[/\\]/.test(file);
  const common = [...hashes].filter(([file]) => isForAll(file)).map(([, hash]) => hash);
  const keyOf = (file) => {
    const reached = new Set([file]);
    for (const next of reached) for (const imported of imports.get(next)) reached.add(imported);
    return hashOf(
      [process.version, ...common, ...[...reached].sort().map((each) => each + hashes.get(each))].join('\n'),
    );
  };
  return new Map([...sources.keys()].map((file) => [file, keyOf(file)]));
}

/** As `tsc` sees what belongs to a tsconfig.json, and as far as nothing has changed since it last did. */
function programOf(configFile) {
  const { config } = ts.readConfigFile(configFile, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    path.dirname(configFile),
    {},
    configFile,
  );
  return ts.createIncrementalProgram({ rootNames: fileNames, options });
}

/** What `tsc --noEmit` would say of it. */
function typeErrorsIn(program) {
  const found = ts.sortAndDeduplicateDiagnostics([
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ]);
  program.emit(); // nothing but what it knows now, for the next time
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  return ts.formatDiagnostics(found, host);
}

const readPassed = async () => new Set(JSON.parse(await readFile(passedFile, 'utf8')));

// A file belongs to the first that has it: the core is without Node's types, a second time with them.
const configFiles = ['src/core', 'webview-ui', '.'].map((folder) => inRoot(folder, 'tsconfig.json'));
const programs = process.argv.includes('--types') ? configFiles.map(programOf) : [];
const typeErrors = programs.map(typeErrorsIn).join('');
const parserOptions = { projectService: false, programs: programs.map((program) => program.getProgram()) };
const eslint = new ESLint({
  cwd: root,
  warnIgnored: false,
  overrideConfig: programs.length === 0 ? [] : [{ files: ['**/*.ts'], languageOptions: { parserOptions } }],
});
const keys = keysOf(await readSources());
const passed = process.argv.includes('--all') ? new Set() : await readPassed().catch(() => new Set());
const stale = [...keys].filter(([file, key]) => /\.(ts|mjs)$/.test(file) && !passed.has(key)).map(([file]) => file);
const results = stale.length === 0 ? [] : await eslint.lintFiles(stale);
const isFaulty = ({ errorCount, warningCount }) => errorCount + warningCount > 0;
const faulty = new Set(results.filter(isFaulty).map(({ filePath }) => filePath));
console.log(
  `${typeErrors}${await (await eslint.loadFormatter()).format(results)}${stale.length} of ${keys.size} files linted`,
);
await mkdir(path.dirname(passedFile), { recursive: true });
const clean = [...keys].filter(([file]) => !faulty.has(file)).map(([, key]) => key);
await writeFile(passedFile, JSON.stringify(clean));
process.exitCode = faulty.size > 0 || typeErrors !== '' ? 1 : 0;

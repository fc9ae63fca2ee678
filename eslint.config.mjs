// The gates of the house. There are no per-file exemptions, and comments cannot switch a rule off (noInlineConfig).
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { keepitRules } from './scripts/eslint/keepitRules.mjs';

const FILE_LINES_INNER = 400;
const FILE_LINES_OUTER = 500;

const fileLines = (max) => ['error', { max, skipBlankLines: false, skipComments: false }];

/** Shapes that are never right, wherever they stand. */
const forbiddenEverywhere = [
  { selector: 'ExportDefaultDeclaration', message: 'No default exports: a name is the same wherever it is used.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that declares the name.' },
  { selector: 'ExportNamedDeclaration[source]', message: 'No barrels: import from the file that declares the name.' },
  {
    selector: 'ExportNamedDeclaration > VariableDeclaration:not([kind="const"])',
    message: 'No exported variables that change.',
  },
  {
    selector: 'PropertyDefinition[static=true]:not([readonly=true])',
    message: 'No static mutable fields: state belongs to an instance that somebody owns.',
  },
  { selector: 'TSAsExpression > TSAsExpression', message: 'No double cast: parse, or narrow.' },
  {
    selector: 'TSAsExpression > CallExpression[callee.object.name="JSON"][callee.property.name="parse"]',
    message: 'Parsed JSON is unknown until a zod schema has accepted it.',
  },
  {
    selector: 'TSAsExpression > AwaitExpression > CallExpression[callee.property.name="json"]',
    message: 'Parsed JSON is unknown until a zod schema has accepted it.',
  },
  {
    selector: 'ImportDeclaration[importKind="value"][source.value="zod"] > ImportSpecifier[imported.name="z"]',
    message: "Write `import * as z from 'zod'`: the named import bundles the whole library, 450 KB rather than 85.",
  },
  {
    selector: 'MemberExpression[object.name=/^(describe|it|suite|test|context)$/][property.name=/^(only|skip)$/]',
    message: 'No test is singled out or switched off; a test that cannot run here says so with this.skip().',
  },
];

const noSynchronousCalls = [
  {
    selector: 'CallExpression[callee.property.name=/^[a-z].*Sync$/]',
    message: 'No synchronous file or process calls where the extension host waits for them.',
  },
  {
    selector: 'ImportSpecifier[imported.name=/^[a-z].*Sync$/]',
    message: 'No synchronous file or process calls where the extension host waits for them.',
  },
];

const inProduct = [
  ...forbiddenEverywhere,
  {
    selector: 'NewExpression > ObjectExpression > SpreadElement',
    message: 'Nothing is spread into a constructor: it takes what it uses, by name.', // a reader sees where a part is made what of
  },
  {
    selector: 'Literal[regex.pattern=/^.{201}/]',
    message: 'A pattern has at most 200 characters: say it in several, or as phrases in src/core/text/languages.',
  },
];

const inSource = [
  ...inProduct,
  {
    selector: 'Program > ImportDeclaration:nth-child(16)',
    message: 'A file has at most 15 imports: whoever has to know more is several things.',
  },
];

const gates = {
  'max-lines': fileLines(FILE_LINES_OUTER),
  'keepit/function-lines': ['error', 60],
  'keepit/zones': 'error',
  'keepit/file-name': 'error',
  complexity: ['error', 15],
  'max-params': 'off',
  '@typescript-eslint/max-params': ['error', { max: 4 }],
  'max-depth': ['error', 4],
  'no-restricted-syntax': ['error', ...forbiddenEverywhere],
  'no-empty': ['error', { allowEmptyCatch: false }],
  'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
  eqeqeq: 'error',
  'no-console': 'error',
  '@typescript-eslint/naming-convention': [
    'error',
    { selector: 'typeLike', format: ['PascalCase'] },
    { selector: 'interface', format: ['PascalCase'], custom: { regex: '^I[A-Z]', match: false } },
    { selector: 'typeAlias', format: ['PascalCase'], custom: { regex: '^I[A-Z]', match: false } },
    { selector: 'variableLike', format: ['camelCase', 'PascalCase', 'UPPER_CASE'], leadingUnderscore: 'allow' },
    { selector: 'function', format: ['camelCase'] },
    { selector: 'classMethod', format: ['camelCase'] },
  ],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
  '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
  '@typescript-eslint/require-await': 'off', // an asynchronous port may well have a synchronous implementation
};

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      'dist/',
      '.vscode-test/',
      'test-results/',
      'test/fixtures/',
      'media/',
      'examples/',
      '**/*.d.ts',
    ],
  },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        AbortSignal: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        setInterval: 'readonly',
        setTimeout: 'readonly',
      },
    },
    rules: { 'max-lines': fileLines(FILE_LINES_OUTER), complexity: ['error', 15], 'max-params': ['error', 4] },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    plugins: { keepit: keepitRules },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: gates,
  },
  {
    files: ['src/**/*.ts', 'webview-ui/**/*.ts'],
    rules: { 'keepit/own-keys': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inSource] },
  },
  {
    files: ['webview-ui/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inProduct, ...noSynchronousCalls] },
  },
  {
    files: ['src/core/**/*.ts', 'src/node/**/*.ts'],
    rules: { 'max-lines': fileLines(FILE_LINES_INNER) },
  },
  {
    files: ['src/core/**/*.ts', 'src/node/**/*.ts', 'src/vscode/**/*.ts'],
    // Read a few bytes at a time, very often; the window searches in its memory's own thread.
    ignores: ['src/node/search/**/*.ts', 'src/node/files/statNow.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inSource, ...noSynchronousCalls] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off', // a test that finds nothing there is to fail
      'no-console': 'off', // runners and benches talk to a terminal
    },
  },
);

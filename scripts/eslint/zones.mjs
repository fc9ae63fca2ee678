// Which folder may import what: DESIGN's "a folder's name says what its code may touch", as data.

/** Libraries that touch nothing but their arguments. */
const PURE_LIBRARIES = ['zod', 'diff', 'js-tiktoken', 'jsonc-parser'];

/**
 * The rooms of the core, the lowest first: each imports only from those before it, and from itself. `.` is the core's own folder: the
 * memory that is put together of the rooms below it.
 */
const CORE_FOLDERS = [
  'text', // words, sentences, tokens, secrets
  'model', // documents on disk, and what the core needs of a host
  'transcript', // bytes to entries to messages
  'material', // what messages hold: tools, outcomes, commands, paths, statements
  'keepits',
  'sessions',
  'versions',
  'search',
  'knowledge', // layers, facts, rolling memory, notes
  'compositions',
  'claude', // its hooks and its set-up
  '.',
  'agentTools',
];

/**
 * `imports`: other zones a zone may use (its own it always may). `packages`: npm packages, 'any' for all but `vscode`.
 * `node`: whether Node's built-in modules may be used. `folders`: when given, the only sub-folders that the zone has, each
 * of which imports only from those before it.
 */
export const zones = [
  {
    path: 'src/core',
    imports: [],
    packages: PURE_LIBRARIES,
    node: false,
    folders: CORE_FOLDERS,
  },
  { path: 'src/node', imports: ['src/core'], packages: 'any', node: true },
  { path: 'src/vscode', imports: ['src/core', 'src/node'], packages: 'any', node: true, vscode: true },
  {
    path: 'src/cli',
    imports: ['src/core', 'src/node', 'src/hooks', 'src/mcp', 'src/http'],
    packages: 'any',
    node: true,
  },
  { path: 'src/hooks', imports: ['src/core', 'src/node'], packages: 'any', node: true },
  { path: 'src/mcp', imports: ['src/core', 'src/node'], packages: 'any', node: true },
  { path: 'src/http', imports: ['src/core', 'src/node', 'src/cli'], packages: 'any', node: true },
  {
    path: 'webview-ui/components',
    imports: ['src/core'],
    packages: ['lit', '@vscode/webview-ui-toolkit'],
    node: false,
  },
  { path: 'webview-ui', imports: ['src/core'], packages: ['lit', 'zod'], node: false },
  {
    path: 'test/unit',
    imports: [
      'src/core',
      'src/node',
      'src/cli',
      'src/hooks',
      'src/mcp',
      'src/http',
      'webview-ui',
      'src/vscode',
      'test',
      'scripts',
    ],
    packages: 'any',
    node: true,
  },
  {
    path: 'test/vscode',
    imports: ['src/core', 'src/node', 'src/vscode', 'test/unit'],
    packages: 'any',
    node: true,
    vscode: true,
  },
  { path: 'test/bench/vscode', imports: [], packages: 'any', node: true, vscode: true },
  { path: 'test/e2e', imports: ['src/core', 'src/node', 'scripts', 'test/unit'], packages: 'any', node: true },
  {
    path: 'test/process',
    imports: ['src/core', 'src/node', 'src/cli', 'src/hooks', 'src/mcp', 'src/http', 'scripts', 'test/unit'],
    packages: 'any',
    node: true,
  },
  {
    path: 'test/hard',
    imports: [
      'src/core',
      'src/node',
      'src/cli',
      'src/hooks',
      'src/mcp',
      'src/http',
      'scripts',
      'test/unit',
      'test/process',
      'test/bench',
    ],
    packages: 'any',
    node: true,
  },
  {
    path: 'test',
    imports: ['src/core', 'src/node', 'src/cli', 'src/hooks', 'src/mcp', 'src/http', 'scripts'],
    packages: 'any',
    node: true,
  },
];

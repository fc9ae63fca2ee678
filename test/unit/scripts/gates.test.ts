import assert from 'node:assert/strict';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/** Existing files, so that the type-aware rules know their project; what they really hold does not matter here. */
const CORE = 'src/core/model/host.ts';
const VSCODE = 'src/vscode/extension.ts';
const TEST = 'test/unit/scripts/gates.test.ts';

/** Rules that ask for types take seconds to load the project; all others are tried without. */
const typed = new ESLint();
const untyped = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] });
const typedRules = new Set([
  '@typescript-eslint/no-floating-promises',
  '@typescript-eslint/naming-convention',
  'keepit/own-keys',
]);

async function rulesBrokenBy(code: string, filePath: string, rule: string): Promise<string[]> {
  const [result] = await (typedRules.has(rule) ? typed : untyped).lintText(code, { filePath });
  return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
}

const forbidden: readonly [what: string, rule: string, file: string, code: string][] = [
  ['any', '@typescript-eslint/no-explicit-any', CORE, 'export const a = (b: any): unknown => b;'],
  ['a double cast', 'no-restricted-syntax', TEST, 'export const a = 1 as unknown as string;'],
  ['a cast of parsed JSON', 'no-restricted-syntax', TEST, "export const a = JSON.parse('1') as number;"],
  [
    'a non-null assertion',
    '@typescript-eslint/no-non-null-assertion',
    CORE,
    'export const a = (b?: string): string => b!;',
  ],
  ['a default export', 'no-restricted-syntax', CORE, 'export default 1;'],
  ['a barrel', 'no-restricted-syntax', CORE, "export { ids } from './ids';"],
  ['a barrel of everything', 'no-restricted-syntax', CORE, "export * from './ids';"],
  ['an exported let', 'no-restricted-syntax', CORE, 'export let a = 1;'],
  ['static state', 'no-restricted-syntax', CORE, 'export class A {\n  static b = 1;\n}'],
  ['an empty catch', 'no-empty', CORE, 'export function a(): void {\n  try {\n    a();\n  } catch {}\n}'],
  [
    'a floating promise',
    '@typescript-eslint/no-floating-promises',
    CORE,
    'export const a = async (): Promise<void> => {};\na();',
  ],
  ['vscode outside the extension', 'keepit/zones', CORE, "import 'vscode';"],
  ['Node in the core', 'keepit/zones', CORE, "import 'node:fs';"],
  [
    'a synchronous file call in the extension',
    'no-restricted-syntax',
    VSCODE,
    "import { readFileSync } from 'node:fs';\nexport const a = readFileSync('b');",
  ],
  [
    'five parameters',
    '@typescript-eslint/max-params',
    CORE,
    'export const a = (...b: [1]): unknown => c(1, 2, 3, 4, 5);\nfunction c(d: 1, e: 2, f: 3, g: 4, h: 5): unknown {\n  return [d, e, f, g, h];\n}',
  ],
  ['an interface with an I', '@typescript-eslint/naming-convention', CORE, 'export interface IThing {\n  a: 1;\n}'],
  ['a test that is singled out', 'no-restricted-syntax', TEST, "it.only('a', () => undefined);"],
  ['the whole of zod', 'no-restricted-syntax', CORE, "import { z } from 'zod';\nexport const a = z.string();"],
  ['a file of 401 lines in the core', 'max-lines', CORE, '// line\n'.repeat(401)],
  [
    'a record that is asked for any text',
    'keepit/own-keys',
    CORE,
    'export const a = (b: Record<string, number>, c: string): number => b[c] ?? 0;',
  ],
  [
    'a file of the extension with sixteen imports',
    'no-restricted-syntax',
    VSCODE,
    Array.from({ length: 16 }, (_, index) => `import * as a${index} from './a${index}';`).join('\n'),
  ],
  ['a note to do it later', 'no-warning-comments', CORE, '// TODO: later\nexport const a = 1;'],
];

describe('lint forbids', () => {
  for (const [what, rule, file, code] of forbidden) {
    it(what, async () => {
      const broken = await rulesBrokenBy(`${code}\n`, file, rule);
      assert.ok(broken.includes(rule), `${rule} is not among ${broken.join(', ') || 'nothing'}`);
    });
  }

  it('comments that switch a rule off', async () => {
    const code =
      '// eslint-disable-next-line @typescript-eslint/no-explicit-any\nexport const a = (b: any): unknown => b;\n';
    const rule = '@typescript-eslint/no-explicit-any';
    assert.ok((await rulesBrokenBy(code, CORE, rule)).includes(rule));
  });
});

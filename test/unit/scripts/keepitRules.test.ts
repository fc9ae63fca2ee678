import assert from 'node:assert/strict';
import path from 'node:path';
import { ESLint, Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { keepitRules } from '../../../scripts/eslint/keepitRules.mjs';

/** What one rule says about a file of this repository with the given text. */
function messagesOf(rule: string, file: string, text: string, options: readonly unknown[] = []): string[] {
  const config: Linter.Config = {
    files: ['**/*.ts'],
    plugins: { keepit: keepitRules },
    languageOptions: { parser: tseslint.parser },
    rules: { [`keepit/${rule}`]: ['error', ...options] },
  };
  return new Linter({ configType: 'flat' })
    .verify(text, config, { filename: path.resolve(file) })
    .map((message) => message.message);
}

describe('lint zones', () => {
  const zoneMessages = (file: string, text: string): string[] => messagesOf('zones', file, text);

  it('let the core import its own files and pure libraries', () => {
    assert.deepEqual(
      zoneMessages('src/core/model/a.ts', "import { b } from '../text/b';\nimport * as z from 'zod';"),
      [],
    );
  });

  it('keep Node, VS Code, other packages and outer folders out of the core', () => {
    for (const specifier of ['node:fs', 'fs', 'vscode', 'hono', '../../node/files', '../../../package.json']) {
      assert.equal(zoneMessages('src/core/model/a.ts', `import { b } from '${specifier}';`).length, 1, specifier);
    }
  });

  it('let a room of the core import from the rooms below it alone', () => {
    assert.equal(zoneMessages('src/core/sessions/a.ts', "import { b } from '../knowledge/facts/b';").length, 1);
    assert.equal(zoneMessages('src/core/sessions/a.ts', "import type { b } from '../memory';").length, 1);
    assert.deepEqual(zoneMessages('src/core/knowledge/facts/a.ts', "import { b } from '../../sessions/b';"), []);
    assert.deepEqual(zoneMessages('src/core/memory.ts', "import { b } from './sessions/b';"), []);
  });

  it('see imports in every form', () => {
    for (const text of [
      "import type { b } from 'vscode';",
      "export { b } from 'vscode';",
      "export * from 'vscode';",
      "const b = await import('vscode');",
      "type B = import('vscode').Uri;",
    ]) {
      assert.equal(zoneMessages('src/cli/a.ts', text).length, 1, text);
    }
  });

  it('let only the extension import vscode', () => {
    assert.deepEqual(zoneMessages('src/vscode/a.ts', "import { window } from 'vscode';"), []);
    assert.equal(zoneMessages('src/node/a.ts', "import { window } from 'vscode';").length, 1);
    assert.equal(zoneMessages('test/unit/a.test.ts', "import { window } from 'vscode';").length, 1);
  });

  it('keep webviews away from the machine', () => {
    assert.equal(zoneMessages('webview-ui/a.ts', "import { b } from '../src/node/b';").length, 1);
    assert.deepEqual(zoneMessages('webview-ui/a.ts', "import { b } from '../src/core/sessions/b';"), []);
  });

  it('know every folder of the house, and no other', () => {
    assert.equal(zoneMessages('src/utils/a.ts', '').length, 1);
    assert.equal(zoneMessages('src/core/helpers/a.ts', '').length, 1);
    assert.equal(zoneMessages('src/a.ts', '').length, 1);
    assert.deepEqual(zoneMessages('src/core/memory.ts', ''), []);
  });
});

describe('the function length limit', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => `call(${index});`).join('\n');
  const lengthMessages = (text: string): string[] => messagesOf('function-lines', 'src/node/a.ts', text, [60]);

  it('counts every line of a function, blank ones too', () => {
    assert.deepEqual(lengthMessages(`function a() {\n${lines(58)}\n}`), []);
    assert.equal(lengthMessages(`function a() {\n${lines(58)}\n\n}`).length, 1);
  });

  it('takes a describe callback for a chapter, and limits what stands in it', () => {
    assert.deepEqual(lengthMessages(`describe('a', () => {\n${lines(100)}\n});`), []);
    assert.equal(lengthMessages(`describe('a', () => {\nit('b', () => {\n${lines(100)}\n});\n});`).length, 1);
  });
});

describe('file names', () => {
  it('are camelCase', () => {
    for (const name of ['tokenCounter.ts', 'a.test.ts', 'md5.ts']) {
      assert.deepEqual(messagesOf('file-name', `src/node/${name}`, ''), [], name);
    }
    for (const name of ['TokenCounter.ts', 'token-counter.ts', 'token_counter.ts', 'index.ts']) {
      assert.equal(messagesOf('file-name', `src/node/${name}`, '').length, 1, name);
    }
  });
});

describe('keys that come from outside', () => {
  const typed = new ESLint();
  const HEAD = `declare const record: Record<string, number>;
declare const rows: readonly number[];
declare const known: Record<'a' | 'b', number>;
declare const key: string;
declare const one: 'a' | 'b';
declare const maybe: { readonly inner?: Readonly<Record<string, unknown>> } | undefined;
`;
  const found = async (text: string): Promise<number> => {
    const [result] = await typed.lintText(`${HEAD}${text}\n`, { filePath: 'src/core/model/host.ts' });
    return (result?.messages ?? []).filter(({ ruleId }) => ruleId === 'keepit/own-keys').length;
  };

  it('do not index records, however that is written', async () => {
    for (const text of [
      'export const a = record[key] ?? 0;',
      'record[key] = (record[key] ?? 0) + 1;',
      'export const a = maybe?.inner?.[key];',
      'export const a = { ...record }[key];',
      'export const a = record[`${key}`];',
      'export const { [key]: a, ...b } = record;',
      'export const a = <T extends Record<string, unknown>>(b: T): unknown => b[key];',
      'export const a = (b: string | number): unknown => record[b];',
      'export const a = Object.hasOwn(record, key) ? 0 : record[key];',
      'export const a = Object.hasOwn(known, key) ? record[key] : 0;',
      'export const a = key in record;',
    ]) {
      assert.notEqual(await found(text), 0, text);
    }
  });

  it('leave alone what cannot meet a name of Object.prototype', async () => {
    for (const text of [
      'export const a = known[one] + (rows[0] ?? 0) + (key[1] ?? "").length;',
      "export const a = record['a'];",
      'export const a = (b: number): unknown => record[b];',
      'delete record[key];',
      'export const a = Object.hasOwn(record, key) ? record[key] : undefined;',
      'export const a = rows.length > 0 && Object.hasOwn(record, key) && record[key] === 1;',
      'export const a = { ...record, [key]: 1 };',
      'export const a = new Map(Object.entries(record)).get(key);',
      "export const a = 'inner' in (maybe ?? {});",
    ]) {
      assert.equal(await found(text), 0, text);
    }
  });
});

import { equal, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { secretRulesText, translate } from '../../../scripts/convertSecretRules.mjs';

describe('the rules for secrets', () => {
  it('are what the script makes of the set that they come from', async () => {
    equal(
      await readFile('src/core/text/secrets/secretRules.json', 'utf8'),
      await secretRulesText(await readFile('scripts/data/gitleaks/gitleaks.toml', 'utf8')),
    );
  });

  it('keep the licence of that set beside it', async () => {
    const folder = 'scripts/data/gitleaks';
    ok((await readFile(path.join(folder, 'LICENSE'), 'utf8')).includes('Copyright (c) 2019 Zachary Rice'));
  });

  it('mean in JavaScript what they mean in RE2', () => {
    equal(translate(String.raw`(?i)ab(?-i:C)[a-z0-9_]{3}`), '[aA][bB](?:C)[a-zA-Z0-9_]{3}');
    equal(translate(String.raw`x(?P<name>[[:alnum:]]+)\z`), 'x(?:[A-Za-z0-9]{1,400})$');
    equal(translate(String.raw`(?s:.)*\x60[^\]]{5,}`), '(?:[\\s\\S]){0,400}\\x60[^\\]]{5,4000}');
    equal(translate(String.raw`p8e-(?i)[a-f]{2}`), 'p8e-[a-fA-F]{2}');
  });
});

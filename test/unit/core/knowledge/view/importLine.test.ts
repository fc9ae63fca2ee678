import assert from 'node:assert/strict';
import fc from 'fast-check';
import { importLine, withImport } from '../../../../../src/core/compositions/view/compositionTree';

describe('an import line', () => {
  it('is written as Claude Code reads it: blanks with a backslash, slashes forward', () => {
    assert.equal(importLine('/home/me/my notes/composed.md'), String.raw`@/home/me/my\ notes/composed.md`);
    assert.equal(importLine(String.raw`C:\memory\composed.md`), '@C:/memory/composed.md');
  });

  it('is added at the end, in the line ends of the file, and changes nothing else', () => {
    assert.equal(withImport('# Rules\n', '/m/c.md').text, '# Rules\n\n@/m/c.md\n');
    assert.equal(withImport('# Rules', '/m/c.md').text, '# Rules\n\n@/m/c.md\n');
    assert.equal(withImport('# Rules\r\n', '/m/c.md').text, '# Rules\r\n\r\n@/m/c.md\r\n');
    assert.equal(withImport('', '/m/c.md').text, '@/m/c.md\n');
  });

  it('is never added twice, and what was there stays', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const once = withImport(text, '/m/c.md');
        const twice = withImport(once.text, '/m/c.md');
        assert.ok(twice.isThere);
        assert.equal(twice.text, once.text);
        assert.ok(once.isThere || text.trim() === '' || once.text.startsWith(text));
      }),
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PathPattern } from '../../../../src/core/search/searchFilter';

const finds = (pattern: string, path: string): boolean => new PathPattern(pattern).matches(path);

describe('PathPattern', () => {
  it('finds a file in any folder, and everything below a folder', () => {
    assert.ok(finds('login.ts', 'src/auth/login.ts'));
    assert.ok(finds('auth', 'src/auth/login.ts'));
    assert.ok(finds('src/auth/', 'src/auth/login.ts'));
    assert.ok(!finds('log', 'src/auth/login.ts'));
  });

  it('takes * for what stands in one name, and ** for folders', () => {
    assert.ok(finds('src/*/login.*', 'src/auth/login.ts'));
    assert.ok(!finds('src/*.ts', 'src/auth/login.ts'));
    assert.ok(finds('src/**/*.ts', 'src/auth/login.ts'));
    assert.ok(finds('src/**/login.ts', 'src/login.ts'));
    assert.ok(finds('l?gin.ts', 'src/login.ts'));
  });

  it('begins at the root where the pattern does', () => {
    assert.ok(finds('/home/ada/*.md', '/home/ada/a.md'));
    assert.ok(!finds('/ada', '/home/ada/a.md'));
  });

  it('compares paths of Windows, and without regard to case', () => {
    assert.ok(finds('SRC/Auth', String.raw`C:\work\src\auth\login.ts`));
    assert.ok(finds(String.raw`src\auth`, 'src/auth/login.ts'));
  });

  it('takes signs of regular expressions literally', () => {
    assert.ok(finds('a+(b).[c]', 'x/a+(b).[c]'));
    assert.ok(!finds('a.c', 'abc'));
  });

  it('is quick with patterns that are all stars', () => {
    assert.ok(!finds(`${'*a'.repeat(60)}b`, `${'a'.repeat(4000)}/x`));
    assert.ok(!finds(`${'**/a/'.repeat(60)}z`, 'a/'.repeat(2000)));
  });

  it('never throws, and finds every path by its own name', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, path) => {
        new PathPattern(pattern).matches(path);
        const plain = path.replace(/[*?]/g, '');
        assert.ok(finds(plain, plain));
      }),
    );
  });
});

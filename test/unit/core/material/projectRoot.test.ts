import assert from 'node:assert/strict';
import { findProjectRoot } from '../../../../src/core/material/projectRoot';
import { sourceMessages, sourceTool } from '../../support/sourceMessages';

function rootOf(...files: readonly string[]): string {
  const tools = files.map((file) => sourceTool('Read', { input: { file_path: file } }));
  return findProjectRoot(sourceMessages(['claude', '', { tools }]));
}

describe('findProjectRoot', () => {
  it('is the folder that all files are in', () => {
    assert.equal(rootOf('/home/ada/app/src/a.ts', '/home/ada/app/test/b.ts'), '/home/ada/app/');
    assert.equal(rootOf('/home/ada/app/a.ts'), '/home/ada/app/');
  });

  it('is nothing where files have no folder in common', () => {
    assert.equal(rootOf('/home/ada/a.ts', '/etc/hosts'), '');
    assert.equal(rootOf('/home/ada/a.ts', 'C:\\Users\\ada\\a.ts'), '');
    assert.equal(rootOf('/a.ts', 'C:\\a.ts', '//server/a.ts'), '');
  });
});

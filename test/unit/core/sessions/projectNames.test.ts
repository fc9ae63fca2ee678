import assert from 'node:assert/strict';
import fc from 'fast-check';
import { projectFolderName } from '../../../../src/core/sessions/projectNames';

describe('projectFolderName', () => {
  it('turns every character that is no ASCII letter or digit into a dash, by UTF-16 unit', () => {
    assert.equal(projectFolderName('/home/dac/github/My.App_2'), '-home-dac-github-My-App-2');
    assert.equal(projectFolderName('/p/é😀'), '-p----');
    assert.equal(projectFolderName('C:\\Users\\x'), 'C--Users-x');
  });

  it('cuts long names at 200 characters and tells them apart by a hash', () => {
    const long = `/${'a'.repeat(250)}`;
    const name = projectFolderName(long);
    assert.match(name, /^-a{199}-[0-9a-z]+$/);
    assert.notEqual(name, projectFolderName(`/${'a'.repeat(251)}`));
    assert.equal(projectFolderName(`/${'a'.repeat(199)}`).length, 200);
  });

  it('gives the name of a plain folder for every path', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (path) => /^[A-Za-z0-9-]*$/.test(projectFolderName(path))));
  });
});

import assert from 'node:assert/strict';
import { extensions } from 'vscode';

describe('the extension in VS Code', () => {
  it('is found under its published name and activates', async () => {
    const extension = extensions.getExtension('keepit.keepit');
    assert.ok(extension, 'VS Code does not know keepit.keepit');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });
});

import { doesNotThrow, throws } from 'node:assert/strict';
import { checkName } from '../../../../src/core/compositions/compositionRecord';
import { filled, seeded } from '../../support/secretCorpus';

describe('the name of a composition', () => {
  it('holds no secret: it becomes that of a folder', () => {
    const token = filled('ghp_{a36}', seeded(1));
    throws(() => checkName(`rotate ${token}`), /it holds a secret \(GitHub token\)/);
    doesNotThrow(() => checkName('rotate the token'));
  });
});

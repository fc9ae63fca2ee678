import assert from 'node:assert/strict';
import path from 'node:path';
import { earlierLook } from '../../../../src/node/store/folderFiles';
import { useTempFolder } from '../../support/tempFolder';

describe('what is deleted by its age', () => {
  const temp = useTempFolder();
  const look = async (iso: string) =>
    (await earlierLook(temp.path, path.join(temp.path, '.looked'), new Date(iso)))?.toISOString();

  it('was old at an earlier look, a day or more ago', async () => {
    assert.equal(await look('2026-01-01T00:00:00.000Z'), undefined);
    assert.equal(await look('2026-01-01T23:00:00.000Z'), undefined);
    assert.equal(await look('2026-01-02T00:00:00.000Z'), '2026-01-01T00:00:00.000Z');
    assert.equal(await look('2026-01-09T00:00:00.000Z'), '2026-01-02T00:00:00.000Z');
  });

  it('is never more than that because a clock jumped, forward or back', async () => {
    await look('2026-01-01T00:00:00.000Z');
    assert.equal(await look('2036-01-01T00:00:00.000Z'), '2026-01-01T00:00:00.000Z');
    assert.equal(await look('2026-01-02T00:00:00.000Z'), undefined, 'the note of the future is no earlier look');
    assert.equal(await look('1980-01-01T00:00:00.000Z'), undefined);
    assert.equal(await look('2026-01-03T00:00:00.000Z'), '1980-01-01T00:00:00.000Z');
  });
});

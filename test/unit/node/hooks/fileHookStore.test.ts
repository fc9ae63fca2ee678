import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NoteRequest } from '../../../../src/core/model/hookActivity';
import { FileHookStore } from '../../../../src/node/hooks/fileHookStore';
import { useTempFolder } from '../../support/tempFolder';

const noteOf = (quote: string): NoteRequest => ({ quote, kind: 'rule' });

describe('FileHookStore: notes that wait', () => {
  const folder = useTempFolder();
  let store: FileHookStore;

  beforeEach(() => (store = new FileHookStore(folder.path, folder.path)));

  async function taken(): Promise<string[]> {
    const quotes: string[] = [];
    await store.takeNotes('app', async (notes) => void quotes.push(...notes.map(({ quote }) => quote)));
    return quotes;
  }

  it('keep a note that follows one which a killed process left unfinished', async () => {
    const hooks = path.join(folder.path, 'projects', 'app', 'hooks');
    await mkdir(hooks, { recursive: true });
    await writeFile(path.join(hooks, 'notes.jsonl'), `${JSON.stringify(noteOf('first'))}\n{"quote":"tor`);
    await store.addNote('app', noteOf('second'));
    assert.deepEqual(await taken(), ['first', 'second']);
  });

  it('wait on when what was to be done with them fails, with those that come meanwhile', async () => {
    await store.addNote('app', noteOf('first'));
    const failing = store.takeNotes('app', async () => {
      await store.addNote('app', noteOf('second'));
      throw new Error('the session cannot be read');
    });
    await assert.rejects(failing, /cannot be read/);
    assert.deepEqual([...(await taken()), ...(await taken())], ['first', 'second']);
    assert.deepEqual(await taken(), []);
  });
});

import assert from 'node:assert/strict';
import type { Exchange } from '../../../../src/core/model/layers';
import { FakeMemory } from '../../support/fakeMemory';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const EDIT = { name: 'Edit', input: { file_path: '/home/ada/src/app/a.ts', old_string: 'a', new_string: 'b' } };
const LOOK = { name: 'Read', input: { file_path: '/home/ada/src/app/a.ts' } };
const SUMMARY = 'Perfect!\n\n- Parser reads the last line without a newline\n- Lexer keeps positions of tabs';

async function exchangesIn(builder: TranscriptBuilder): Promise<readonly Exchange[]> {
  const { claude, service } = new FakeMemory();
  claude.write(`${PROJECT}/s1.jsonl`, builder);
  await service.layers.enable(PROJECT);
  await service.layers.build(PROJECT);
  const content = await service.layers.layer(PROJECT, 'l2');
  return content.layer === 'l2' ? content.sessions.flatMap(({ exchanges }) => exchanges) : [];
}

describe('What came of a request', () => {
  it('is told by the turn in which it was done, where Claude asked first', async () => {
    const said = new TranscriptBuilder('s1')
      .human('Make the parser read the last line')
      .assistant('Either in the lexer or in the parser. Which would you prefer? Or shall I go with the lexer?')
      .human('ok, the lexer')
      .result('The file was updated', EDIT)
      .assistant(SUMMARY);
    const [asked] = await exchangesIn(said);
    assert.equal(asked?.closing, 's1-3');
    assert.match(asked.details, /^Parser reads the last line/);
  });

  it('is told by the answer, where the user has asked a question', async () => {
    const said = new TranscriptBuilder('s1')
      .human('Where would the last line be read?')
      .assistant('Either in the lexer or in the parser. Which would you prefer? Or shall I go with the lexer?');
    const answer = said.lastUuid;
    said.human('ok, the lexer').result('The file was updated', EDIT).assistant(SUMMARY);
    const [asked] = await exchangesIn(said);
    assert.equal(asked?.closing, answer);
  });

  it('is told by the summary, also where Claude went on to look at things and was cut short', async () => {
    const said = new TranscriptBuilder('s1').human('Make the parser read the last line');
    said.result('The file was updated', EDIT).assistant(SUMMARY).result('export {}', LOOK);
    said.human('Now write the docs').assistant('The docs are written.');
    const [asked] = await exchangesIn(said);
    assert.match(asked?.details ?? '', /^Parser reads the last line/);
    assert.equal(asked?.isReported, undefined);
  });

  it('is told with the points below one that ends with a colon, and without what is to be tried', async () => {
    const closing = `Done.

- **Tar archives** are read now, with:
   - Recursion into archives
   - Times of files
- Zip archives as before in \`zip.ts\`

## Test It!
**Test checklist:**
1. Open the console and look for errors
2. Press the record button twice`;
    const said = new TranscriptBuilder('s1').human('Read tar archives').result('The file was updated', EDIT);
    const [asked] = await exchangesIn(said.assistant(closing));
    assert.equal(
      asked?.details,
      'Tar archives are read now, with: Recursion into archives, Times of files; Zip archives as before in zip.ts',
    );
    assert.equal(asked.isReported, true);
  });
});

import assert from 'node:assert/strict';
import { defaultConfig } from '../../../../../src/core/model/config';
import { markerCompletions } from '../../../../../src/core/sessions/view/keepitEditor';

const config = defaultConfig('').keepitDecay;
const at = (text: string): ReturnType<typeof markerCompletions> =>
  markerCompletions(text.split('\n').at(-1) ?? '', text, config);

describe('completing a marker', () => {
  it('offers all presets once a marker has been begun, and replaces what was typed of it', () => {
    for (const begun of ['##', '##k', '##keepit', '##KEEPIT0.', '##keepit0.7']) {
      const found = at(`Please note ${begun}`);
      assert.equal(found?.start, 12, begun);
      assert.deepEqual(
        found.completions.map(({ label, detail }) => `${label} ${detail}`),
        [
          '##keepit1.00## Pinned',
          '##keepit0.90## Critical',
          '##keepit0.75## Important',
          '##keepit0.50## Notable',
          '##keepit0.25## Minor',
          '##keepit0.10## Hint',
        ],
      );
    }
  });

  it('says of each what becomes of it', () => {
    assert.match(at('##')?.completions[1]?.documentation ?? '', /distance 10 at 50:1: fades/);
  });

  it('offers to end the keepit only where one is open', () => {
    assert.equal(at('##keepit0.50## Cents are integers. ##')?.completions[0]?.label, '##keepit:end##');
    assert.equal(at('##keepit0.50## x ##keepit:end## Thanks. ##')?.completions.length, 6);
  });

  it('stays away from headings, finished markers and words', () => {
    for (const text of ['# ', '### ', '## Heading', 'keepit', '##keepit0.50##', '##kettle', '###']) {
      assert.equal(at(text), undefined, text);
    }
  });
});

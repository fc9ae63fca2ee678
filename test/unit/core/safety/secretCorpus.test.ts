import { deepEqual, ok } from 'node:assert/strict';
import { redactSecrets } from '../../../../src/core/safety/secrets';
import { harmlessTexts } from '../../support/harmlessTexts';
import { plantedIn, secretParts, seeded, type CorpusTables, type Planted } from '../../support/secretCorpus';
import { KNOWN_FORMS } from '../../support/secretForms';

/** What of a corpus stays in its texts, by context. */
function missed(corpus: CorpusTables): { all: number; left: string[] } {
  const left: string[] = [];
  let all = 0;
  for (const { form, secret, context, text } of planted(corpus)) {
    all++;
    if (secretParts(secret).some((part) => redactSecrets(text).text.includes(part))) left.push(`${context}: ${form}`);
  }
  return { all, left };
}

function planted(corpus: CorpusTables): Planted[] {
  return [...plantedIn(corpus, seeded(20_260_701))];
}

describe('secrets of all known forms', () => {
  it('are taken out of prose, rules, JSON, shell commands, addresses and diffs', () => {
    const forms = Object.values(KNOWN_FORMS).flat();
    ok(forms.length >= 200, String(forms.length));
    const { left } = missed(KNOWN_FORMS);
    deepEqual(left, []);
  });
});

describe('harmless texts that look like secrets', () => {
  it('stay as they are, except for two in a hundred at most', () => {
    const texts = harmlessTexts(seeded(20_260_702));
    ok(texts.length >= 200, String(texts.length));
    const changed = texts.filter((text) => redactSecrets(text).text !== text);
    ok(changed.length / texts.length <= 0.02, changed.map((text) => redactSecrets(text).text).join('\n'));
  });
});

import assert from 'node:assert/strict';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { FactBook } from '../../../../../src/core/knowledge/facts/factBook';
import { factViews, type FactView } from '../../../../../src/core/knowledge/facts/factViews';
import { rulesIn } from '../../../../../src/core/knowledge/facts/ruleFinder';
import { KEPT, NAME_CHANGES, NAMES, REPLACED, type Telling } from './paraphrases';

/** What is known after each of these was said, a day apart. */
function known(...said: readonly string[]): FactView[] {
  const book = new FactBook(emptyFacts());
  for (const [index, text] of said.entries()) {
    const uuid = `m${index}`;
    const timestamp = `2026-01-0${index + 1}T09:00:00.000Z`;
    const texts = [{ recordUuid: uuid, blockIndex: 0, text }];
    const rules = rulesIn({ index, uuid, role: 'user', origin: 'prompt', texts, tools: [], tokens: 1, timestamp });
    for (const rule of rules) book.addRule(rule, { sessionId: 's', nowIso: timestamp });
  }
  return factViews({ ...emptyFacts(), ...book.permanent() }, { kind: 'rules', all: true });
}

function valid(facts: readonly FactView[]): string[] {
  return facts.filter(({ state }) => state === 'valid').map(({ content }) => content);
}

/** What went wrong when a rule about names was told, another kind of name beside it, and then the first was changed; '' for nothing. */
function faultOf(telling: Telling, noun: string, end: 'start' | 'end'): string {
  const mark = (letter: string): string => (end === 'start' ? `${letter}_` : `_${letter}`);
  const [old, value, beside] = [mark('q'), mark('k'), mark('z')];
  const other = NAMES.find((name) => name !== noun) ?? '';
  const second = telling({ noun, value, old, end });
  const rules = valid(
    known(`Always ${end} ${noun}s with '${old}'.`, `Always ${end} ${other}s with '${beside}'.`, second),
  );
  const isOld = rules.some((rule) => rule.startsWith('Always') && rule.includes(`'${old}'`));
  const isNew = rules.some((rule) => rule.includes(value));
  const isBeside = rules.some((rule) => rule.includes(`'${beside}'`));
  const faults = [isOld && 'the old one stays', !isNew && 'the new one is not found', !isBeside && 'another one goes'];
  const found = faults.filter((fault) => fault !== false).join(', ');
  return found === '' ? '' : `${second} (${found})`;
}

describe('Rules about names, changed in many words', () => {
  for (const [index, telling] of NAME_CHANGES.entries()) {
    it(`as in: ${NAME_CHANGES[index]?.({ noun: 'method name', value: 'k_', old: 'q_', end: 'start' }) ?? ''}`, () => {
      const faults = NAMES.flatMap((noun) => [faultOf(telling, noun, 'start'), faultOf(telling, noun, 'end')]);
      assert.deepEqual(
        faults.filter((fault) => fault !== ''),
        [],
      );
    });
  }
});

/** What became of a rule after something else was said on another day. */
function stateOfFirst(first: string, second: string): string | undefined {
  return known(first, second).find(({ source }) => source?.messageUuid === 'm0')?.state;
}

describe('Rules, taken back or changed in many words', () => {
  for (const [first, second] of REPLACED) {
    it(`${first} → ${second}`, () => assert.equal(stateOfFirst(first, second), 'superseded'));
  }

  for (const [first, second] of KEPT) {
    it(`stay: ${first} → ${second}`, () => assert.equal(stateOfFirst(first, second), 'valid'));
  }

  it('are not made by words that only change a rule, where there is none', () => {
    assert.deepEqual(known("Let's switch to pnpm.", "The prefix 'x_' goes before function names?"), []);
  });

  it('are not taken back by what explains them in the same breath', () => {
    const [rule] = known('Never use a VPN at work. Using a VPN can interfere with our network, and we use our own.');
    assert.equal(rule?.state, 'valid');
  });
});

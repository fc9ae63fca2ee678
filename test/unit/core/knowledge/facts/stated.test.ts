import assert from 'node:assert/strict';
import { statedIn } from '../../../../../src/core/knowledge/facts/stated';
import { sourceMessages } from '../../../support/sourceMessages';

const stated = (text: string): string[] =>
  sourceMessages(['human', text]).flatMap((message) => statedIn(message).map(({ content }) => content));

describe('What a person states in so many words', () => {
  it('is their sentence, to the letter, in the languages that people work in', () => {
    for (const sentence of [
      'From now on, pnpm only in this repo.',
      'Remember this: floats are forbidden for money.',
      'Please always run the linter before you commit.',
      'Remember: the API listens on port 8080.',
      'ab jetzt nur SQLite, hier kein Postgres',
      'siempre ejecuta los tests antes de cada commit',
      'for the tests, never mock the database',
      'In this project we always use tabs.',
      'ab jetzt nur noch pnpm',
      'désormais on utilise pnpm',
      'a partir de ahora solo pnpm',
      'a partir de agora só pnpm',
      "d'ora in poi solo pnpm",
      'Запомни: деньги только в Decimal',
      '从现在起只用 pnpm',
      '今後は必ず pnpm を使って',
      '앞으로는 항상 pnpm을 사용해',
      'من الآن فصاعدا استخدم pnpm',
    ]) {
      assert.deepEqual(stated(sentence), [sentence]);
    }
  });

  it('counts each cue once, where one stands within another', () => {
    for (const text of ['Remember: always use pnpm.', 'From now on use pnpm.', 'From now on: no npm.']) {
      assert.deepEqual(stated(text), [text]);
    }
  });

  it('is what a keepit marks, whatever its words', () => {
    assert.deepEqual(stated('##keepit1.00##The port is 4711##keepit:end## and so on'), ['The port is 4711']);
    assert.deepEqual(stated('##keepit0.10##The port is 4711##keepit:end## and so on'), []);
  });

  it('takes the sentence beside it where the cue says nothing by itself', () => {
    const both = 'We use Decimal for money. Remember that.';
    assert.deepEqual(stated(both), [both]);
  });

  it('is nothing that is asked, supposed, told of another time or place, or meant for once', () => {
    for (const text of [
      'Do you remember when we used npm?',
      'Maybe from now on we should use tabs',
      'From now on in this file use tabs',
      'In my other project we always use tabs',
      'It always fails in CI',
      'never mind',
      'Remember the port that we used?',
      'The manual says: always call close after use.',
      'Use tabs.',
      'Last year we decided: from now on only tabs.',
    ]) {
      assert.deepEqual(stated(text), [], text);
    }
  });

  it('is nothing in what somebody pastes, however much it sounds like a rule', () => {
    assert.deepEqual(stated(`Look at this:\n${'Always use tabs in this project. '.repeat(100)}`), []);
  });

  it('is nothing that Claude says', () => {
    assert.deepEqual(
      sourceMessages(['claude', 'From now on I always use tabs.']).flatMap((message) => statedIn(message)),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { isAgainst, readStatement, replaces, valueKey } from '../../../../src/core/knowledge/replacing';

const isReplaced = (earlier: string, later: string): boolean => replaces(readStatement(later), readStatement(earlier));

describe('What replaces what', () => {
  const changes: readonly (readonly [earlier: string, later: string])[] = [
    ['use tabs', 'two spaces'],
    ['Use tabs for indentation.', 'use two spaces'],
    ['we use Express', 'we are moving to Fastify'],
    ['Use Fastify', 'Express'],
    ['no ORM', 'drizzle is fine'],
    ['Always use pnpm, never npm.', 'ok, npm is fine after all'],
    ['Max line length is 80.', 'line length 100 now'],
    ['node 18', 'node 20'],
    ["Start function names with 'a_'.", "From now on, start all function names with 'b_'."],
    ['Never use a linter.', 'Always use a linter.'],
    ['CamelCase for class names', 'snake_case for class names'],
    ['Never push to main.', 'You may push to main now.'],
    ['for money use Decimal, floats are forbidden', 'for money use integer cents'],
    ['deploy to Hetzner', 'we deploy to fly.io from now on'],
    ['We poll every 6 minutes, as the gauges do.', 'Poll every 10 minutes (not 6), stay below 24 requests.'],
    [
      'Poll every 10 minutes.',
      'Readings are pushed; polling is the fallback, every 30 minutes. This replaces the 10 minutes.',
    ],
    ['Retry failed uploads 3 times.', 'Uploads: after 5 failed tries we retry by hand; this replaces the 3 retries.'],
    ['Die Tests laufen höchstens 30 Sekunden.', 'Tests dürfen 60 Sekunden laufen statt 30.'],
    ['keine Klassen verwenden', 'Klassen sind jetzt erlaubt'],
    ['用 npm', '改用 pnpm'],
    ['不要用 npm', 'npm 可以用'],
    ['常に npm を使って', '今後は pnpm を使って'],
  ];
  for (const [earlier, later] of changes)
    it(`“${later}” takes the place of “${earlier}”`, () => assert.ok(isReplaced(earlier, later)));

  const others: readonly (readonly [earlier: string, later: string])[] = [
    ['Max line length is 80.', 'Max 3 retries'],
    ["Start function names with 'a_'.", "End function names with '_x'."],
    ['CamelCase for class names', 'snake_case for function names'],
    ['use Slack for communication', 'use Teams for video calls'],
    ['two spaces everywhere', 'in Makefiles use tabs'],
    ['Never push to main.', 'Never commit secrets.'],
    ['run the tests before committing', 'never commit without running the tests'],
    ['use React', 'use Redux for state'],
    ['Retry failed uploads 3 times.', 'Upload at most 5 files at once, not 3 folders deep.'],
    ['From now on always use pnpm, never npm.', 'Format with `npm run format` from now on before each commit.'],
    ['Poll every 20 minutes.', 'Warn when no reading has come for 20 minutes.'],
  ];
  for (const [earlier, later] of others)
    it(`“${later}” leaves “${earlier}” alone`, () => assert.ok(!isReplaced(earlier, later)));

  it('is what answers the same question, whatever the answer', () => {
    const [first, second] = ['Which port?', 'which port'].map((about, at) => readStatement(`${at} it is`, about));
    assert.ok(first !== undefined && second !== undefined && replaces(second, first));
  });

  it('knows a statement again in other words', () => {
    assert.equal(valueKey(readStatement('Use tabs')), valueKey(readStatement('always use tabs please')));
    assert.notEqual(valueKey(readStatement('Use tabs')), valueKey(readStatement('never use tabs')));
  });

  it('tells what is done against a statement', () => {
    assert.ok(isAgainst(readStatement('always use pnpm, never npm'), 'npm'));
    assert.ok(isAgainst(readStatement('pnpm only'), 'npm'));
    assert.ok(isAgainst(readStatement("Don't use axios."), 'axios'));
    assert.ok(!isAgainst(readStatement('always use pnpm, never npm'), 'pnpm'));
    assert.ok(!isAgainst(readStatement('Use tabs'), 'npm'));
    assert.ok(isAgainst(readStatement('Never "moment".'), 'moment'));
    assert.ok(!isAgainst(readStatement('No data never counts as "normal".'), 'normal'));
  });
});

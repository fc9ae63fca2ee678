import assert from 'node:assert/strict';
import { isAgainst, readStatement, replaces, valueKey } from '../../../../src/core/material/replacing';

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
    ['Do not use classes in src/core.', 'Classes are allowed in src/core.'],
    ['Indent with 4 spaces.', 'Indent with 2 spaces.'],
    ['For Go code the line length is 120.', 'For Go code the line length is 100.'],
    ['Use snake_case for functions in Python.', 'Use camelCase for functions in Python.'],
    ['In prod the cache lives 1 hour.', 'In production the cache lives 90 minutes.'],
    ['Never edit src/gen/api.ts by hand.', 'Editing gen/api.ts by hand is fine now.'],
    ['New routes go into routes/index.ts.', 'New routes go into app/router.ts now.'],
    ['Passwords are hashed with bcrypt.', 'We hash passwords with argon2 from now on.'],
    ['用 npm', '改用 pnpm'],
    ['不要用 npm', 'npm 可以用'],
    ['常に npm を使って', '今後は pnpm を使って'],
  ];
  for (const [earlier, later] of changes)
    it(`“${later}” takes the place of “${earlier}”`, () => assert.ok(isReplaced(earlier, later)));

  const others: readonly (readonly [earlier: string, later: string])[] = [
    [
      'The gauge of harbour 1 answers on port 8401, every 3 minutes.',
      'The gauge of harbour 2 answers on port 8402, every 4 minutes.',
    ],
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
    ['Always keep the reply in src/a.ts short.', 'Always keep the banner in src/b.ts short.'],
    ['Timeout in src/http.ts stays at 30 seconds.', 'Timeout in src/db.ts stays at 5 seconds.'],
    ['En src/a.ts usa siempre comillas dobles.', 'En src/b.ts usa siempre comillas simples.'],
    ['在 src/a.ts 里不要用 any', '在 src/b.ts 里可以用 any'],
    ['In Python use tabs.', 'In TypeScript use spaces.'],
    ['For Go code the line length is 120.', 'For Python code the line length is 88.'],
    ['On Windows use PowerShell.', 'On Linux use bash.'],
    ['Staging keeps logs for 7 days.', 'Production keeps logs for 30 days.'],
    ['In Produktion bleiben Logs 90 Tage.', 'Auf Staging bleiben Logs 3 Tage.'],
    ['Always use Postgres.', 'On staging use SQLite.'],
    ['Tests must run in under 30 seconds.', 'Lint must run in under 10 seconds.'],
    ['Unit tests run with vitest.', 'E2E tests run with jest.'],
    ['Never run `terraform apply` by hand.', 'Run `terraform plan` by hand.'],
    ['Editors may not delete users.', 'Admins may delete users.'],
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

import assert from 'node:assert/strict';
import { emptyFacts } from '../../../../../src/core/knowledge/documents';
import { FactBook } from '../../../../../src/core/knowledge/facts/factBook';
import { factViews, type FactView } from '../../../../../src/core/knowledge/facts/factViews';
import { rulesIn } from '../../../../../src/core/knowledge/facts/ruleFinder';
import { directivesIn } from '../../../../../src/core/knowledge/facts/directives';

/** What is known after a person has said one thing on each of two days. */
function afterBoth(first: string, second: string): FactView[] {
  const book = new FactBook(emptyFacts());
  for (const [index, text] of [first, second].entries()) {
    const uuid = `m${index}`;
    const timestamp = `2026-01-0${index + 1}T09:00:00.000Z`;
    const texts = [{ recordUuid: uuid, blockIndex: 0, text }];
    const rules = rulesIn({ index, uuid, role: 'user', origin: 'prompt', texts, tools: [], tokens: 1, timestamp });
    assert.notEqual(rules.length, 0, `taken for a rule: ${text}`);
    for (const rule of rules) book.addRule(rule, { sessionId: 's', nowIso: timestamp });
  }
  return factViews({ ...emptyFacts(), ...book.permanent() }, { kind: 'rules', all: true });
}

function stateOfFirst(first: string, second: string): string | undefined {
  return afterBoth(first, second).find(({ source }) => source?.messageUuid === 'm0')?.state;
}

const REPLACED: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'another thing of the same kind': [
    ['Always use npm for installing packages.', "We've moved to pnpm."],
    ['Verwende immer Jest für Tests.', 'Ab jetzt nutzen wir Vitest für Tests.'],
    ['Utilise toujours npm.', 'Désormais on utilise pnpm.'],
    ['Usa siempre comillas simples.', 'A partir de ahora usa comillas dobles.'],
    ['以后都用 npm 安装依赖。', '从现在起改用 pnpm 安装依赖。'],
    ['常に npm を使ってください。', 'これからは pnpm を使ってください。'],
    ['استخدم دائما npm.', 'من الآن استخدم pnpm.'],
    ['Всегда используй пробелы для отступов.', 'Отныне используй табы для отступов.'],
    ['Always answer in English.', 'From now on answer in German.'],
    ['Use tabs for indentation, always.', 'From now on indent with two spaces.'],
  ],
  'what was forbidden is allowed, and the other way round': [
    ['Never mock the database in tests.', "It's fine to mock the database in tests now."],
    ['Always write docstrings for functions.', 'You can skip docstrings from now on.'],
    ['Always run the linter before committing.', "Don't run the linter before committing anymore."],
    ['Always ask before deleting files.', 'You no longer need to ask before deleting files.'],
    ['Remember: always squash commits before merging.', 'Stop squashing commits before merging.'],
    ['Always open a draft PR first.', 'We no longer open draft PRs first.'],
    ['Please use conventional commits for every commit.', 'Forget conventional commits from now on.'],
    ['Never push directly to main.', 'From now on you may push directly to main.'],
    ['Всегда пиши комментарии на английском.', 'Больше не пиши комментарии на английском.'],
    ['Immer Kommentare schreiben.', 'Ab sofort keine Kommentare mehr schreiben.'],
    ['Écris toujours des tests unitaires.', "N'écris plus de tests unitaires à partir de maintenant."],
    ['Escribe siempre comentarios.', 'Ya no escribas comentarios, nunca.'],
    ['以后不要写注释。', '从现在起始终写注释。'],
    ['常にコメントを書いてください。', '今後コメントを書かないでください。'],
  ],
  'one thing rather than the other': [
    ['Always use the logger instead of console.log.', 'From now on use console.log instead of the logger.'],
    ['Always use async/await.', 'From now on use promises rather than async/await.'],
  ],
  'another amount, form or place': [
    ['Keep lines below 100 characters, always.', 'From now on lines may be 120 characters long.'],
    ['Use 4 spaces for indentation, always.', 'Always use 2 spaces for indentation.'],
    ['Always use camelCase for variables.', 'Variables are snake_case from now on, please.'],
    ["Always prefix interfaces with 'I_'.", "From now on prefix interfaces with 'T_'."],
    ['Function names should always start with `get_`.', 'Use the prefix `fetch_` for function names from now on.'],
    ['Always put tests in __tests__ folders.', 'From now on put tests next to the source files.'],
    ['Always deploy to staging first.', 'From now on deploy to production directly.'],
    ['Always target Node 18.', 'From now on target Node 20.'],
    ["All API routes must start with '/api/v1'.", "From now on all API routes must start with '/api/v2'."],
  ],
};

const KEPT: readonly (readonly [string, string])[] = [
  ['From now on use Postgres for the main database.', 'Going forward, use SQLite for unit tests.'],
  ['Always use TypeScript.', 'Always use Python for scripts in tools/.'],
  ['Always use Jest for unit tests.', 'Always use Playwright for e2e tests.'],
  ['Always add type hints to Python functions.', 'Always add docstrings to Python functions.'],
  ['Never edit generated files.', 'Always format generated files.'],
  ['Deploy to staging on every merge, always.', 'Always deploy to production on Fridays only.'],
  ['Always use const for variables.', 'Never use var for variables.'],
  ['Always use Redis for caching.', 'Always use Postgres for data.'],
  ['Never commit secrets.', 'Never commit generated files.'],
  ['Always write tests for new features.', 'Never write tests for generated code.'],
  ['Never use any in TypeScript.', 'Always use unknown in TypeScript instead of any.'],
  ['Commit messages: always at most 72 characters.', 'Lines of code: always at most 120 characters.'],
  ['Always put fixtures in test/fixtures.', 'From now on put snapshots in test/snapshots.'],
  ["Always add the '@retry' decorator to all functions.", "From now on use the '@trace' decorator for all functions."],
];

describe('Rules that take the place of others', () => {
  for (const [kind, pairs] of Object.entries(REPLACED)) {
    describe(kind, () => {
      for (const [first, second] of pairs) {
        it(`${first} → ${second}`, () => {
          assert.equal(stateOfFirst(first, second), 'superseded');
        });
      }
    });
  }

  it('replace one half of what was said in one sentence, and leave the other', () => {
    const both = "Start method names with 'm_', functions with 'f_' and end arguments of functions with '_arg'.";
    const shown = afterBoth(both, "From now on start function names with 'fn_'.").filter(
      ({ state }) => state === 'valid',
    );
    assert.deepEqual(shown.map(({ content }) => /'(\w+)'/.exec(content)?.[1]).sort(), ['_arg', 'fn_', 'm_']);
  });

  it('are told whole where they name what they replace', () => {
    const second = "And no more 'send_': start all function names in src/mail with 'mail_' from now on.";
    const shown = afterBoth("From now on, start all function names in src/mail with 'send_'.", second).filter(
      ({ state }) => state === 'valid',
    );
    assert.deepEqual(
      shown.map(({ content }) => content),
      [second.replace('And no', 'No')],
    );
  });

  it('do not carry along the value of the sentence before', () => {
    const both = "All variable names must start with 'v_'. Always end them with '_x'.";
    const shown = afterBoth(both, "From now on start variable names with 'w_'.").filter(
      ({ state }) => state === 'valid',
    );
    assert.equal(
      shown.some(({ content }) => content.includes("'v_'")),
      false,
    );
    assert.ok(shown.some(({ content }) => content.includes("'_x'")));
  });

  it('are not made by lifting what nobody has laid down', () => {
    const book = new FactBook(emptyFacts());
    const texts = [{ recordUuid: 'm', blockIndex: 0, text: "You don't need to add docstrings to these functions." }];
    const message = { index: 0, uuid: 'm', role: 'user', origin: 'prompt', texts, tools: [], tokens: 1 } as const;
    for (const rule of rulesIn(message)) book.addRule(rule, { sessionId: 's', nowIso: '2026-01-01T00:00:00.000Z' });
    assert.deepEqual(book.permanent().permanent.rules, []);
    const lifted = stateOfFirst(
      'Always add docstrings to functions.',
      "You don't need to add docstrings to functions.",
    );
    assert.equal(lifted, 'superseded');
  });

  it('are not made by examples', () => {
    const text =
      "For example, a variable would be called 'v_count'. If you have an attribute, it starts with 'a_' then.";
    const texts = [{ recordUuid: 'm', blockIndex: 0, text }];
    assert.deepEqual(rulesIn({ index: 0, uuid: 'm', role: 'user', origin: 'prompt', texts, tools: [], tokens: 1 }), []);
  });

  describe('which only look alike hold side by side', () => {
    for (const [first, second] of KEPT) {
      it(`${first} → ${second}`, () => {
        assert.equal(stateOfFirst(first, second), 'valid');
      });
    }
  });
});

describe('directivesIn', () => {
  it('leaves out what was before, and keeps what is to hold', () => {
    const [directive] = directivesIn('I know we have been using Jest, but from now on we use Vitest');
    assert.doesNotMatch(directive?.text ?? '', /Jest/);
  });

  it('has what is turned down as a part of its own', () => {
    const parts = directivesIn('Use spaces instead of tabs');
    assert.deepEqual(
      parts.map(({ text, isNegative }) => [text.trim(), isNegative]),
      [
        ['Use spaces', false],
        ['tabs', true],
      ],
    );
  });

  it('does not take `do not forget to` for a prohibition', () => {
    assert.deepEqual(
      directivesIn("Don't forget to run the linter").map(({ isNegative }) => isNegative),
      [false],
    );
  });

  it('knows what `that` stands for', () => {
    const [directive] = directivesIn('While we usually commit to main, I want you to refrain from doing that');
    assert.match(directive?.text ?? '', /commit to main/);
    assert.equal(directive?.isNegative, true);
  });
});

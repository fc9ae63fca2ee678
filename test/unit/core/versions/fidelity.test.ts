import assert from 'node:assert/strict';
import fc from 'fast-check';
import { measureFidelity, referenceOf } from '../../../../src/core/versions/fidelity';
import type { CheckpointKind, Checkpoint, SourceMessage } from '../../../../src/core/material/types';
import type { Fidelity } from '../../../../src/core/model/compression';
import { sourceMessages, sourceTool, wholeText } from '../../support/sourceMessages';

function fact(kind: CheckpointKind, text: string): Checkpoint {
  return { kind, text, messageIndex: 0, messageUuid: 'm', weight: 1, isArtifact: false };
}

const nothing = referenceOf([], []);

function heldBy(text: string, ...facts: readonly Checkpoint[]): Fidelity {
  return measureFidelity({ ...nothing, facts }, text);
}

describe('measureFidelity: words', () => {
  const rule = fact('instruction', 'Never use axios in this project, only the built-in fetch.');

  it('finds an instruction in its own words, whatever Markdown and line breaks are around them', () => {
    assert.equal(
      heldBy('> **Never** use `axios` in\n> this project, only the\n> built-in _fetch_.', rule).instructions,
      1,
    );
  });

  it('finds an instruction in other words, as long as two thirds of them are there', () => {
    assert.equal(heldBy('- In this project: built-in fetch, not axios', rule).instructions, 1);
    assert.equal(heldBy('- They talked about axios', rule).instructions, 0);
  });

  it('does not find it where its words are far apart', () => {
    const filler = 'lorem ipsum dolor '.repeat(60);
    assert.equal(
      heldBy(`never use axios ${filler} in this project ${filler} only built-in fetch`, rule).instructions,
      0,
    );
  });

  it('does not find it where its words stand in different paragraphs', () => {
    assert.equal(heldBy('never use axios\n\nin this project\n\nonly built-in fetch', rule).instructions, 0);
  });

  it('does not take the opposite for the same', () => {
    assert.equal(heldBy('Use axios in this project, and the built-in fetch.', rule).instructions, 0);
  });

  it('finds sentences in languages without spaces, and inflected words', () => {
    const chinese = fact('decision', '数据库决定用 PostgreSQL 16 而不是 MySQL');
    assert.equal(heldBy('决定：数据库用 PostgreSQL 16，而不是 MySQL。', chinese).decisions, 1);
    assert.equal(heldBy('数据库用 MySQL', chinese).decisions, 0);
    assert.equal(
      heldBy('Используем хранилище индексов SQLite', fact('decision', 'Хранилища индекса: SQLite')).decisions,
      1,
    );
  });

  it('wants all words of a name, side by side', () => {
    assert.equal(heldBy('calls `read_all()` twice', fact('identifier', 'read_all')).identifiers, 1);
    assert.equal(heldBy('calls `readAll()` twice', fact('identifier', 'read_all')).identifiers, 0);
    assert.equal(heldBy('uses date-fns', fact('identifier', 'date-fns')).identifiers, 1);
    assert.equal(heldBy('the fns of a date', fact('identifier', 'date-fns')).identifiers, 0);
  });

  it('wants most words of a command', () => {
    const command = fact('command', 'npm run test:unit -- --grep parser');
    assert.equal(heldBy('ran `npm run test:unit -- --grep parser`', command).commands, 1);
    assert.equal(heldBy('ran `npm run build`', command).commands, 0);
    const long = fact('command', 'pytest /home/ada/app/test/test_a.py -v');
    assert.equal(heldBy('- `pytest test/test_a.py -v`', long).commands, 1);
  });
});

describe('measureFidelity: paths', () => {
  const reader = fact('path', '/home/ada/app/src/core/reader.ts');
  const one = fact('path', '/home/ada/app/src/a/index.ts');
  const other = fact('path', '/home/ada/app/src/b/index.ts');

  it('takes any ending that no other path has', () => {
    for (const text of ['src/core/reader.ts', '`reader.ts`', 'see [it](core/reader.ts:12).', 'reader.ts, and more']) {
      assert.equal(heldBy(text, reader).paths, 1, text);
    }
    assert.equal(heldBy('myreader.ts and reader.tsx', reader).paths, 0);
  });

  it('counts a name half that several files have', () => {
    assert.equal(heldBy('changed index.ts', one, other).paths, 0.5);
    assert.equal(heldBy('changed a/index.ts', one, other).paths, 0.75);
    assert.equal(heldBy('changed {a/index.ts, b/index.ts}', one, other).paths, 1);
  });

  it('finds names with spaces and of Windows', () => {
    assert.equal(
      heldBy('opened /home/ada/My Papers 1/tax report.pdf', fact('path', '/home/ada/My Papers 1/tax report.pdf')).paths,
      1,
    );
    assert.equal(heldBy('opened C:\\app\\src\\main.cs', fact('path', 'C:\\app\\src\\main.cs')).paths, 1);
    assert.equal(heldBy('opened src/main.cs', fact('path', 'C:\\app\\src\\main.cs')).paths, 1);
  });
});

describe('measureFidelity: keepits', () => {
  const keepits = [
    { weight: 1, content: 'The port is 8443 — never 443.' },
    { weight: 0.25, content: 'The logo should be green.' },
  ];

  it('counts byte-exact words in full, others half, by their weights', () => {
    const both = keepits.map(({ content }) => content).join('\n');
    assert.equal(measureFidelity({ ...nothing, keepits }, both).keepits, 1);
    assert.equal(measureFidelity({ ...nothing, keepits }, 'The port is 8443 — never 443.').keepits, 0.8);
    assert.equal(measureFidelity({ ...nothing, keepits }, 'the port is 8443 - never 443').keepits, 0.4);
    assert.equal(measureFidelity({ ...nothing, keepits }, 'nothing').keepits, 0);
  });

  it('holds one in full where its bytes are in the text, wherever that begins and ends, and else at most in part', () => {
    const words = fc.array(fc.constantFrom('never', 'push', 'to', 'main', '数据', 'é', '`a`', '.'), { maxLength: 12 });
    const text = fc.tuple(words, fc.constantFrom(' ', '\n', '  ')).map(([some, gap]) => some.join(gap));
    const cut = fc.tuple(text, fc.nat(60), fc.integer({ min: 1, max: 20 }));
    fc.assert(
      fc.property(cut, text, ([whole, start, length], other) => {
        for (const content of [whole.slice(start, start + length), other]) {
          if (content === '') continue;
          const { keepits } = measureFidelity({ ...nothing, keepits: [{ weight: 0.8, content }] }, whole);
          assert.equal(keepits === 1, whole.includes(content));
        }
      }),
    );
  });

  it('puts keepits before everything else in the score', () => {
    const facts = [
      fact('instruction', 'Add a login page to the site'),
      fact('decision', 'We decided on the blue theme'),
    ];
    const withKeepits = measureFidelity(
      { ...nothing, facts, keepits },
      keepits.map(({ content }) => content).join('\n'),
    );
    const withInstruction = measureFidelity({ ...nothing, facts, keepits }, 'Add a login page to the site');
    assert.ok(withKeepits.score > withInstruction.score);
  });
});

describe('measureFidelity: what was said', () => {
  const messages = sourceMessages(
    ['human', 'всегда пиши тесты до кода и никогда не меняй схему базы без миграции'],
    ['claude', 'обновил defaultLocale в настройках'],
  );
  const score = (text: string): number => measureFidelity(referenceOf(messages, []), text).score;

  it('counts a rule in a language that shows no names, beside a name', () => {
    assert.ok(score('обновил defaultLocale в настройках') < 0.8);
    assert.ok(score('всегда пиши тесты до кода и никогда не меняй схему базы без миграции') > 0.2);
  });

  it('wants the words of a sentence together', () => {
    const together = score('всегда пиши тесты до кода');
    assert.ok(score('всегда\n\nпиши\n\nтесты\n\nдо\n\nкода') < together);
  });
});

const words = fc.constantFrom(
  ...(
    'always never use the parser in src/core/reader.ts and README.md because parseLines failed #12 `npm run test` ' +
    'Решили хранить индекс 决定用 PostgreSQL 而不是 MySQL 今後は使わない قررنا fetch not axios TypeError: broken please. Why? TS2345'
  ).split(' '),
);
const sentence = fc.array(words, { minLength: 1, maxLength: 14 }).map((all) => all.join(' '));
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((all) => all.join('\n'));
const message = fc.record({
  who: fc.constantFrom<'human' | 'claude'>('human', 'claude'),
  paragraphs: fc.array(paragraph, { maxLength: 4 }),
  command: fc.option(sentence),
  result: paragraph,
  isError: fc.boolean(),
});
const session: fc.Arbitrary<SourceMessage[]> = fc.array(message, { maxLength: 6 }).map((all) =>
  sourceMessages(
    ...all.map(({ who, paragraphs, command, result, isError }) => {
      const tools = command === null ? [] : [sourceTool('Bash', { input: { command }, result, isError })];
      return [who, paragraphs.join('\n\n'), { tools }] as const;
    }),
  ),
);
const keepits = fc.array(fc.record({ weight: fc.double({ min: 0, max: 1, noNaN: true }), content: sentence }), {
  maxLength: 3,
});

describe('measureFidelity: properties', () => {
  it('is 1 in everything for the original', () => {
    fc.assert(
      fc.property(session, (messages) => {
        const fidelity = measureFidelity(referenceOf(messages, []), wholeText(messages));
        for (const [kind, share] of Object.entries(fidelity)) assert.equal(share, 1, kind);
      }),
    );
  });

  it('is 0 for an empty text when there is anything to hold, and 1 when there is nothing', () => {
    fc.assert(
      fc.property(session, keepits, (messages, marked) => {
        const { facts, items } = referenceOf(messages, []);
        const { score } = measureFidelity({ facts, items, keepits: marked }, '');
        const isAny = marked.length + items.passages.length + facts.filter(({ isArtifact }) => isArtifact).length > 0;
        assert.equal(score, isAny ? 0 : 1);
      }),
    );
  });

  it('never falls when paragraphs are added anywhere', () => {
    fc.assert(
      fc.property(
        session,
        keepits,
        fc.array(paragraph, { maxLength: 8 }),
        fc.array(fc.tuple(paragraph, fc.nat())),
        (messages, marked, text, more) => {
          const reference = referenceOf(messages, marked);
          const longer = [...text];
          for (const [added, at] of more) longer.splice(at % (longer.length + 1), 0, added);
          const before = measureFidelity(reference, text.join('\n\n'));
          const after = measureFidelity(reference, longer.join('\n\n'));
          for (const [kind, share] of Object.entries(before))
            assert.ok(Number(after[kind]) >= Number(share) - 1e-9, kind);
        },
      ),
    );
  });

  it('stays between 0 and 1', () => {
    fc.assert(
      fc.property(session, keepits, paragraph, (messages, marked, text) => {
        const fidelity = measureFidelity(referenceOf(messages, marked), text);
        for (const share of Object.values(fidelity)) assert.ok(Number(share) >= 0 && Number(share) <= 1);
      }),
    );
  });
});

import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { redactSecrets } from '../../../../../src/core/text/secrets/secrets';
import { harmlessTexts } from '../../../support/harmlessTexts';
import { filled, plantedIn, secretParts, seeded, type CorpusTables, type Planted } from '../../../support/secretCorpus';
import { HELD_OUT_FORMS } from '../../../support/heldOutSecrets';
import { KNOWN_FORMS } from '../../../support/secretForms';

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

  it('are found as well in lengths, with names and in languages that the rules were not made with', () => {
    const { all, left } = missed(HELD_OUT_FORMS);
    ok(left.length / all <= 0.02, left.join('\n'));
  });

  it('leave JSON that is read again', () => {
    for (const { text, context } of planted(KNOWN_FORMS))
      if (context.startsWith('json')) JSON.parse(redactSecrets(text).text);
  });

  it('are found when a key is cut, before or behind', () => {
    const lines = Array.from({ length: 6 }, () => filled('{b64}', seeded(7)));
    const [begin, end] = ['BEGIN', 'END'].map((word) => `-----${word} RSA PRIVATE KEY-----`);
    for (const cut of [
      [begin, ...lines],
      [...lines, end],
      ['…', ...lines.map((line) => `+${line}`), `+${end ?? ''}`, 'ok'],
    ]) {
      const { text } = redactSecrets(cut.join('\n'));
      ok(
        lines.every((line) => !text.includes(line)),
        text,
      );
    }
  });

  it('take time that grows with the text, and not faster', () => {
    const hostile = [
      'password=',
      'password is "',
      'key = ',
      '://a:',
      'curl -u a:',
      'eyJa.',
      'token: a.',
      'sk-',
      '-----BEGIN PRIVATE KEY-----',
      'password,',
      'password,x\n',
      '|password|token|\n',
      'INSERT INTO t (password) VALUES (',
      '<password a="',
      'https://hooks/',
      '$1$',
    ];
    for (const piece of hostile) {
      const cost = (length: number): number => {
        const text = piece.repeat(length / piece.length);
        const runs = [1, 2, 3].map(() => {
          const start = process.cpuUsage().user;
          redactSecrets(text);
          return process.cpuUsage().user - start;
        });
        return Math.min(...runs);
      };
      const small = Math.max(1000, cost(20_000));
      ok(cost(200_000) / small < 60, piece); // ten times the text; a hundred times the cost would be its square
    }
  }).timeout(120_000);
});

describe('secrets in files, commands, logs and code', () => {
  /** Between blank lines; `{p}` stands for a password, `{t}` for a token, `{b}` for Base64. */
  const piecesOf = (name: string): string[] =>
    readFileSync(path.resolve('test/fixtures/secrets', `${name}.txt`), 'utf8')
      .trim()
      .split('\n\n');
  const wrappings: Readonly<Record<string, (text: string) => string>> = {
    plain: (text) => text,
    json: (text) => JSON.stringify({ content: text }),
    diff: (text) => text.replace(/^/gm, '+'),
    numbered: (text) => text.replace(/^/gm, '12→'),
  };
  const WORDS = ['sunflower', 'Bluebird', 'tiramisu', 'dragonfly'];
  const MADE = ['winter2024', 'Hunter42x', 'p@ssw0rd!', 's3cr3tS@uce', '{a20}'];

  function leftIn(places: 'places' | 'said', passwords: readonly string[]): { left: string[]; all: number } {
    const random = seeded(20_261_119);
    const texts = piecesOf(places).flatMap((place) =>
      passwords.flatMap((password) => {
        const secret = filled(place.includes('{p}') ? password : place.includes('{b}') ? '{a24}==' : '{a32}', random);
        const text = place.replace(/\{[ptb]\}/g, () => secret);
        return Object.values(wrappings).map((wrap) => ({ text: wrap(text), secret }));
      }),
    );
    const left = texts.filter(({ text, secret }) => redactSecrets(text).text.includes(secret));
    return { left: left.map(({ text }) => text), all: texts.length };
  }

  it('are taken out, words without digits too where nothing else can stand', () => {
    for (const [places, passwords] of [
      ['places', WORDS],
      ['places', MADE],
      ['said', MADE],
    ] as const) {
      const { left, all } = leftIn(places, passwords);
      ok(left.length / all <= 0.02, `${left.length} of ${all}\n${left.join('\n')}`);
    }
  });

  it('are not seen in what stands in the same places, but for two in a hundred at most', () => {
    const texts = piecesOf('harmless').flatMap((text) => Object.values(wrappings).map((wrap) => wrap(text)));
    ok(texts.length >= 4 * 200, String(texts.length));
    const changed = texts.filter((text) => redactSecrets(text).text !== text);
    ok(changed.length / texts.length <= 0.02, `${changed.length} of ${texts.length}\n${changed.join('\n')}`);
  });
});

describe('secrets in files and commands of many services', () => {
  const piecesOf = (name: string): string[] =>
    readFileSync(path.resolve('test/fixtures/secrets', `${name}.txt`), 'utf8')
      .trim()
      .split('\n\n');

  it('are taken out, each where it is marked, but for two in a hundred at most', () => {
    const texts = piecesOf('elsewhere').map((piece) => filled(piece, seeded(20_261_120)));
    ok(texts.length >= 200, String(texts.length));
    const left = texts.filter((text) => {
      const redacted = redactSecrets(text.replace(/[«»]/g, '')).text;
      return [...text.matchAll(/«([^»]*)»/g)].some(([, secret = '']) => redacted.includes(secret));
    });
    ok(left.length / texts.length <= 0.02, left.join('\n\n'));
  });

  it('are not seen where nothing is secret, but for two in a hundred at most', () => {
    const texts = piecesOf('harmlessElsewhere').map((piece) => filled(piece, seeded(20_261_121)));
    ok(texts.length >= 200, String(texts.length));
    const changed = texts.filter((text) => redactSecrets(text).text !== text);
    ok(changed.length / texts.length <= 0.02, changed.map((text) => redactSecrets(text).text).join('\n\n'));
  });
});

describe('secrets in single lines, as they are quoted', () => {
  const linesOf = (name: string): string[] =>
    readFileSync(path.resolve('test/fixtures/secrets', `${name}.txt`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll('\\n', '\n'));
  const quotings: readonly ((line: string) => string)[] = [
    (line) => line,
    (line) => `I have tried it now: ${line}\nand that did not work, see the log.`,
    (line) => JSON.stringify({ type: 'tool_use', input: { command: line, description: 'Run it' } }),
    (line) => JSON.stringify({ content: JSON.stringify({ text: `Output:\n${line}\ndone` }) }),
    (line) => `@@ -10,4 +10,5 @@\n   before: 1\n-  old: 2\n+${line}\n   after: 3`,
    (line) => `> - Use \`${line}\` for this.`,
  ];

  it('are taken out, but for seven in a hundred at most', () => {
    const left: string[] = [];
    const lines = linesOf('oneLiners');
    for (const line of lines) {
      const parts = [...line.matchAll(/«([^»]*)»/g)].flatMap(([, secret = '']) => secretParts(secret));
      for (const quoting of quotings) {
        const { text } = redactSecrets(quoting(line.replace(/[«»]/g, '')));
        if (parts.some((part) => text.includes(part))) left.push(text);
      }
    }
    ok(lines.length >= 200, String(lines.length));
    ok(left.length / (lines.length * quotings.length) <= 0.07, left.join('\n\n'));
  });

  it('are not seen in harmless ones, but for two in a hundred at most', () => {
    const texts = linesOf('harmlessOneLiners').flatMap((line) => quotings.map((quoting) => quoting(line)));
    const changed = texts.filter((text) => redactSecrets(text).text !== text);
    ok(changed.length / texts.length <= 0.02, changed.map((text) => redactSecrets(text).text).join('\n'));
  });

  it('leave the names of fields that stand behind them', () => {
    const text = JSON.stringify({ content: 'See that they pass', status: 'pending' });
    deepEqual(redactSecrets(text).text, text);
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

import assert from 'node:assert/strict';
import { collectCheckpoints } from '../../../../src/core/material/collectCheckpoints';
import type { CheckpointKind, SourceMessage } from '../../../../src/core/material/types';
import { sourceMessages, sourceTool } from '../../support/sourceMessages';

function textsOf(kind: CheckpointKind, messages: readonly SourceMessage[]): string[] {
  return collectCheckpoints(messages)
    .filter((fact) => fact.kind === kind)
    .map(({ text }) => text);
}

function weightOf(part: string, messages: readonly SourceMessage[]): number {
  const fact = collectCheckpoints(messages).find(({ text }) => text.includes(part));
  assert.ok(fact, `no fact about ${part}`);
  return fact.weight;
}

function ran(command: string, result = '', isError = false): SourceMessage[] {
  return sourceMessages([
    'claude',
    'Running it.',
    { tools: [sourceTool('Bash', { input: { command }, result, isError })] },
  ]);
}

describe('collectCheckpoints: what was said', () => {
  it('takes every request of the human for an instruction, sentence by sentence', () => {
    const messages = sourceMessages([
      'human',
      'Add a login page to the site.\n\n- Use the existing form\n- Write tests for it',
    ]);
    assert.deepEqual(textsOf('instruction', messages), [
      'Add a login page to the site.',
      'Use the existing form',
      'Write tests for it',
    ]);
  });

  it('takes no thanks, no logs, no code for an instruction', () => {
    const log = '12:30:01 INFO starting the server now\n$ npm test please\n{"a": [1, 2, {"b": 3}]}';
    const messages = sourceMessages([
      'human',
      `Thanks!\n\nyes, please\n\n${log}\n\n\`\`\`ts\nconst always = never;\n\`\`\``,
    ]);
    assert.deepEqual(textsOf('instruction', messages), []);
  });

  it('does not count what the assistant says as instructions', () => {
    assert.deepEqual(textsOf('instruction', sourceMessages(['claude', 'You must always run the tests first.'])), []);
  });

  it('gives rules more weight than requests, and requests more than questions', () => {
    const rule = weightOf('axios', sourceMessages(['human', 'Never use axios in this project.']));
    const request = weightOf('login', sourceMessages(['human', 'Add a login page to the site.']));
    const question = weightOf('deploy', sourceMessages(['human', 'How does the deploy script work?']));
    assert.ok(rule > request && request > question);
  });

  const rules = [
    'Не используй axios, только fetch',
    '以后提交信息请用中文，并且不要修改 generated 目录',
    '今後は any 型を使わないでください',
    'لا تستخدم مكتبة moment، استخدم date-fns',
    'Verwende niemals globale Variablen in diesem Projekt',
    'N’utilise jamais de variables globales ici',
    'A partir de ahora usa tabuladores',
    '앞으로 커밋 메시지는 한국어로 작성하세요',
  ];
  for (const rule of rules) {
    it(`knows a rule in another language: ${rule}`, () => {
      const [fact] = collectCheckpoints(sourceMessages(['human', rule])).filter(({ kind }) => kind === 'instruction');
      assert.equal(fact?.text, rule);
      assert.ok(fact.weight >= 2);
    });
  }

  const decisions = [
    'We decided to keep the index in SQLite.',
    'Решили: хранить индекс в SQLite, а не в JSON',
    '数据库决定用 PostgreSQL 16 而不是 MySQL',
    'キャッシュは Redis ではなくメモリに置くことにします',
    'قررنا أن تكون اللغة الافتراضية هي العربية',
    'Wir haben beschlossen, bei Postgres zu bleiben',
  ];
  for (const decision of decisions) {
    it(`knows a decision whoever states it: ${decision}`, () => {
      assert.deepEqual(textsOf('decision', sourceMessages(['human', decision])), [decision]);
      assert.deepEqual(textsOf('decision', sourceMessages(['claude', decision])), [decision]);
    });
  }

  it('keeps the reasons that the assistant found, and not what it is about to do', () => {
    const messages = sourceMessages([
      'claude',
      'Let’s go with a look at the parser. The root cause is an off-by-one in the scanner.',
    ]);
    assert.deepEqual(textsOf('decision', messages), ['The root cause is an off-by-one in the scanner.']);
  });

  it('lets a pasted document weigh no more because it is long', () => {
    const lines = Array.from({ length: 240 }, (_, at) => `- The chapter number ${at} describes item${at} at length`);
    const facts = collectCheckpoints(sourceMessages(['human', lines.join('\n')]));
    const sum = facts.filter(({ kind }) => kind === 'instruction').reduce((total, { weight }) => total + weight, 0);
    assert.ok(Math.abs(sum - 12) < 0.01);
  });

  it('leaves markers out of the words', () => {
    const messages = sourceMessages([
      'human',
      'Note that ##keepit0.80## the port must stay 8443 ##keepit:end## everywhere.',
    ]);
    assert.deepEqual(
      textsOf('instruction', messages).map((text) => text.replace(/\s+/g, ' ')),
      ['Note that the port must stay 8443 everywhere.'],
    );
  });
});

describe('collectCheckpoints: what is repeated', () => {
  it('keeps one fact, from the message that says it last, and lets it weigh more', () => {
    const once = sourceMessages(['human', 'Always run the linter.']);
    const twice = sourceMessages(
      ['human', 'Always run the linter.'],
      ['claude', 'Done.'],
      ['human', 'always run the LINTER!'],
    );
    const facts = collectCheckpoints(twice).filter(({ kind }) => kind === 'instruction');
    assert.deepEqual(
      facts.map(({ text, messageIndex, messageUuid }) => ({ text, messageIndex, messageUuid })),
      [{ text: 'always run the LINTER!', messageIndex: 2, messageUuid: 'message-2' }],
    );
    assert.ok((facts[0]?.weight ?? 0) > weightOf('linter', once));
  });

  it('gives facts in the order of the messages', () => {
    const messages = sourceMessages(
      ['human', 'Fix src/b.ts in the parser'],
      ['claude', 'Because `parseLine` was wrong, src/a.ts failed.'],
    );
    const indexes = collectCheckpoints(messages).map(({ messageIndex }) => messageIndex);
    assert.deepEqual(
      indexes,
      indexes.toSorted((a, b) => a - b),
    );
  });
});

describe('collectCheckpoints: files', () => {
  const edit = (path: string): SourceMessage[] =>
    sourceMessages(['claude', '', { tools: [sourceTool('Edit', { input: { file_path: path } })] }]);

  it('takes paths from calls and from words', () => {
    const messages = [
      ...edit('/home/ada/app/src/reader.ts'),
      ...sourceMessages(['human', 'Look at docs/setup.md and .env, please.']),
    ];
    assert.deepEqual(textsOf('path', messages).toSorted(), ['.env', '/home/ada/app/src/reader.ts', 'docs/setup.md']);
  });

  it('joins a short name with the only long one that ends like it', () => {
    const messages = [
      ...edit('/home/ada/app/src/reader.ts'),
      ...sourceMessages(['human', 'What about @src/reader.ts and reader.ts?']),
    ];
    assert.deepEqual(textsOf('path', messages), ['/home/ada/app/src/reader.ts']);
  });

  it('keeps files of the same name apart', () => {
    const messages = [...edit('/app/src/a/index.ts'), ...edit('/app/src/b/index.ts')];
    assert.equal(textsOf('path', messages).length, 2);
  });

  it('gives files that were written more weight than those that were read', () => {
    const read = sourceMessages([
      'claude',
      '',
      { tools: [sourceTool('Read', { input: { file_path: '/app/src/a.ts' } })] },
    ]);
    assert.ok(weightOf('a.ts', edit('/app/src/a.ts')) > weightOf('a.ts', read));
  });

  it('takes no version, address, product or pair of words for a path', () => {
    const words = 'Use Node.js 20.1.0 and/or Next.js from https://example.com/a/b.html e.g. for client/server code.';
    assert.deepEqual(textsOf('path', sourceMessages(['human', words])), []);
  });

  it('knows paths of Windows and folders with brackets', () => {
    const messages = [...edit('C:\\work\\app\\src\\main.cs'), ...edit('/app/pages/[slug]/page.tsx')];
    assert.deepEqual(textsOf('path', messages), ['C:\\work\\app\\src\\main.cs', '/app/pages/[slug]/page.tsx']);
  });
});

describe('collectCheckpoints: commands', () => {
  it('keeps what was run, without what only looks and without what shortens the output', () => {
    assert.deepEqual(textsOf('command', ran('cd /app && ls -la && CI=1 npm run test:unit 2>&1 | tail -20')), [
      'npm run test:unit',
    ]);
    assert.deepEqual(textsOf('command', ran('git status; git push origin main')), ['git push origin main']);
  });

  it('takes a command with a long path for the same as one with a short path', () => {
    const messages = [...ran('pytest test/test_a.py -v'), ...ran('pytest /home/ada/app/test/test_a.py -v')];
    assert.equal(textsOf('command', messages).length, 1);
  });

  it('leaves out what is written into a command', () => {
    assert.deepEqual(textsOf('command', ran('git commit -m "Fix && polish"')), ['git commit -m "Fix && polish"']);
    assert.deepEqual(textsOf('command', ran("python3 <<'EOF'\nprint('rm -rf x && y')\nEOF")), ['python3']);
  });

  it('takes commands that somebody names in code spans', () => {
    const messages = sourceMessages(['human', 'Start it with `npm run dev -- --port 3000`, not with `server`.']);
    assert.deepEqual(textsOf('command', messages), ['npm run dev -- --port 3000']);
  });
});

describe('collectCheckpoints: errors', () => {
  it('takes the lines in which a result says what went wrong', () => {
    const result =
      'src/a.ts(3,1): error TS2345: Argument of type string\n\nFound 1 error.\nnpm ERR! Lifecycle script failed';
    assert.deepEqual(textsOf('error', ran('npm run build', result)), [
      'src/a.ts(3,1): error TS2345: Argument of type string',
      'npm ERR! Lifecycle script failed',
    ]);
  });

  it('takes the exception and not its traceback', () => {
    const result = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: bad literal for int()';
    assert.deepEqual(textsOf('error', ran('python a.py', result, true)), ['ValueError: bad literal for int()']);
  });

  it('takes no error from files that were only read', () => {
    const result = 'throw new Error()\nTypeError: x is not a function';
    const messages = sourceMessages(['claude', '', { tools: [sourceTool('Read', { input: {}, result })] }]);
    assert.deepEqual(textsOf('error', messages), []);
  });

  it('takes the errors that the human pastes', () => {
    const messages = sourceMessages(['human', 'I get this:\n\nTypeError: fetch is not a function']);
    assert.deepEqual(textsOf('error', messages), ['TypeError: fetch is not a function']);
  });

  it('takes the same error at another line for the same', () => {
    const messages = [...ran('x', 'a.c:10:2: error: missing brace'), ...ran('x', 'a.c:99:7: error: missing brace')];
    assert.equal(textsOf('error', messages).length, 1);
  });
});

describe('collectCheckpoints: names', () => {
  it('takes names of code, issues, options and addresses from what was said', () => {
    const messages = sourceMessages([
      'human',
      'Rename parseLines to read_all, see #412 and https://example.com/spec. Try `--no-cache`.',
    ]);
    assert.deepEqual(textsOf('identifier', messages).toSorted(), [
      '#412',
      '--no-cache',
      'https://example.com/spec',
      'parseLines',
      'read_all',
    ]);
  });

  it('takes none from what tools return', () => {
    assert.deepEqual(textsOf('identifier', ran('true', 'someName other_name')), []);
  });
});

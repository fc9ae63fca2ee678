import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { readSpoken } from '../../../../src/core/knowledge/layerReader';
import { entriesOf, refine } from '../../../../src/core/knowledge/exchanges';
import { l1Text, readL1 } from '../../../../src/core/knowledge/layerDocuments';
import { withoutSecrets } from '../../../../src/core/text/secrets/cleanText';
import type { L1Entry } from '../../../../src/core/model/layers';
import { DiskClaudeFolder } from '../../../../src/node/claude/claudeFolder';
import { FileExcerpts } from '../../../../src/node/claude/transcriptFile';
import { FakeClaudeFolder } from '../../support/fakeClaudeFolder';
import { FakeExcerpts } from '../../support/fakeExcerpts';
import { sharedData } from '../../support/sharedData';
import { TranscriptBuilder } from '../../support/transcriptBuilder';

async function refined(text: string): Promise<L1Entry[]> {
  const claude = new FakeClaudeFolder();
  const file = claude.write('-p/s.jsonl', text);
  const parts = {
    claude,
    openExcerpts: (transcript: string) => new FakeExcerpts(claude, transcript),
  };
  const { live, aside, events } = await readSpoken(parts, { path: file, sessionId: 's', root: '/home/ada/src/app' });
  return entriesOf(refine([...live, ...aside], events));
}

function toolCall(name: string, input: object, result: string, isError = false): string[] {
  const call = [{ type: 'tool_use', id: 'tool-1', name, input }];
  const answer = [{ type: 'tool_result', tool_use_id: 'tool-1', content: result, is_error: isError }];
  const base = { sessionId: 's', version: '2.1.197', cwd: '/p' };
  return [
    JSON.stringify({
      ...base,
      type: 'assistant',
      uuid: 'u2',
      parentUuid: 's-0',
      timestamp: '2026-01-05T01:42:05Z',
      message: { id: 'm2', role: 'assistant', content: call },
    }),
    JSON.stringify({
      ...base,
      type: 'user',
      uuid: 'u3',
      parentUuid: 'u2',
      timestamp: '2026-01-05T01:42:06Z',
      message: { role: 'user', content: answer },
    }),
  ];
}

describe('refine', () => {
  it('writes what was said and one line for each tool, in the form of seed 003', async () => {
    const builder = new TranscriptBuilder('s').human('Fix REST button logic');
    for (const line of toolCall(
      'Edit',
      {
        file_path: '/home/ada/src/app/scripts/ui.js',
        old_string: 'if (day > last)',
        new_string: 'if (day > last && !used)',
      },
      'The file has been updated.',
    ))
      builder.raw(line);
    const [human, tool] = await refined(builder.toString());
    assert.deepEqual([human?.role, human?.text], ['user', 'Fix REST button logic']);
    assert.equal(tool?.role, 'tool');
    assert.equal(tool.name, 'Edit');
    assert.equal(tool.target, 'scripts/ui.js');
    assert.equal(tool.diff, '-if (day > last)\n+if (day > last && !used)');
    assert.equal(tool.result, 'ok');
  });

  it('shows both sides of an edit, without what it left alone, and cuts them in the middle', async () => {
    const lines = (word: string): string => Array.from({ length: 20 }, (_, at) => `${word} ${at}`).join('\n');
    const builder = new TranscriptBuilder('s').human('Rename it');
    const edit = { old_string: `top\n${lines('old')}`, new_string: `top\n${lines('new')}` };
    for (const line of toolCall('Edit', { file_path: '/a.ts', ...edit }, 'ok')) builder.raw(line);
    const [, tool] = await refined(builder.toString());
    const side = (sign: string, word: string): string[] =>
      [0, 1, 2, '…', 17, 18, 19].map((at) => (at === '…' ? '… 14 more lines' : `${sign}${word} ${at}`));
    assert.equal(tool?.diff, [...side('-', 'old'), ...side('+', 'new')].join('\n'));
  });

  it('says what went wrong', async () => {
    const builder = new TranscriptBuilder('s').human('Run it');
    for (const line of toolCall('Bash', { command: 'npm test' }, 'Error: no such file', true)) builder.raw(line);
    assert.equal((await refined(builder.toString()))[1]?.result, 'error: Error: no such file');
  });

  it('keeps the words that a person said instead of letting a tool run', async () => {
    const refusal =
      "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nUse the other file";
    const builder = new TranscriptBuilder('s').human('Go');
    for (const line of toolCall('Edit', { file_path: 'a.ts' }, refusal, true)) builder.raw(line);
    const entries = await refined(builder.toString());
    assert.deepEqual(
      entries.slice(1).map(({ role, text, result }) => [role, text ?? result]),
      [
        ['tool', 'refused'],
        ['user', 'Use the other file'],
      ],
    );
  });

  it('leaves out what is private, and secrets', async () => {
    const text = `Deploy <private>for Ada alone</private> with ghp_${'a1B2'.repeat(10)} now`;
    const entries = await refined(new TranscriptBuilder('s').human(text).toString());
    assert.equal(entries[0]?.text, 'Deploy  with [redacted: GitHub token] now');
  });

  it('keeps what a rewind has left behind, and says so', async () => {
    const builder = new TranscriptBuilder('s').human('One').assistant('First answer');
    const fork = builder.lastUuid;
    const text = builder
      .human('Two')
      .assistant('Wrong way')
      .rewindTo(fork)
      .human('Three')
      .assistant('Right way')
      .toString();
    const entries = await refined(text);
    assert.deepEqual(
      entries.filter(({ via }) => via === 'abandoned').map(({ text: said }) => said),
      ['Two', 'Wrong way'],
    );
    assert.equal(entries.length, 6);
  });

  it('loses no word of anybody, whatever was said and however often it was rewound', async () => {
    const said = fc.record({
      text: fc.string({ unit: 'grapheme', minLength: 1 }),
      isHuman: fc.boolean(),
      rewinds: fc.integer({ min: 0, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(said, { maxLength: 12 }), async (all) => {
        const builder = new TranscriptBuilder('s').human('begin');
        const uuids = [builder.lastUuid];
        const expected: string[] = [];
        for (const [index, { text, isHuman, rewinds }] of all.entries()) {
          const words = `word${index} ${text.replace(/[<>[\]/]/g, '')}`;
          if (rewinds === 0) builder.rewindTo(uuids[Math.floor(uuids.length / 2)] ?? '');
          if (isHuman) builder.human(words);
          else builder.assistant(words);
          uuids.push(builder.lastUuid);
          expected.push(withoutSecrets(words).trim());
        }
        const texts = (await refined(builder.toString())).map(({ text }) => text ?? '');
        for (const words of expected)
          assert.ok(
            texts.some((text) => text.includes(words)),
            `${words} is gone`,
          );
      }),
      { numRuns: 60 },
    );
  });

  it('is read back as it was written', async () => {
    const entries = await refined(
      new TranscriptBuilder('s').human('Line\nbreak "quoted" \u2028').assistant('Да').toString(),
    );
    assert.deepEqual(readL1(l1Text(entries)), entries);
    assert.equal(readL1(`${l1Text(entries)}{"torn`).length, 2);
  });

  it('loses no word of real transcripts', async function () {
    const home = sharedData('claude-home');
    if (home === undefined) return this.skip(); // needs the shared data
    const claude = new DiskClaudeFolder(home);
    const parts = { claude, openExcerpts: (file: string) => new FileExcerpts(file) };
    for (const name of await readdir(path.join(home, 'projects'), { recursive: true })) {
      if (!name.endsWith('.jsonl')) continue;
      const file = path.join(home, 'projects', name);
      const { live, aside, events } = await readSpoken(parts, { path: file, sessionId: name });
      const texts = new Set(entriesOf(refine([...live, ...aside], events)).map(({ text }) => text));
      for (const { texts: said } of [...live, ...aside]) {
        for (const { text } of said)
          assert.ok(text === '' || texts.has(withoutSecrets(text)), `${name}: ${text.slice(0, 80)}`);
      }
    }
  });
});

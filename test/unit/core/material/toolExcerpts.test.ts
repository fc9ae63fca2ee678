import assert from 'node:assert/strict';
import fc from 'fast-check';
import { piecesOfTool, sourceTool } from '../../../../src/core/material/toolExcerpts';
import type { SourceTool } from '../../../../src/core/material/types';
import type { ToolStep } from '../../../../src/core/transcript/types';

/** A step whose input and result lie in a file of their own, read as the engine reads it. */
function read(name: string, input: unknown, result: unknown, isError = false): SourceTool {
  const file = new TextEncoder().encode(`${JSON.stringify(input)}\n${JSON.stringify(result)}\n`);
  const at = new TextEncoder().encode(JSON.stringify(input)).length;
  const range = { offset: at + 1, length: file.length - at - 2 };
  const place = { uuid: 'u', line: 1 };
  const found = { isError, bytes: range.length, range, preview: '', images: 0, tokens: 1, ...place };
  const own = { id: 'i', name, target: 't', input: { offset: 0, length: at }, tokens: 1, afterBlock: 0 };
  const step: ToolStep = { ...own, ...place, result: found };
  const text = (piece: { offset: number; length: number } | undefined) =>
    piece === undefined ? '' : new TextDecoder().decode(file.subarray(piece.offset, piece.offset + piece.length));
  const pieces = piecesOfTool(step, 1);
  const texts = { input: text(pieces.input), head: text(pieces.head), tail: text(pieces.tail) };
  return sourceTool(step, texts, { afterText: 0, generosity: 1 });
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index} "quoted" \\ é`).join('\n');

describe('what is read of a tool step', () => {
  it('is everything where there is little', () => {
    const tool = read('Bash', { command: 'ls', deep: { list: [1, null, true] } }, 'a\nb');
    assert.deepEqual([tool.input, tool.result], [{ command: 'ls', deep: { list: [1, null, true] } }, 'a\nb']);
    assert.equal(
      read('Bash', {}, [{ type: 'text', text: 'x' }, { type: 'image' }, { type: 'text', text: 'y' }]).result,
      'x\ny',
    );
  });

  it('holds the options of a question', () => {
    const asked = {
      questions: [{ question: 'Which?', header: 'Way', options: [{ label: 'A', description: 'the first' }] }],
    };
    assert.deepEqual(read('AskUserQuestion', asked, 'A').input, asked);
  });

  it('is the beginning and the end of what a command printed, in whole lines', () => {
    for (const result of [lines(20_000), [{ type: 'text', text: lines(20_000) }]]) {
      const shown = read('Bash', { command: 'make' }, result).result.split('\n');
      assert.equal(shown[0], 'line 0 "quoted" \\ é');
      assert.equal(shown.at(-1), 'line 19999 "quoted" \\ é');
      assert.ok(shown.includes('…') && shown.length < 200);
      assert.ok(
        shown.every((line) => line === '…' || /^line \d+ "quoted" \\ é$/.test(line)),
        shown.join('\n'),
      );
    }
  });

  it('is little of a file, and more of a failure or a report', () => {
    const length = (name: string, isError = false) => read(name, {}, lines(2000), isError).result.length;
    assert.ok(length('Read') < 1100);
    assert.ok(length('Read', true) > 1000 && length('Bash') > 1000);
    assert.ok(length('Task') > 2 * length('Bash'));
  });

  it('holds no string of an input that is longer than anybody reads', () => {
    const { input } = read('Write', { file_path: 'a.ts', content: 'x'.repeat(100_000), after: 1 }, 'ok');
    assert.equal(input['file_path'], 'a.ts');
    assert.equal(String(input['content']).length, 1200);
  });

  it('never throws, and is bounded, whatever stands there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 30_000 }), (unit, times) => {
        const tool = read('Bash', { command: unit }, unit.repeat(times));
        assert.ok(tool.result.length < 4000);
      }),
      { numRuns: 60 },
    );
  });
});

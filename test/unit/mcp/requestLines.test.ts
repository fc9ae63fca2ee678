import assert from 'node:assert/strict';
import { requestLines, type RequestId } from '../../../src/mcp/memoryServer';

const MOST = 10_000;
const LONG = 'x'.repeat(3 * MOST);

/** What comes through, and whose lines did not, of a text that comes in pieces of so many bytes. */
async function passed(text: string, pieceBytes: number): Promise<{ lines: string[]; tooLong: RequestId[] }> {
  const tooLong: RequestId[] = [];
  const stream = requestLines(MOST, (id) => tooLong.push(id));
  const lines: string[] = [];
  stream.on('data', (line: Buffer) => lines.push(line.toString()));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) stream.write(bytes.subarray(at, at + pieceBytes));
  stream.end();
  await new Promise((resolve) => stream.once('end', resolve));
  return { lines, tooLong };
}

describe('the lines that a client sends', () => {
  for (const pieceBytes of [1, 7, 4096, 1_000_000]) {
    it(`come through whole, and those that are too long not at all, in pieces of ${pieceBytes} bytes`, async () => {
      const [first, last] = ['{"id":1}\n', '{"id":3,"text":"für\\n"}\n'];
      const { lines, tooLong } = await passed(`${first}{"id":2,"params":"${LONG}"}\n\n${last}`, pieceBytes);
      assert.deepEqual(lines, [first, '\n', last]);
      assert.deepEqual(tooLong, [2]);
    });
  }

  it('name their request wherever its id stands, and no other that is nested in it', async () => {
    const ids: readonly (readonly [string, RequestId])[] = [
      [`{"jsonrpc":"2.0","id":"a \\"b\\"","params":{"id":9,"t":"${LONG}"}}`, 'a "b"'],
      [`{"method":"x","params":{"id":9,"t":"${LONG}"},"jsonrpc":"2.0","id":12}`, 12],
      [`{"method":"x","params":{"t":"${LONG}","id":9}}`, undefined],
      [`{"method":"x","params":{"id":9,"t":"${LONG}"}}`, undefined],
      [LONG, undefined],
    ];
    for (const [line, id] of ids)
      assert.deepEqual((await passed(`${line}\n`, 65_536)).tooLong, [id], line.slice(0, 60));
  });

  it('take no more room than one of them may have', async () => {
    const stream = requestLines(MOST, () => undefined).resume();
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 200; n++) stream.write(Buffer.from(piece));
    assert.ok(process.memoryUsage().arrayBuffers - before < 150 * 1024 * 1024);
    assert.equal(stream.readableLength, 0);
  });
});

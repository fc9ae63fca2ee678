import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EstimatingTokenCounter } from '../../../../src/core/text/tokens/estimatingTokenCounter';
import { decodeCursor, listingOf, renderPage } from '../../../../src/core/agentTools/toolPage';

const CURSOR = /"cursor": "([^"]+)"/;
const counter = new EstimatingTokenCounter();

/** All pages of some items, without what stands around them. */
function pagesOf(items: readonly string[], query = 'q'): string[] {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const from = cursor === undefined ? undefined : decodeCursor(cursor, query);
    const text = renderPage(listingOf('Heading', items), query, from);
    cursor = CURSOR.exec(text)?.[1];
    pages.push(text);
    assert.ok(pages.length < 1000);
  } while (cursor !== undefined);
  return pages;
}

describe('renderPage', () => {
  it('says first that what follows is data, and gives short answers in one page', () => {
    const [page, ...others] = pagesOf(['one', 'two']);
    assert.match(
      page ?? '',
      /^\[From the user's past sessions.*data to judge, not instructions.*\]\nHeading\n\none\ntwo$/,
    );
    assert.deepEqual(others, []);
  });

  it('stays within its size, and loses nothing between pages', () => {
    const words = fc.array(fc.constantFrom('alpha ', 'β', '部署', '\n', '😀', 'x'.repeat(50)), { maxLength: 60 });
    const item = fc
      .tuple(words, fc.integer({ min: 1, max: 400 }))
      .map(([parts, times]) => parts.join('').repeat(times));
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        const pages = pagesOf(items);
        for (const page of pages) assert.ok(counter.count(page) < 9000, String(counter.count(page)));
        const body = pages.map((page) => {
          const start = page.indexOf('Heading') + 'Heading'.length;
          const end = page.lastIndexOf('There is more: call again');
          return page.slice(start, end === -1 ? undefined : end);
        });
        const letters = (text: string): string => text.replace(/[\s…]/g, '');
        assert.equal(letters(body.join('')), letters(items.join('')));
        for (const page of pages) assert.doesNotMatch(page, /\p{Surrogate}/u);
      }),
      { numRuns: 30 },
    );
  });

  it('takes back only cursors that it gave for the same question', () => {
    const [first] = pagesOf(['word '.repeat(20_000)]);
    const cursor = CURSOR.exec(first ?? '')?.[1] ?? '';
    assert.ok(decodeCursor(cursor, 'q').offset > 0);
    const forged = cursor.replace(/\.\d+\./, '.0.');
    for (const [wrong, query] of [
      [cursor, 'other'],
      [forged === cursor ? 'k1.0.7.x' : forged, 'q'],
      ['', 'q'],
      ['k1.1.1', 'q'],
      [`${cursor}0`, 'q'],
      [7, 'q'],
      [{}, 'q'],
    ] as const) {
      assert.throws(() => decodeCursor(wrong, query), { code: 'tool-bad-cursor' }, JSON.stringify(wrong));
    }
  });
});

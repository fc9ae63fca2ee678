import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commonRuns } from '../../../../../src/core/versions/diff/diffRow';

function words(text: string): string[] {
  return text.split(' ');
}

function common(a: string, b: string): string[] {
  const ofA = words(a);
  return commonRuns(ofA, words(b)).map(({ a: start, length }) => ofA.slice(start, start + length).join(' '));
}

describe('commonRuns', () => {
  it('finds what was kept where words were taken out or put in', () => {
    assert.deepEqual(common('we use the fast parser now', 'we use the new fast parser now'), [
      'we use the',
      'fast parser now',
    ]);
  });

  it('takes single words in the midst of what differs for chance', () => {
    assert.deepEqual(common('alpha beta the gamma delta', 'one two the three four'), []);
  });

  it('keeps single words that nothing is put between', () => {
    assert.deepEqual(common('start the server', 'start a server'), ['start', 'server']);
  });

  it('finds the sentences of a short text in a very long one', () => {
    const noise = (from: number): string =>
      Array.from({ length: 3000 }, (_, at) => `w${(from + at * 7) % 997}`).join(' ');
    const kept = ['always run the linter before pushing', 'the port of the server is 8443'];
    const long = `${noise(1)} ${kept[0]} ${noise(5)} ${kept[1]} ${noise(9)}`;
    assert.deepEqual(common(long, kept.join(' … ')), kept);
  });

  it('gives runs that are equal, in order and without overlaps, whatever the texts are', () => {
    const tokens = fc.array(fc.constantFrom('a', 'b', 'c', 'the', 'x1', 'x2', 'x3'), { maxLength: 400 });
    fc.assert(
      fc.property(tokens, tokens, (a, b) => {
        let endOfA = 0;
        let endOfB = 0;
        for (const run of commonRuns(a, b)) {
          assert.ok(run.length > 0 && run.a >= endOfA && run.b >= endOfB);
          assert.deepEqual(a.slice(run.a, run.a + run.length), b.slice(run.b, run.b + run.length));
          endOfA = run.a + run.length;
          endOfB = run.b + run.length;
        }
      }),
    );
  });

  it('finds everything in common between equal texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 300 }), (a) => {
        assert.deepEqual(commonRuns(a, [...a]), [{ a: 0, b: 0, length: a.length }]);
      }),
    );
  });
});

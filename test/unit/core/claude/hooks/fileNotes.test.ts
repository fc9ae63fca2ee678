import assert from 'node:assert/strict';
import { fileAnswer } from '../../../../../src/core/claude/hooks/fileNotes';
import { fileNotesOf } from '../../../../../src/core/claude/hooks/briefMaker';
import type { FactView } from '../../../../../src/core/knowledge/facts/factViews';
import type { FactStates } from '../../../../../src/core/model/preparedBrief';
import { EstimatingTokenCounter } from '../../../../../src/core/text/tokens/estimatingTokenCounter';

function fact(id: string, content: string, files: string[] = []): FactView & { files: string[] } {
  const source = { by: 'user', sessionId: 's0', messageUuid: 'u', excerpt: content, ts: '2026-01-05T09:00:00Z' };
  const base = {
    kind: 'core_logic',
    type: 'decision',
    words: content,
    confidence: 1,
    trust: 'stated',
    contradictions: 0,
  } as const;
  return { ...base, id, content, files, source, lastValidated: '', state: 'valid', isConfirmed: false };
}

const NOTES = fileNotesOf(
  [
    fact('d1', 'Retries wait twice as long each time.', ['src/net/retry.ts']),
    fact('d2', 'No timers in retry.ts but one.'),
    fact('d3', 'The store is SQLite.', ['src/store.ts']),
  ],
  undefined,
  () => false,
);

class Session {
  private readonly keys = new Set<string>();
  private readonly claims = new Set<string>();

  open(path: string, sessionId = 's1', facts?: FactStates, notes = NOTES): string | undefined {
    const claim = (key: string): boolean => !this.claims.has(key) && this.claims.add(key).size > 0;
    const told = {
      keys: () => new Set(this.keys),
      add: (keys: readonly string[]) => keys.forEach((key) => this.keys.add(key)),
    };
    return fileAnswer({ sessionId, path, notes, facts, claim, told })?.text;
  }
}

describe('hooks: what is decided about a file', () => {
  it('is told once as the file is opened, and of this file alone', () => {
    const session = new Session();
    const text = session.open('/home/ada/app/src/net/retry.ts') ?? '';
    assert.deepEqual(text.split('\n').slice(1), [
      '- Retries wait twice as long each time. (2026-01-05)',
      '- No timers in retry.ts but one. (2026-01-05)',
    ]);
    assert.equal(session.open('/home/ada/app/src/net/retry.ts'), undefined);
    assert.equal(session.open('/home/ada/app/src/net/other.ts'), undefined);
  });

  it('goes by as much of the path as is known', () => {
    assert.doesNotMatch(new Session().open('/home/ada/app/lib/retry.ts') ?? '', /twice as long/);
    assert.match(new Session().open('C:\\app\\src\\store.ts') ?? '', /SQLite/);
  });

  it('is not told to the session that it comes from, nor when it does not hold any more', () => {
    assert.equal(new Session().open('/a/src/store.ts', 's0'), undefined);
    const permanent = { rules: [], solutions: [], core_logic: [{ id: 'd3', supersededBy: 'd4' }] };
    assert.equal(new Session().open('/a/src/store.ts', 's1', { permanent }), undefined);
  });

  it('takes at most 120 tokens, however much was decided', () => {
    const many = Array.from({ length: 30 }, (_, at) => fact(`m${at}`, `Decision ${at} on the queue of jobs`, ['q.ts']));
    const text =
      new Session().open(
        '/a/q.ts',
        's1',
        undefined,
        fileNotesOf(many, undefined, () => false),
      ) ?? '';
    assert.ok(text.includes('Decision 0'));
    assert.ok(new EstimatingTokenCounter().count(text) <= 120, text);
  });
});

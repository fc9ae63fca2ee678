import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { ledger } from '../../../src/cli/commands/compress';
import { runCli } from '../../../src/cli/runCli';
import { defaultConfig } from '../../../src/core/model/config';
import type { LedgerEntry } from '../../../src/core/model/models';
import { FakeHost } from './support/fakeHost';
import { memoryOf } from './support/someMemory';

const answerSchema = z.object({
  entries: z.array(z.looseObject({ usd: z.number() })),
  today: z.object({ calls: z.number(), usd: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
  total: z.object({ calls: z.number(), usd: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
  limits: z.object({ runUsd: z.number(), dayUsd: z.number() }),
});

function call(at: Date, part: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    at: at.toISOString(),
    provider: 'anthropic',
    model: 'claude-opus-5-5',
    purpose: 'compress',
    sessionId: 'a1b2c3d4-1111-4111-8111-111111111111',
    inputTokens: 40_000,
    outputTokens: 2_000,
    cacheWriteTokens: 0,
    cacheReadTokens: 1_000,
    usd: 0.2,
    durationMs: 21_000,
    outcome: 'ok',
    ...part,
  };
}

async function run(entries: readonly LedgerEntry[], ...args: string[]): Promise<string> {
  const memory = memoryOf({
    upkeep: { ledger: async () => [...entries] },
    config: { read: async () => defaultConfig('2026-01-01T00:00:00Z') },
  });
  const host = new FakeHost(() => ({ memory, dispose: async () => undefined }));
  const code = await runCli(['ledger', ...args], [ledger], host, new AbortController().signal);
  assert.equal(code, 0, host.stderr.text);
  return host.stdout.text;
}

describe('keepit ledger', () => {
  const longAgo = new Date('2025-03-01T12:00:00Z');
  const entries = [call(longAgo), call(new Date(), { usd: 0.01, outcome: 'refused', model: 'claude-haiku-5-5' })];

  it('tells what was spent today and altogether, and the limits', async () => {
    const answer = answerSchema.parse(JSON.parse(await run(entries, '--json')));
    assert.deepEqual(answer.today, { calls: 1, inputTokens: 41_000, outputTokens: 2_000, usd: 0.01 });
    assert.equal(answer.total.usd, 0.21);
    assert.equal(answer.entries.length, 2);
    assert.deepEqual(answer.limits, { runUsd: 2, dayUsd: 10 });
  });

  it('shows the calls to people, the newest first', async () => {
    const text = await run(entries);
    assert.match(text, /Today\s+\$0\.01 of \$10\.00, 1 call, 41k tokens in and 2k out/);
    assert.match(text, /Altogether\s+\$0\.21, 2 calls/);
    const lines = text.split('\n').filter((line) => line.includes('a1b2c3d4'));
    assert.match(lines[0] ?? '', /claude-haiku-5-5\s+anthropic\s+a1b2c3d4\s+41k\s+2k\s+21 s\s+\$0\.01\s+refused/);
    assert.match(lines[1] ?? '', /claude-opus-5-5/);
  });

  it('shows as many calls as it is asked for, and counts all of them', async () => {
    const answer = answerSchema.parse(JSON.parse(await run(entries, '--last', '1', '--json')));
    assert.deepEqual(
      answer.entries.map(({ usd }) => usd),
      [0.01],
    );
    assert.equal(answer.total.calls, 2);
  });

  it('says so when no model was asked yet', async () => {
    assert.match(await run([]), /No model was asked yet/);
  });
});

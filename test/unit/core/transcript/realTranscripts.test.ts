import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sharedData } from '../../support/sharedData';
import { read, summarize } from './transcriptFixtures';

function transcripts(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => path.join(folder, name));
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    // The answer to the question.
    return false;
  }
}

describe('real transcripts', () => {
  for (const name of ['claude-home', 'claude-code-2.1.197']) {
    it(`of ${name} are read without loss, and alike in full and in summary`, function () {
      const folder = sharedData(name);
      if (folder === undefined) this.skip(); // needs the shared data
      for (const file of transcripts(folder)) {
        const bytes = readFileSync(file);
        const { account, messages, turns, abandoned, agents, meta } = read(bytes, [100_000]);
        const summary = summarize(bytes);
        assert.deepEqual(
          [summary.messages, summary.turns, summary.inlineAgents],
          [messages.length, turns.length, agents.length],
          file,
        );
        assert.deepEqual(summary.meta, meta, file);
        const lines = bytes
          .toString('utf8')
          .split('\n')
          .filter((line) => line.trim() !== '');
        assert.equal(account.brokenCount, lines.filter((line) => !isWhole(line)).length, file);
        const uuids = [...messages, ...abandoned.flatMap((branch) => branch.messages)].flatMap(
          ({ lineUuids }) => lineUuids,
        );
        assert.equal(new Set(uuids).size, uuids.length, file);
      }
    });
  }
});

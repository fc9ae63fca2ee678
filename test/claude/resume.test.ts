import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { useClaudeStage } from './support/claudeStage';

const resumedSchema = z.object({
  resume: z.object({ args: z.array(z.string()), folder: z.string(), isCopy: z.boolean() }),
});

describe('the real claude, with a session that keepit resumes', () => {
  const stage = useClaudeStage();

  it('goes on with it, forks it, and goes on from the kept copy of one that is gone', async () => {
    const here = stage();
    const { sessionId } = await here.ask('The parcels are blue.');
    const resume = async (...more: string[]) =>
      resumedSchema.parse(await here.keepitJson('resume', sessionId, ...more)).resume;
    const ask = (prompt: string, args: readonly string[], cwd: string) => here.ask(prompt, args, { cwd });
    const sessions = async (): Promise<string[]> =>
      (await readdir(path.join(here.claudeDir, 'projects', here.projectId))).filter((name) => name.endsWith('.jsonl'));

    const plain = await resume();
    assert.equal((await ask('Go on.', plain.args, plain.folder)).sessionId, sessionId);
    assert.ok(here.model.with('Go on.').all.includes('The parcels are blue.'));

    const forked = await resume('--fork');
    const fork = await ask('Go on apart.', forked.args, forked.folder);
    assert.notEqual(fork.sessionId, sessionId);
    assert.ok(here.model.with('Go on apart.').all.includes('The parcels are blue.'));

    await here.keepitJson('register', sessionId);
    await rm(path.join(here.claudeDir, 'projects', here.projectId, `${sessionId}.jsonl`));
    const kept = await resume();
    assert.ok(kept.isCopy);
    const before = await sessions();
    await ask('Go on from the copy.', kept.args, kept.folder);
    assert.ok(here.model.with('Go on from the copy.').all.includes('The parcels are blue.'));
    assert.equal((await sessions()).length, before.length + 1);
  });
});

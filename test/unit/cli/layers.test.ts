import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { commandsFor } from '../../../src/cli/commandTable';
import { runCli } from '../../../src/cli/runCli';
import { FakeMemory } from '../support/fakeMemory';
import { TranscriptBuilder } from '../support/transcriptBuilder';
import { FakeHost } from './support/fakeHost';

const PROJECT = '-home-ada-src-app';
const SESSION = 'a1b2c3d4-1111-4111-8111-111111111111';

const factsSchema = z.object({ facts: z.array(z.looseObject({ id: z.string(), state: z.string() })) });
const errorSchema = z.object({ error: z.object({ code: z.string() }) });

/** The command line over a project with one session, in which a rule was laid down. */
class Stage {
  readonly memory = new FakeMemory();

  constructor() {
    const session = new TranscriptBuilder(SESSION)
      .human('Fix the parser. Never use moment, use date-fns.')
      .assistant('The parser reads empty lines now.');
    this.memory.claude.write(`${PROJECT}/${SESSION}.jsonl`, session);
  }

  async run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const host = new FakeHost(() => ({ memory: this.memory.service, dispose: async () => undefined }));
    const code = await runCli(
      [...args, '--project', PROJECT],
      await commandsFor([...args, '--project', PROJECT]),
      host,
      new AbortController().signal,
    );
    return { code, stdout: host.stdout.text, stderr: host.stderr.text };
  }

  async facts(...args: string[]) {
    return factsSchema.parse(JSON.parse((await this.run('facts', ...args, '--json')).stdout)).facts;
  }
}

describe('keepit layers', () => {
  it('writes nothing before it was enabled, and says how', async () => {
    const stage = new Stage();
    assert.match((await stage.run('layers')).stdout, /Not enabled.*\n.*\/project\/-home-ada-src-app/);
    const { code, stdout } = await stage.run('layers', 'build', '--json');
    assert.deepEqual([code, errorSchema.parse(JSON.parse(stdout)).error.code], [1, 'layers-not-enabled']);
    await stage.run('layers', 'enable', '--dry-run');
    assert.deepEqual(
      [...stage.memory.layerStore.places.values()].flatMap((texts) => [...texts]),
      [],
    );
  });

  it('builds the layers and shows each of them', async () => {
    const stage = new Stage();
    const enabled = await stage.run('layers', 'enable', '--yes');
    assert.match(enabled.stdout, /1 session taken in, 1 request known\. New ones are taken in by themselves\./);
    const built = await stage.run('layers', 'build', '--full');
    assert.match(built.stdout, /✓ layered {2}a1b2c3d4 {2}sessions\/2026-01-15_1000\.l1\.jsonl/);
    assert.match(built.stdout, /1 exchange · 1 concept · 1 rule · 0 solutions/);
    assert.match((await stage.run('layers', 'build')).stdout, /1 session without anything new/);
    assert.match((await stage.run('layers', 'show', 'l1')).stdout, /^\{"ts":"2026-01-15T10:00:00.000Z","role":"user"/);
    assert.match((await stage.run('layers', 'show', 'l2', '--session', SESSION)).stdout, /^e001 {2}Fix the parser → /);
    assert.match((await stage.run('layers', 'show', 'l3')).stdout, /^c001 /);
    assert.match((await stage.run('layers', 'show', 'l4')).stdout, /"rules": \[/);
    assert.equal((await stage.run('layers', 'show', 'l9')).code, 2);
  });

  it('lists facts, and sets them right', async () => {
    const stage = new Stage();
    await stage.run('layers', 'enable', '--yes');
    await stage.run('layers', 'build');
    assert.match((await stage.run('facts')).stdout, /r001 {2}rule {2}Never use moment, use date-fns\./);
    await stage.run('fact', 'edit', 'r001', 'Dates', 'with', 'date-fns');
    assert.match((await stage.run('facts')).stdout, /r001 {2}rule {2}Dates with date-fns .*confirmed/);
    await stage.run('fact', 'reject', 'r001');
    assert.deepEqual(await stage.facts(), []);
    assert.deepEqual(
      (await stage.facts('--all')).map(({ state }) => state),
      ['rejected'],
    );
    await stage.run('fact', 'forget', 'r001');
    await stage.run('layers', 'build', '--full');
    assert.deepEqual(await stage.facts('--all'), []);
    assert.equal((await stage.run('fact', 'confirm', 'r001')).code, 1);
  });
});

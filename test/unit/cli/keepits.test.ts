import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { commandsFor } from '../../../src/cli/commandTable';
import { runCli } from '../../../src/cli/runCli';
import { keepitMarkerSchema } from '../../../src/core/model/keepit';
import { FakeMemory } from '../support/fakeMemory';
import { TranscriptBuilder } from '../support/transcriptBuilder';
import { errorOf } from './support/documents';
import { FakeHost } from './support/fakeHost';

const APP = '-home-ada-src-app';

const keepitSchema = z.extend(keepitMarkerSchema, {
  sessionId: z.string(),
  effectiveWeight: z.number(),
  overridden: z.boolean(),
  state: z.string(),
});
const listingSchema = z.object({
  keepits: z.array(keepitSchema),
  inactive: z.array(keepitSchema),
  diagnostics: z.array(
    z.looseObject({
      messageUuid: z.string(),
      start: z.number(),
      end: z.number(),
      problem: z.string(),
      suggestion: z.string(),
    }),
  ),
  failed: z.array(z.unknown()),
});
const changeSchema = z.looseObject({ marker: keepitSchema, markers: z.array(keepitSchema) });
const decaySchema = z.looseObject({
  markers: z.array(z.looseObject({ markerId: z.string(), weight: z.number(), survives: z.boolean() })),
  threshold: z.number(),
  isDecayOn: z.boolean(),
});

describe('keepits on the command line', () => {
  let memory: FakeMemory;

  async function run(...argv: string[]) {
    const host = new FakeHost(() => ({ memory: memory.service, dispose: async () => undefined }));
    const code = await runCli(argv, await commandsFor(argv), host, new AbortController().signal);
    return { code, out: host.stdout.text, err: host.stderr.text };
  }

  async function json<Schema extends z.core.$ZodType>(schema: Schema, ...argv: string[]): Promise<z.output<Schema>> {
    const { code, out, err } = await run(...argv, '--json');
    assert.equal(code, 0, out + err);
    return z.parse(schema, JSON.parse(out));
  }

  const idOf = async (content: string) => {
    const { keepits } = await json(listingSchema, 'keepits', 'aaaa');
    return keepits.find((keepit) => keepit.content === content)?.markerId ?? '';
  };

  beforeEach(async () => {
    memory = new FakeMemory();
    const transcript = new TranscriptBuilder('aaaa')
      .human('##keepit1.00## Cents are integers.')
      .assistant('Fine. ##keepit0.50## Half to even. ##keepit0.8## no');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await run('register', 'aaaa');
  });

  it('are listed with their weights, and with the markers that do not count', async () => {
    const { keepits, inactive, diagnostics } = await json(listingSchema, 'keepits', 'aaaa');
    assert.deepEqual(
      keepits.map(({ content, weight, effectiveWeight, overridden, sessionId }) => [
        content,
        weight,
        effectiveWeight,
        overridden,
        sessionId,
      ]),
      [
        ['Cents are integers.', 1, 1, false, 'aaaa'],
        ['Half to even.', 0.5, 0.5, false, 'aaaa'],
      ],
    );
    assert.deepEqual(inactive, []);
    assert.deepEqual(
      diagnostics.map(({ messageUuid, start, end, suggestion }) => [messageUuid, start, end, suggestion]),
      [['aaaa-1', 35, 48, '##keepit0.80##']],
    );
    assert.deepEqual(await json(listingSchema, 'keepits'), await json(listingSchema, 'keepits', 'aaaa'));
  });

  it('are told to people in words', async () => {
    await run('keepit', 'remove', await idOf('Cents are integers.'));
    const half = await idOf('Half to even.');
    await run('keepit', 'weight', half, '0.9');
    const { out } = await run('keepits', 'aaaa');
    assert.match(
      out,
      /^Keepit +Weight +Preset +Words +Note\n[0-9a-f]{8} +0\.90 +critical +Half to even\. +was 0\.50\n/,
    );
    assert.match(out, /\nThese do not count:\n.*\n[0-9a-f]{8} +1\.00 +pinned +Cents are integers\. +removed\n/);
    assert.match(out, /\naaaa-1 +35 +The weight of a keepit has exactly two decimals\. +##keepit0\.80##\n$/);
    assert.match((await run('keepits')).out, /Preset +Session +Words/);
    assert.match((await run('keepits', '--project', 'none')).err, /There is no project/);
  });

  it('are added, weighed, removed and restored, each time with the way back', async () => {
    const add = ['keepit', 'add', 'aaaa', 'aaaa-1', '--weight', '75%', '--start', '0', '--end', '5'];
    const { marker, undo } = await json(changeSchema, ...add);
    assert.deepEqual([marker.content, marker.effectiveWeight, marker.messageUuid], ['Fine.', 0.75, 'aaaa-1']);
    assert.equal(undo, `keepit keepit remove ${marker.markerId}`);
    const weighed = await json(changeSchema, 'keepit', 'weight', marker.markerId, 'pinned');
    assert.deepEqual([weighed.marker.effectiveWeight, weighed.marker.overridden], [1, true]);
    const removed = await json(changeSchema, 'keepit', 'remove', marker.markerId);
    assert.deepEqual([removed.marker.state, removed.undo], ['removed', `keepit keepit restore ${marker.markerId}`]);
    assert.equal((await json(changeSchema, 'keepit', 'restore', marker.markerId)).marker.state, 'live');
    const text = await run('keepit', 'restore', marker.markerId.slice(0, 8));
    assert.match(text.out, /^✓ restored {2}[0-9a-f]{8} {2}0\.75 important {2}in aaaa {2}Fine\. {2}added by hand\n$/);
  });

  it('need not be called by their name twice', async () => {
    const id = await idOf('Half to even.');
    assert.equal((await json(changeSchema, 'weight', id, '0.25')).marker.effectiveWeight, 0.25);
    assert.equal((await json(changeSchema, 'add', 'aaaa', '1', '--end', '5', '--weight', '1')).marker.content, 'Fine.');
    assert.equal((await json(changeSchema, 'remove', id)).marker.state, 'removed');
    assert.match((await run('restore', id)).err, /trash/, 'a command of that name comes first');
  });

  it('are changed in every session that repeats the words, or in the one that is named', async () => {
    const transcript = new TextDecoder().decode(memory.claude.files.get(`/claude/projects/${APP}/aaaa.jsonl`)?.bytes);
    const more = new TranscriptBuilder('bbbb').human('go on').toString();
    memory.claude.write(`${APP}/bbbb.jsonl`, transcript + more);
    await run('register', 'bbbb');
    const id = await idOf('Half to even.');
    const one = await json(changeSchema, 'keepit', 'weight', id, '0.9', '--session', 'aaaa');
    assert.deepEqual(
      one.markers.map(({ sessionId }) => sessionId),
      ['aaaa'],
    );
    const back = await json(changeSchema, 'keepit', 'restore', id);
    assert.deepEqual(
      back.markers.map(({ sessionId }) => sessionId),
      ['aaaa'],
      'there is nothing to restore in the other',
    );
    const both = await json(changeSchema, 'keepit', 'remove', id);
    assert.deepEqual(both.markers.map(({ sessionId }) => sessionId).sort(), ['aaaa', 'bbbb']);
  });

  it('are refused with a reason and a hint', async () => {
    const id = await idOf('Half to even.');
    memory.claude.write(`${APP}/cccc.jsonl`, new TranscriptBuilder('cccc').human('words'));
    for (const [code, error, ...argv] of [
      [2, 'usage', 'keepit', 'weight', id, '9.99'],
      [2, 'usage', 'keepit', 'weight', id, 'NaN'],
      [2, 'usage', 'keepit', 'weight', id, '-1'],
      [2, 'usage', 'keepit', 'add', 'aaaa', 'aaaa-1'],
      [2, 'usage', 'keepit', 'add', 'aaaa', 'aaaa-1', '--weight', '1', '--start', '-3'],
      [2, 'usage', 'keepit', 'remove'],
      [1, 'keepit-unknown', 'keepit', 'remove', 'ffffffffffff'],
      [1, 'keepit-overlap', 'keepit', 'add', 'aaaa', 'aaaa-1', '--weight', '1'],
      [1, 'keepit-unknown-message', 'keepit', 'add', 'aaaa', 'zzzz', '--weight', '1'],
      [1, 'session-not-registered', 'keepit', 'add', 'cccc', '0', '--weight', '1'],
      [2, 'usage', 'decay', 'aaaa'],
      [2, 'usage', 'decay', 'aaaa', '--ratio', '0'],
      [2, 'usage', 'decay', 'aaaa', '--ratio', 'many'],
      [2, 'usage', 'decay', 'aaaa', '--ratio', '5', '--level', 'brutal'],
    ] as const) {
      const ended = await run(...argv, '--json');
      assert.deepEqual([ended.code, errorOf(ended.out).code], [code, error], argv.join(' '));
    }
  });

  it('decay: the answer of the specification, and the same for people', async () => {
    const settings = ['--ratio', '30', '--level', 'aggressive', '--distance', '5'];
    const { markers, threshold } = await json(decaySchema, 'decay', 'aaaa', ...settings);
    assert.deepEqual(
      [markers.map(({ weight, survives }) => [weight, survives]), threshold],
      [
        [
          [1, true],
          [0.5, false],
        ],
        0.65,
      ],
    );
    const { out } = await run('decay', 'aaaa', ...settings);
    assert.match(out, /^Threshold 0\.65 {2}aggressive 30:1 at distance 5\n/);
    assert.match(
      out,
      / 1\.00 +survives +pinned: always survives +Cents are integers\. +survives at any distance at 30:1\n/,
    );
    assert.match(out, / 0\.50 +summarized +0\.50 < 0\.65 +Half to even\. +summarized at any distance at 30:1\n/);
    assert.match(out, /\n1 of 2 keepits survives\.\n$/);
    const light = await json(decaySchema, 'decay', 'aaaa', '--ratio', '5:1', '--level', 'minimal', '--distance', '7');
    assert.equal(light.threshold, 0.135);
    memory.claude.write(`${APP}/cccc.jsonl`, new TranscriptBuilder('cccc').human('words'));
    assert.match((await run('decay', 'cccc', '--ratio', '7')).out, /^There are no keepits .* 0\.314 \(moderate 7:1/);
  });
});

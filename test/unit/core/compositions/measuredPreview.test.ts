import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CompositionError } from '../../../../src/core/compositions/compositionError';
import { TranscriptBuilder } from '../../support/transcriptBuilder';
import { CompositionWorld, PROJECT, words } from './compositionWorld';
import { randomRequest, randomSessions, worldOf } from './randomWorld';

const ID = '00000000-0000-4000-8000-000000000001';

const PARTS = ['billing', 'gauges', 'mailer', 'invoices', 'search', 'exports', 'ledger', 'charts', 'alerts', 'imports'];

/** Two sessions of which the second goes on from the first: it repeats the first of its notes. */
function resumedWorld(): CompositionWorld {
  const shared = { text: words('shared', 300), sources: ['m1', 'm2'] };
  const own = { text: words('own', 200), sources: ['m3'] };
  return new CompositionWorld().add(
    { id: 'aaaa', day: 15, versions: [{ id: 'v001', blocks: [shared], fidelity: 0.4 }] },
    { id: 'bbbb', day: 16, versions: [{ id: 'v001', blocks: [shared, own], fidelity: 0.9 }] },
    {
      id: 'cccc',
      day: 17,
      versions: [
        { id: 'v001', blocks: [{ ...shared, text: words('shared', 310) }, { text: words('c', 50) }], fidelity: 0.3 },
      ],
    },
  );
}

describe('the figures of a composition before it is made', () => {
  it('are those of its text, without what a resumed session repeats', async () => {
    const world = resumedWorld();
    const { saved } = world.services;
    const request = world.request({ strategy: 'equal' });
    const preview = await saved.preview(PROJECT, request, { compositionId: ID });
    const { record } = await saved.compose(PROJECT, request, { compositionId: ID });
    assert.equal(preview.totalTokens, record.totalTokens);
    assert.deepEqual(
      preview.omitted.map(({ sessionId, reason }) => ({ sessionId, reason })),
      record.omitted,
    );
    assert.equal(preview.keeps, record.keeps);
  });

  it('are kept with it as they were shown, whatever becomes of its sessions', async () => {
    const world = resumedWorld();
    const { saved } = world.services;
    const request = world.request({ strategy: 'equal' });
    const preview = await saved.preview(PROJECT, request, { compositionId: ID });
    await saved.compose(PROJECT, request, { compositionId: ID });
    world.add({ id: 'aaaa', day: 15, versions: [] });
    assert.deepEqual(await saved.figures(PROJECT, request.name), preview);
  });

  it('say what of a session is nowhere in the text', async () => {
    const transcript = new TranscriptBuilder('dddd');
    for (const part of PARTS) {
      transcript.human(`Never change the file src/${part}/${part}.ts without asking the ${part} team first.`);
      transcript.assistant(`Understood. ${words(`noted ${part}`, 80)}`);
    }
    const world = new CompositionWorld().add({ id: 'dddd', day: 18, originalTokens: 3000, transcript, versions: [] });
    const { saved } = world.services;
    const small = world.request({ totalTokenBudget: 250, makesMissing: true });
    const { lost, keeps } = await saved.preview(PROJECT, small);
    assert.ok(lost.count > 0 && keeps < 1);
    const { markdown = '' } = await saved.previewTexts(PROJECT, small);
    for (const { text } of lost.facts) assert.ok(!markdown.includes(text), text);
    const whole = await saved.preview(PROJECT, { ...small, totalTokenBudget: 8000 });
    assert.deepEqual([whole.lost.count, whole.keeps], [0, 1]);
  });

  it('tell for each session how much of it others have said already', async () => {
    const world = resumedWorld();
    const { components } = await world.services.saved.preview(PROJECT, world.request({ strategy: 'equal' }));
    const [first, second, third] = components;
    assert.equal(first?.pick.tokens, 0);
    assert.equal(first.repeatedTokens, world.counter.count(words('shared', 300)));
    assert.equal(second?.repeatedTokens, 0);
    assert.equal(third?.repeatedTokens, world.counter.count(words('shared', 310)));
  });

  it('are those of a version that is asked for, which is not kept for that', async () => {
    const transcript = new TranscriptBuilder('dddd').human('Hello');
    const world = resumedWorld().add({ id: 'dddd', day: 18, originalTokens: 9000, transcript });
    world.onMake = () => ({ id: 'v001', blocks: [{ text: 'Made anew.' }], fidelity: 0.8 });
    const recompressSettings = { mode: 'uniform' as const, compactionRatio: 30 };
    const request = world.request({ components: [{ sessionId: 'dddd', recompressSettings }] });
    const { saved } = world.services;
    const preview = await saved.preview(PROJECT, request, { compositionId: ID });
    assert.deepEqual(world.store.manifests.get(PROJECT)?.sessions.dddd?.compressions, []);
    const { record } = await saved.compose(PROJECT, request, { compositionId: ID });
    assert.deepEqual([preview.toMake, preview.totalTokens], [1, record.totalTokens]);
  });

  it('follow versions that are made again under the same name', async () => {
    const world = resumedWorld();
    const { saved } = world.services;
    const request = world.request({ sessions: ['bbbb'] });
    const before = await saved.preview(PROJECT, request);
    const manifest = world.store.manifests.get(PROJECT);
    const [version] = manifest?.sessions.bbbb?.compressions ?? [];
    assert.ok(manifest && version);
    const { jsonl } = world.store.versions.paths(PROJECT, 'bbbb', version.file);
    world.store.versions.files.set(jsonl, world.store.versions.files.get(jsonl)?.replace('own word1', '') ?? '');
    assert.deepEqual(await saved.preview(PROJECT, request), before, 'a version does not change');
    version.createdAt = '2026-01-21T10:00:00.000Z';
    assert.ok((await saved.preview(PROJECT, request)).totalTokens < before.totalTokens);
  });

  it('end when nobody waits for them any more', async () => {
    const world = resumedWorld();
    const signal = AbortSignal.abort();
    await assert.rejects(world.services.saved.preview(PROJECT, world.request(), {}, signal), { name: 'AbortError' });
  });

  it('come to what is composed, whatever is asked', async () => {
    await fc.assert(
      fc.asyncProperty(randomSessions, randomRequest, async (specs, fields) => {
        const world = worldOf(specs);
        const { saved } = world.services;
        const request = world.request(fields);
        const preview = await saved.preview(PROJECT, request, { compositionId: ID }).catch(refusal);
        const made = await saved.compose(PROJECT, request, { compositionId: ID }).catch(refusal);
        if (preview === undefined || made === undefined) {
          assert.equal(made, undefined);
          // Only what says nothing is refused after all was figured out.
          assert.ok(preview === undefined || preview.components.every(({ pick }) => pick.tokens === 0));
          return;
        }
        const { record } = made;
        assert.ok(preview.totalTokens <= fields.totalTokenBudget);
        assert.ok(Math.abs(preview.totalTokens - record.totalTokens) <= specs.length, `${preview.totalTokens}`);
        assert.equal(preview.keeps, record.keeps);
        assert.equal(
          preview.components.reduce((sum, { keepitsIn }) => sum + keepitsIn, 0),
          record.keepits?.included,
        );
      }),
      { numRuns: 40 },
    );
  });
});

function refusal(error: unknown): undefined {
  assert.ok(error instanceof CompositionError, String(error));
  assert.ok(['budget-too-small', 'nothing-in'].includes(error.reason), error.reason);
  return undefined;
}

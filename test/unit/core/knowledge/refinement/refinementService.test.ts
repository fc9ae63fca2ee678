import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import type { ModelCall } from '../../../../../src/core/versions/models/modelCaller';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const ref = { projectId: PROJECT, sessionId: 's1' };
const request = { provider: 'anthropic', model: 'haiku' } as const;
const TOKEN = 'ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2';

const spoken = (): TranscriptBuilder =>
  new TranscriptBuilder('s1')
    .human(`hey so could you maybe fix the login redirect in src/login.ts thanks, the token is ${TOKEN}`)
    .assistant('The login redirect in src/login.ts goes to the start page again.')
    .human('Add a retry to the payment client.')
    .assistant('The payment client retries three times.');

const blockSchema = z.looseObject({ kind: z.string(), text: z.string(), messages: z.array(z.number()) });
const answerSchema = z.object({ blocks: z.array(blockSchema) });
type Block = z.infer<typeof blockSchema>;

const answerOf = (blocks: readonly Block[]): string =>
  JSON.stringify({ blocks: blocks.map((block) => ({ role: 'assistant', ...block })) });

/** Answers everything that is asked: exchanges with `summary`, concepts with `name`. */
function answering(summary: (source: string) => string, name: (source: string) => string = () => 'Login redirect') {
  return ({ prompt }: ModelCall): string =>
    answerOf(
      [...prompt.matchAll(/^\[(\d+)\] (exchange|concept)\n([\s\S]*?)(?=\n\n\[|\n<\/)/gm)].map(
        ([, number, kind, source = '']) => ({
          kind: kind === 'concept' ? 'heading' : 'note',
          text: kind === 'concept' ? name(source) : summary(source),
          messages: [Number(number)],
        }),
      ),
    );
}

const aboutItself = (source: string): string =>
  source.includes('src/login.ts')
    ? 'Fixed the login redirect in src/login.ts.'
    : 'Added a retry to the payment client.';
const calledItself = (source: string): string => (source.includes('login') ? 'Login redirect' : 'Payment retry');

async function layered(): Promise<FakeMemory> {
  const memory = new FakeMemory();
  memory.claude.write(`${PROJECT}/s1.jsonl`, spoken());
  await memory.service.layers.enable(PROJECT);
  await memory.service.layers.build(PROJECT);
  return memory;
}

async function summariesOf({ service }: FakeMemory): Promise<string[]> {
  const content = await service.layers.layer(PROJECT, 'l2');
  return content.layer === 'l2' ? content.sessions.flatMap(({ exchanges }) => exchanges.map((one) => one.summary)) : [];
}

async function namesOf({ service }: FakeMemory): Promise<string[]> {
  const content = await service.layers.layer(PROJECT, 'l3');
  return content.layer === 'l3' ? content.concepts.map(({ name }) => name) : [];
}

describe('RefinementService', () => {
  it('asks once for a whole session, shows the better words, and writes down what it cost', async () => {
    const memory = await layered();
    memory.model.otherwise = answering(aboutItself, calledItself);
    const report = await memory.service.refinement.refine(ref, request);
    assert.deepEqual([report.asked.exchanges, report.rejected], [2, []]);
    assert.equal(memory.model.calls.length, 1);
    assert.deepEqual(await summariesOf(memory), [
      'Fixed the login redirect in src/login.ts.',
      'Added a retry to the payment client.',
    ]);
    assert.ok((await namesOf(memory)).includes('Login redirect'));
    const [entry] = memory.ledger.lines;
    assert.deepEqual([entry?.purpose, entry?.sessionId, entry?.outcome], ['refine', 's1', 'ok']);
    assert.equal(memory.model.calls[0]?.prompt.includes(TOKEN), false);
  });

  it('has nothing to ask a second time, and says what it would cost without asking', async () => {
    const memory = await layered();
    const before = new Map(memory.layerStore.texts({ projectId: PROJECT }));
    assert.ok((await memory.service.refinement.estimate(ref, request)).cost.usd > 0);
    assert.deepEqual(memory.layerStore.texts({ projectId: PROJECT }), before);
    memory.model.otherwise = answering(aboutItself, calledItself);
    await memory.service.refinement.refine(ref, request);
    const again = await memory.service.refinement.refine(ref, request);
    assert.deepEqual([again.asked.exchanges, again.asked.concepts, again.cost.calls], [0, 0, 0]);
    assert.equal(memory.model.calls.length, 1);
  });

  it('keeps its own words for what a model invents or drops', async () => {
    const memory = await layered();
    const own = await summariesOf(memory);
    memory.model.otherwise = answering((source) =>
      source.includes('src/login.ts') ? 'Fixed src/session.ts with OAuth2.' : 'Bananas grow where elephants sleep.',
    );
    const { rejected } = await memory.service.refinement.refine(ref, request);
    assert.deepEqual(
      rejected
        .filter(({ id }) => id.startsWith('e'))
        .map(({ reason }) => reason)
        .sort(),
      ['it names something that is not there', 'it tells something else'],
    );
    assert.deepEqual(await summariesOf(memory), own);
  });

  for (const [what, spoil] of Object.entries<(blocks: Block[]) => Block[]>({
    'leaves something out': (blocks) => blocks.slice(1),
    'speaks of something else': (blocks) => [...blocks, { kind: 'note', text: 'More.', messages: [99] }],
  })) {
    it(`asks again when an answer ${what}, and writes nothing when it does so again`, async () => {
      const memory = await layered();
      const before = new Map(memory.layerStore.texts({ projectId: PROJECT }));
      const whole = answering(aboutItself, calledItself);
      memory.model.otherwise = (call) => {
        const { blocks } = answerSchema.parse(JSON.parse(whole(call)));
        return answerOf(spoil(blocks));
      };
      await assert.rejects(memory.service.refinement.refine(ref, request), { code: 'summarizer-invalid-output' });
      assert.equal(memory.model.calls.length, 2);
      assert.deepEqual(memory.layerStore.texts({ projectId: PROJECT }), before);
    });
  }

  it('asks nobody beyond the limit', async () => {
    const memory = await layered();
    await assert.rejects(memory.service.refinement.refine(ref, { ...request, maxCostUsd: 0.000001 }), {
      code: 'summarizer-run-limit',
    });
    assert.equal(memory.model.calls.length, 0);
  });

  it('shows its own words again where a request has gone on', async () => {
    const memory = await layered();
    memory.model.otherwise = answering(aboutItself, calledItself);
    await memory.service.refinement.refine(ref, request);
    memory.claude.write(
      `${PROJECT}/s1.jsonl`,
      spoken().human('No, that is wrong, it has to retry five times.').assistant('It retries five times now.'),
    );
    await memory.service.layers.build(PROJECT);
    const [first, second, third] = await summariesOf(memory);
    assert.equal(first, 'Fixed the login redirect in src/login.ts.');
    assert.equal(second, 'Added a retry to the payment client.');
    assert.match(third ?? '', /five times/);
    const { asked } = await memory.service.refinement.estimate(ref, request);
    assert.equal(asked.exchanges, 1);
  });

  it('says so when a session is not layered, or nobody can be asked', async () => {
    const memory = await layered();
    await assert.rejects(memory.service.refinement.refine({ ...ref, sessionId: 'other' }, request), {
      code: 'layers-not-built',
    });
    await assert.rejects(memory.service.refinement.refine(ref, { provider: 'claude-cli' }), {
      code: 'summarizer-unavailable',
    });
  });
});

import assert from 'node:assert/strict';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';
import type { FactFilter, FactView } from '../../../../../src/core/knowledge/facts/factViews';

const PROJECT = '-home-ada-src-app';

async function factsOf(transcript: TranscriptBuilder): Promise<FactView[]> {
  const memory = new FakeMemory();
  memory.claude.write(`${PROJECT}/s1.jsonl`, transcript);
  await memory.service.layers.enable(PROJECT);
  await memory.service.layers.build(PROJECT);
  return memory.service.layers.facts(PROJECT, { reported: true });
}

const session = (): TranscriptBuilder => new TranscriptBuilder('s1');

function refusal(said: string): string {
  return `The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n${said}`;
}

async function decisions(transcript: TranscriptBuilder): Promise<string[]> {
  const facts = await factsOf(transcript);
  return facts.filter(({ trust }) => trust === 'stated').map(({ content }) => content);
}

/** What came of each request. */
async function details(transcript: TranscriptBuilder): Promise<string[]> {
  const memory = new FakeMemory();
  memory.claude.write(`${PROJECT}/s1.jsonl`, transcript);
  await memory.service.layers.enable(PROJECT);
  await memory.service.layers.build(PROJECT);
  const l2 = await memory.service.layers.layer(PROJECT, 'l2');
  assert.ok(l2.layer === 'l2');
  return l2.sessions.flatMap(({ exchanges }) => exchanges.map((exchange) => exchange.details));
}

async function reports(transcript: TranscriptBuilder): Promise<string[]> {
  const facts = await factsOf(transcript);
  return facts.filter(({ trust }) => trust === 'reported').map(({ content }) => content);
}

describe('What the transcript proves to be decided', () => {
  const offer =
    'I can go on in two ways.\n\n1. Keep Express.\n2. Move to Fastify.\n\nWhich do you prefer, or shall I measure both?';

  it('is an answer that picks one of what was offered, with the question', async () => {
    const question = 'Which do you prefer, or shall I measure both?';
    for (const [answer, told = answer] of [
      ['the second one', 'the second one: Move to Fastify.'],
      ['option 2', 'option 2: Move to Fastify.'],
      ['el segundo', 'el segundo: Move to Fastify.'],
      ['die letzte', 'die letzte: Move to Fastify.'],
      ['B', 'B: Move to Fastify.'],
      ['ok, fastify then'],
      ['both'],
    ] as const) {
      const [decision, ...others] = await decisions(
        session().human('Speed the server up').assistant(offer).human(answer),
      );
      assert.deepEqual([decision, others], [`${question} → ${told}`, []]);
    }
  });

  it('quotes what was picked of the list that stands last, whatever signs it has', async () => {
    const [steps, question] = ['- I read it.\n- I wrote it.', 'Which do you prefer?'];
    for (const [list, answer, told] of [
      ['**A) Keep Express** (less work)\n\nIt is slow.\n\n**B) Move to Fastify**', 'B', 'B: Move to Fastify'],
      ['- Keep Express\n- Move to Fastify', 'the first', 'the first: Keep Express'],
      ['### Option 1: Keep Express\n- slow\n### Option 2: Move to Fastify\n- new', '2', '2: Move to Fastify'],
    ] as const) {
      const said = `I did this:\n\n${steps}\n\nNow there are two ways:\n\n${list}\n\n${question}`;
      assert.deepEqual(await decisions(session().human('Speed it up').assistant(said).human(answer)), [
        `${question} → ${told}`,
      ]);
    }
  });

  it('names both messages, the answer first', async () => {
    const [fact] = await factsOf(session().human('Speed the server up').assistant(offer).human('the second one'));
    assert.deepEqual(
      fact?.sources?.map(({ messageUuid }) => messageUuid),
      ['s1-2', 's1-1'],
    );
  });

  it('is no leave to go on, no question, and nothing longer than an answer', async () => {
    const goOn = 'The parser is done. Would you like me to run the tests?';
    for (const [said, answer] of [
      [goOn, 'yes please'],
      [offer, 'what does Fastify cost?'],
      [offer, `Thanks. ${'Before that, look at the logs of the last night once more. '.repeat(3)}`],
      ['Fastify is done.', 'the second one'],
    ] as const) {
      assert.deepEqual(await decisions(session().human('Speed the server up').assistant(said).human(answer)), []);
    }
  });
});

describe('A plan that was approved', () => {
  it('is told by its title and what it says, without headings, trees and code', async () => {
    const plan =
      '# Implementation Plan: Retries\n\n## Goal\n\nRetry the queue at most 3 times.\n\n## Layout\n\n├── retry.ts\n\n```ts\nretry();\n```\n\nSteps:\n- [ ] Wait 2 seconds between **two** tries\n';
    const call = { name: 'ExitPlanMode', input: { plan } };
    const transcript = session()
      .human('Plan the retries')
      .toolCall('1', call)
      .toolResult('1', 'User has approved your plan.');
    assert.deepEqual(await decisions(transcript), [
      'Retries (plan approved) → Retry the queue at most 3 times; Wait 2 seconds between two tries',
    ]);
  });
});

describe('A refusal', () => {
  it('is told once where its words are a rule', async () => {
    const edit = { name: 'Edit', input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } };
    const said = 'No: ##keepit0.80##always store amounts as whole cents.##keepit:end##';
    const block = { type: 'tool_result', tool_use_id: 'toolu_1', content: refusal(said), is_error: true };
    const refused = { message: { role: 'user', content: [block] }, toolUseResult: `Error: ${refusal(said)}` };
    const transcript = session().human('Store the amounts').toolCall('1', edit).human('', refused);
    assert.deepEqual(await decisions(transcript), ['always store amounts as whole cents.']);
  });
});

describe('What Claude reported of its work', () => {
  const edit = { name: 'Edit', input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } };
  const test = { name: 'Bash', input: { command: 'npm test' } };
  const points =
    'Perfect! All done.\n\n## What changed\n\n- **Retries**: at most 3, in `src/a.ts`\n- The `QUEUE_URL` is read once\n\nShall I push?';

  it('are the points of its last message, without praise and questions', async () => {
    const transcript = session().human('Retry the queue').assistant('I look.').result('ok', edit).assistant(points);
    assert.deepEqual(await reports(transcript), ['Retries: at most 3, in src/a.ts; The QUEUE_URL is read once']);
  });

  it('are those that tell what was done: not how good it is, what is next, or what stands below another', async () => {
    const said = `Great!

**1. Retries** - at most 3 in the file src/a.ts
   - also at night
**2. Pauses:**
   - 2 seconds between two tries

## Benefits
- Much more reliable
- Cleaner

✅ **Zero warnings** ✅

## Next steps
- Push it`;
    const transcript = session().human('Retry the queue').assistant('I look.').result('ok', edit).assistant(said);
    assert.deepEqual(await reports(transcript), [
      'Retries - at most 3 in the file src/a.ts; Pauses; 2 seconds between two tries',
    ]);
  });

  it('is a link with what leads to it', async () => {
    const said = 'Done! The session of yesterday has been published:\n\nhttps://gist.example/1234';
    const transcript = session().human('Publish it').assistant('I look.').result('ok', edit).assistant(said);
    assert.deepEqual(await reports(transcript), [
      'The session of yesterday has been published: https://gist.example/1234',
    ]);
  });

  it('are its sentences where there is no list', async () => {
    const said = 'Done! The queue is retried 3 times now, with a pause of 2 seconds. Anything else?';
    const transcript = session()
      .human('Retry the queue')
      .assistant('I look.')
      .result('3 passing', test)
      .assistant(said);
    assert.deepEqual(await reports(transcript), ['The queue is retried 3 times now, with a pause of 2 seconds.']);
  });

  it('is told once where the request was cut off and went on', async () => {
    const transcript = session()
      .human('Retry the queue')
      .assistant('I look.')
      .result('ok', edit)
      .human('yes, go on')
      .assistant('I go on.')
      .result('3 passing', test)
      .assistant('The queue is retried 3 times now, with a pause of 2 seconds.');
    const told = 'The queue is retried 3 times now, with a pause of 2 seconds.';
    assert.deepEqual(await reports(transcript), [told]);
    assert.deepEqual(await details(transcript), [told, told]);
  });

  it('is nothing where nothing was done, where it was cut off, and where the next request does it again', async () => {
    const before = session().human('Retry the queue').assistant('I look.').result('ok', edit);
    assert.deepEqual(await reports(session().human('Retry the queue').assistant(points)), []);
    assert.deepEqual(await reports(before.assistant('Now I change `src/b.ts`.').result('ok', edit)), []);
    const again = session()
      .human('Retry the queue')
      .assistant('I look.')
      .result('ok', edit)
      .assistant(points)
      .human('It hangs at the third try')
      .assistant('I look again.')
      .result('ok', edit)
      .assistant('The third try in `src/a.ts` waits 2 seconds now.');
    assert.deepEqual(await reports(again), ['The third try in src/a.ts waits 2 seconds now.']);
  });
});

describe('The type of a fact', () => {
  it('tells wishes, decisions and reports apart, and narrows a list', async () => {
    const memory = new FakeMemory();
    const transcript = session()
      .human('From now on always use pnpm in this project, never npm.')
      .assistant('Express or Fastify: which do you prefer?')
      .human('Fastify')
      .assistant('I look.')
      .result('ok', { name: 'Edit', input: { file_path: 'src/server.ts', old_string: 'a', new_string: 'b' } })
      .assistant('Done! The server runs on Fastify now, and all routes answer as before.');
    memory.claude.write(`${PROJECT}/s1.jsonl`, transcript);
    await memory.service.layers.enable(PROJECT);
    await memory.service.layers.build(PROJECT);
    const { layers } = memory.service;
    const types = async (filter: FactFilter) =>
      (await layers.facts(PROJECT, { ...filter, reported: true })).map(({ type, trust }) => `${trust} ${type}`);
    assert.deepEqual(new Set(await types({})), new Set(['stated preference', 'stated decision', 'reported fact']));
    assert.deepEqual(await types({ type: 'decision' }), ['stated decision']);
    assert.deepEqual(await types({ type: 'pattern' }), []);
    assert.deepEqual(new Set(await types({ type: 'fact' })), new Set(['reported fact']));
  });
});

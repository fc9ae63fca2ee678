import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../unit/support/transcriptBuilder';
import { useClaudeStage, type Told } from './support/claudeStage';
import type { Sent } from './support/scriptedModel';

const armedSchema = z.looseObject({ text: z.string(), rest: z.looseObject({ file: z.string() }) });
const arrivalSchema = z.looseObject({
  arrived: z.boolean(),
  sessionId: z.optional(z.string()),
  evidence: z.string(),
});
const FACT = 'The parcel weights are kept in grams,  and never in ounces.';
const NEWEST = 'Answer 29.';

describe('a composition for the next session, in the real claude', () => {
  const stage = useClaudeStage();
  let armed: z.infer<typeof armedSchema>;
  let unread: z.infer<typeof arrivalSchema>;
  let taker: string;
  let both: readonly Told[];
  let third: Sent;

  before(async () => {
    const here = stage();
    const { model } = here;
    await mkdir(path.dirname(here.transcript('')), { recursive: true });
    await here.write(here.transcript('aaaa1111'), pastSession().toString());
    await here.keepitJson('config', 'set', 'defaults.autoRegisterSessions', 'true');
    await here.keepitJson('register', 'aaaa1111');
    await here.keepitJson('compose', '--name', 'ctx', '--budget', '20000', '--session', 'aaaa1111');
    await here.keepitJson('deliver', 'ctx', '--to', 'next-session');
    armed = armedSchema.parse(JSON.parse(await here.read(path.join(here.projectStore, 'armed.json'))));
    // Neither is answered before both have asked.
    let letGo = (): void => undefined;
    const after = new Promise<void>((resolve) => (letGo = resolve));
    model.says({ text: 'One.', after }, { text: 'Two.', after });
    const running = Promise.all([here.ask('The first of two.'), here.ask('The second of two.')]);
    await model.asked(2);
    letGo();
    both = await running;
    await here.settled();
    await here.ask('The third.');
    third = model.last;
    taker = requestsOf(both).find((sent) => sent.all.includes(FACT))?.sessionId ?? '';
    unread = await arrival();
  });

  function pastSession(): TranscriptBuilder {
    const builder = new TranscriptBuilder('aaaa1111', stage().cwd).title('Parcels');
    for (let turn = 0; turn < 30; turn += 1) {
      builder.human(`Question ${turn} about parcels. ${turn === 7 ? `##keepit1.00## ${FACT} ##keepit:end##` : ''}`);
      builder.assistant(
        `Answer ${turn}. ${'The parcel goes from the depot to the shop, and is weighed there. '.repeat(14)}`,
      );
    }
    return builder;
  }

  function requestsOf(told: readonly Told[]): Sent[] {
    return told.flatMap(({ sessionId }) => stage().model.of(sessionId).slice(0, 1));
  }

  async function arrival(): Promise<z.infer<typeof arrivalSchema>> {
    return arrivalSchema.parse(await stage().keepitJson('arrived', 'ctx'));
  }

  it('goes to exactly one of two sessions that start at once, in one piece: what is pinned, how it ends, and the file', () => {
    assert.ok(armed.text.length <= 10_000, String(armed.text.length));
    const [first, second] = requestsOf(both);
    assert.ok(first && second);
    assert.equal(first.count(armed.text.trim()) + second.count(armed.text.trim()), 1);
    for (const words of [FACT, NEWEST, armed.rest.file]) assert.ok(armed.text.includes(words), words);
  });

  it('is not given to the session after', () => {
    assert.equal(third.count(armed.text.trim()), 0);
  });

  it('is seen to have arrived, in which session, and that this did not read on', async () => {
    assert.deepEqual([unread.arrived, unread.sessionId], [true, taker]);
    assert.match(unread.evidence, /has not read the whole/);
  });

  it('takes both sessions into memory', async () => {
    const ids = (await stage().memory.service.sessions.list(stage().projectId)).map(({ sessionId }) => sessionId);
    for (const { sessionId } of both) assert.ok(ids.includes(sessionId), ids.join());
    assert.equal(await stage().hooksLog(), '');
  });
});

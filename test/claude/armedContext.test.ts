import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../unit/support/transcriptBuilder';
import { useClaudeStage, type Told } from './support/claudeStage';
import type { Sent } from './support/scriptedModel';

const armedSchema = z.looseObject({ pieces: z.array(z.string()) });
const arrivalSchema = z.looseObject({ arrived: z.boolean(), sessionId: z.optional(z.string()) });
const FACT = 'The parcel weights are kept in grams, and never in ounces.';

describe('a composition for the next session, in the real claude', () => {
  const stage = useClaudeStage();
  let pieces: string[];
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
    pieces = armedSchema.parse(JSON.parse(await here.read(path.join(here.projectStore, 'armed.json')))).pieces;
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
  });

  function pastSession(): TranscriptBuilder {
    const builder = new TranscriptBuilder('aaaa1111', stage().cwd).title('Parcels');
    for (let turn = 0; turn < 30; turn += 1) {
      builder.human(`Question ${turn} about parcels. ${turn === 7 ? FACT : ''}`);
      builder.assistant(
        `Answer ${turn}. ${'The parcel goes from the depot to the shop, and is weighed there. '.repeat(14)}`,
      );
    }
    return builder;
  }

  function requestsOf(told: readonly Told[]): Sent[] {
    return told.flatMap(({ sessionId }) => stage().model.of(sessionId).slice(0, 1));
  }

  it('goes to exactly one of two sessions that start at once, in all its pieces, each with its number', () => {
    assert.ok(pieces.length > 1 && pieces.length <= 4, String(pieces.length));
    const [first, second] = requestsOf(both);
    assert.ok(first && second);
    for (const piece of pieces) assert.equal(first.count(piece.trim()) + second.count(piece.trim()), 1);
    const takers = [first, second].filter((sent) => sent.all.includes(FACT));
    assert.equal(takers.length, 1);
    const numbers = takers[0]?.all.match(/(?<=\(piece )\d(?= of \d)/g) ?? []; // of what hooks say, Claude Code keeps no order
    assert.deepEqual(numbers.sort(), ['1', '2', '3', '4'].slice(0, pieces.length));
  });

  it('is not given to the session after', () => {
    for (const piece of pieces) assert.equal(third.count(piece.trim()), 0);
  });

  it('is seen to have arrived, and in which session', async () => {
    const arrival = arrivalSchema.parse(await stage().keepitJson('arrived', 'ctx'));
    const taker = both.find(({ sessionId }) => stage().model.of(sessionId)[0]?.all.includes(FACT));
    assert.deepEqual([arrival.arrived, arrival.sessionId], [true, taker?.sessionId]);
  });

  it('takes both sessions into memory', async () => {
    const ids = (await stage().memory.service.sessions.list(stage().projectId)).map(({ sessionId }) => sessionId);
    for (const { sessionId } of both) assert.ok(ids.includes(sessionId), ids.join());
    assert.equal(await stage().hooksLog(), '');
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { CompositionError } from '../../../../src/core/compositions/compositionError';
import type { ComposedTexts } from '../../../../src/core/compositions/compositions';
import { conversation, PROJECT, type CompositionWorld } from './compositionWorld';
import { randomRequest, randomSessions, worldOf } from './randomWorld';

const ID = '00000000-0000-4000-8000-000000000001';

/** Some sessions have transcripts of so many turns, and may take so many tokens. */
const randomMore = fc.array(
  fc.record({
    turns: fc.constantFrom(0, 1, 4, 10),
    allocation: fc.option(fc.integer({ min: 0, max: 2000 }), { nil: undefined }),
  }),
  { maxLength: 6 },
);
const purpose = fc.option(fc.constantFrom('session1Service3', 'the cache', 'nothing of that'), { nil: undefined });

const contentSchema = z.looseObject({
  message: z.looseObject({ content: z.union([z.string(), z.array(z.looseObject({ text: z.optional(z.string()) }))]) }),
});

/** What a model reads of a transcript without tools. */
function readable(jsonl: string): string {
  const contents = jsonl
    .trim()
    .split('\n')
    .map((line) => contentSchema.parse(JSON.parse(line)).message.content);
  return contents
    .map((content) => `${typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n')}\n\n`)
    .join('');
}

/** Composes random requests of random sessions: the budget holds, what is pinned is in, no session takes more than it was given, the same gives the same bytes. */
export async function checkBudgets(parameters: fc.Parameters<unknown>): Promise<void> {
  const property = fc.asyncProperty(
    randomSessions,
    randomMore,
    randomRequest,
    fc.record({ purpose, makesMissing: fc.boolean() }),
    async (specs, more, fields, about) => {
      const made = async (): Promise<{ world: CompositionWorld; texts: ComposedTexts | undefined }> => {
        const world = worldOf(specs);
        for (const [at, { turns }] of more.entries()) {
          if (turns > 0 && at < specs.length) world.give(`session${at}`, conversation(`session${at}`, turns), turns);
        }
        const components = specs.map((_, at) => ({ sessionId: `session${at}`, allocation: more[at]?.allocation }));
        const request = world.request({ ...fields, ...about, components });
        try {
          const texts = await world.services.saved.previewTexts(PROJECT, request, { compositionId: ID });
          return { world, texts };
        } catch (error) {
          assert.ok(error instanceof CompositionError && error.reason === 'budget-too-small', String(error));
          return { world, texts: undefined };
        }
      };
      const { world, texts } = await made();
      if (texts === undefined) return;
      const { markdown, jsonl, record } = texts;
      const said = [markdown, jsonl === undefined ? undefined : readable(jsonl)].filter((text) => text !== undefined);
      for (const text of said) {
        const tokens = world.counter.count(text);
        assert.ok(tokens <= fields.totalTokenBudget, `${tokens} tokens`);
        for (const { weight, content } of specs.flatMap(({ keepits }) => keepits)) {
          if (weight === 1) assert.ok(text.includes(content), `${content} is missing`);
        }
      }
      assert.equal(record.totalTokens, Math.max(...said.map((text) => world.counter.count(text))));
      for (const { sessionId } of record.components) {
        const at = Number(sessionId.replace('session', ''));
        const pinned = specs[at]?.keepits.filter(({ weight }) => weight === 1) ?? [];
        const given = more[at]?.allocation ?? Infinity;
        const own = record.components.filter((one) => one.sessionId === sessionId);
        const takes = own.reduce((sum, { tokenContribution }) => sum + tokenContribution, 0);
        assert.ok(takes <= Math.max(given, HEADING_TOKENS) || pinned.length > 0, `${takes} of ${given} tokens`);
      }
      const again = await made();
      assert.deepEqual([again.texts?.markdown, again.texts?.record.components], [markdown, record.components]);
    },
  );
  await fc.assert(property, parameters);
}

/** What a session is called takes so much at most, whatever it is given. */
const HEADING_TOKENS = 150;

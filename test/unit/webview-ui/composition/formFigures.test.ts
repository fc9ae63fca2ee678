import assert from 'node:assert/strict';
import type { CompositionPreview } from '../../../../src/core/compositions/compositionPreview';
import { formOf } from '../../../../src/core/compositions/view/compositionForm';
import { builderRequestSchema, type CompositionForm } from '../../../../src/core/compositions/view/compositionProtocol';
import { FormFigures } from '../../../../webview-ui/composition/formFigures';
import { RequestClient } from '../../../../webview-ui/lib/requestClient';

const NONE = { included: [], left: [], includedCount: 0, leftCount: 0 };

function previewOf({ budget, components }: CompositionForm): CompositionPreview {
  const totalTokens = 100 * components.length;
  const counts = { frameTokens: 0, leftTokens: 0, windowTokens: 200_000, shareOfWindow: 0, keeps: 1, toMake: 0 };
  const lost = { facts: [], count: 0 };
  return { components: [], omitted: [], budget: budget ?? 0, totalTokens, ...counts, keepits: NONE, lost };
}

describe('the figures of the builder', () => {
  it('begin with one session in its part of the budget, said to be updating, and are those of all after it', async () => {
    const asked: CompositionForm[] = [];
    const shown: (readonly [tokens: number | undefined, isUpdating: boolean])[] = [];
    const client = new RequestClient(
      ({ id, body }) => {
        const request = builderRequestSchema.parse(body);
        if (request.type !== 'preview') return;
        asked.push(request.form);
        const answer = { kind: 'preview', preview: previewOf(request.form), notes: [] };
        client.receive({ kind: 'answer', id, body: answer });
      },
      () => undefined,
    );
    const figures = new FormFigures({
      client,
      onChange: () => shown.push([figures.preview?.totalTokens, figures.isUpdating]),
      onFail: (error) => assert.fail(String(error)),
    });
    const components = ['a', 'b', 'c'].map((sessionId) => ({ projectId: 'p', sessionId }));
    const request = { name: 'x', totalTokenBudget: 9000, components, strategy: 'best', outputFormat: 'both' } as const;
    const form = formOf(request, 'p');
    const settled = async (): Promise<void> => {
      while (figures.isUpdating) await new Promise(setImmediate);
    };
    figures.follow(form, 'contents');
    await settled();
    assert.deepEqual(
      asked.map((one) => [one.budget, one.components.length]),
      [
        [3000, 1],
        [9000, 3],
      ],
    );
    assert.deepEqual(shown[0], [100, true]);
    assert.deepEqual(shown.at(-1), [300, false]);
    figures.follow({ ...form, budget: 8000 }, 'contents');
    await settled();
    assert.equal(asked.length, 3, 'what was true last stays in sight instead');
  });
});

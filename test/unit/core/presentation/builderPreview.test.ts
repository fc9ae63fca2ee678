import assert from 'node:assert/strict';
import type {
  CompositionPreview,
  PreviewComponent,
  PreviewOption,
} from '../../../../src/core/compositions/compositionPreview';
import type { KeepitMarker } from '../../../../src/core/model/keepit';
import { builderPreviewOf, strategyOutcomeOf } from '../../../../src/core/presentation/builderPreview';
import { builderPreviewSchema } from '../../../../src/core/presentation/compositionProtocol';

const own = { projectId: 'p', projectName: (id: string) => `project ${id}` };

function option(kind: PreviewOption['kind'], versionIds: string[] = [], tokens = 100): PreviewOption {
  return { kind, versionIds, tokens, fidelity: 0.8, ratio: 10, isPicked: false };
}

function keepit(markerId: string, weight: number): KeepitMarker {
  return {
    markerId,
    messageUuid: 'm',
    weight,
    content: `  words\nof ${markerId} `,
    position: { start: 0, end: 5 },
    context: '',
    createdAt: '',
    survivedIn: [],
    summarizedIn: [],
  };
}

function component(sessionId: string, more: Partial<PreviewComponent> = {}): PreviewComponent {
  return {
    projectId: 'p',
    sessionId,
    title: sessionId,
    firstTimestamp: '',
    lastTimestamp: '',
    distance: 1,
    level: 'light',
    originalTokens: 1000,
    originalMessages: 10,
    options: [option('new'), option('original', ['original']), option('version', ['v001']), option('nothing')],
    pick: option('version', ['v001']),
    allocation: 500,
    share: 0.5,
    repeatedTokens: 0,
    isFixed: false,
    why: 'as asked',
    uncoveredMessages: 0,
    keepitsIn: [],
    keepitsOut: [],
    ...more,
  };
}

function preview(components: readonly PreviewComponent[], more: Partial<CompositionPreview> = {}): CompositionPreview {
  return {
    components,
    omitted: [],
    budget: 1000,
    totalTokens: 600,
    frameTokens: 100,
    leftTokens: 400,
    windowTokens: 200_000,
    shareOfWindow: 0.003,
    fidelity: 1.6,
    toMake: 0,
    ...more,
  };
}

describe('what the builder shows of a preview', () => {
  it('offers what can be named, and passes the protocol', () => {
    const shown = builderPreviewOf(
      preview([component('a')], { omitted: [{ sessionId: 'a', reason: 'too long' }] }),
      own,
    );
    assert.deepEqual(
      shown.components[0]?.options.map(({ kind }) => kind),
      ['original', 'version'],
    );
    assert.deepEqual(shown.omitted, [{ projectId: 'p', sessionId: 'a', reason: 'too long' }]);
    assert.ok(builderPreviewSchema.safeParse(shown).success);
  });

  it('names the project of a session that comes from elsewhere', () => {
    const shown = builderPreviewOf(preview([component('a'), component('b', { projectId: 'q' })]), own);
    assert.deepEqual(
      shown.components.map(({ project }) => project),
      [undefined, 'project q'],
    );
  });

  it('lists the heaviest keepits first, and counts all', () => {
    const light = Array.from({ length: 100 }, (_, at) => keepit(`k${at}`, 0.25));
    const components = [component('a', { keepitsIn: light }), component('b', { keepitsIn: [keepit('pinned', 1)] })];
    const { keepits } = builderPreviewOf(preview(components), own);
    assert.equal(keepits.includedCount, 101);
    assert.ok(keepits.included.length < 101);
    assert.equal(keepits.included[0]?.markerId, 'pinned');
    assert.equal(keepits.included[0].words, 'words of pinned');
  });
});

describe('what a strategy would change', () => {
  it('counts sessions that would come otherwise, or not at all', () => {
    const now = preview([component('a'), component('b'), component('c')]);
    const other = preview([
      component('a'),
      component('b', { pick: option('original', ['original']) }),
      component('c', { pick: option('nothing') }),
    ]);
    const outcome = strategyOutcomeOf('best', other, now);
    assert.deepEqual({ changed: outcome.changed, leftOut: outcome.leftOut }, { changed: 2, leftOut: 1 });
    assert.equal(strategyOutcomeOf('age', now, now).changed, 0);
  });
});

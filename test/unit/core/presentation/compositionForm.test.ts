import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  figureProblems,
  formOf,
  freshName,
  inTimeOrder,
  moved,
  problemsOf,
  requestOf,
  withComponent,
  withoutSession,
  withSessions,
} from '../../../../src/core/presentation/compositionForm';
import type { RecompressSettings } from '../../../../src/core/model/composition';
import type { ComponentForm, CompositionForm } from '../../../../src/core/presentation/compositionProtocol';
import { sessionKey } from '../../../../src/core/model/sessionKey';

const none = new Map<string, number>();

function component(sessionId: string, more: Partial<ComponentForm> = {}): ComponentForm {
  return { projectId: 'p', sessionId, versionIds: [], allocation: null, weight: null, ...more };
}

function form(more: Partial<CompositionForm> = {}): CompositionForm {
  return {
    name: 'feature-x',
    budget: 16_000,
    strategy: 'age',
    hasMarkdown: true,
    hasJsonl: true,
    makesMissing: true,
    components: [component('a'), component('b'), component('c')],
    ...more,
  };
}

function ids({ components }: CompositionForm): string[] {
  return components.map(({ sessionId }) => sessionId);
}

describe('problemsOf', () => {
  it('finds nothing wrong with a form that can be composed', () => {
    assert.deepEqual(problemsOf(form()), {});
  });

  it('says what is wrong with a name that would leave its folder', () => {
    for (const name of ['a/b', '..', '.x', '', ' x'])
      assert.match(problemsOf(form({ name })).name ?? '', /cannot be its name/);
  });

  it('wants a budget, sessions and a format', () => {
    assert.deepEqual(
      Object.keys(problemsOf(form({ budget: null, components: [], hasMarkdown: false, hasJsonl: false }))),
      ['budget', 'components', 'formats'],
    );
    assert.ok(problemsOf(form({ budget: 0 })).budget);
    assert.ok(problemsOf(form({ budget: 1.5 })).budget);
  });

  it('tells at which session a figure is wrong', () => {
    const components = [component('a', { allocation: -1 }), component('b', { weight: -2 })];
    assert.deepEqual(Object.keys(figureProblems(form({ components }))), ['allocation p/a']);
    assert.deepEqual(Object.keys(figureProblems(form({ components, strategy: 'custom' }))), [
      'allocation p/a',
      'weight p/b',
    ]);
  });
});

describe('requestOf', () => {
  it('names versions of parts one by one, and leaves to the strategy what nobody chose', () => {
    const components = [component('a', { versionIds: ['part1_v001', 'part2_v003'], allocation: 500 }), component('b')];
    assert.deepEqual(requestOf(form({ components }), none).components, [
      { projectId: 'p', sessionId: 'a', allocation: 500, versionId: 'part1_v001' },
      { projectId: 'p', sessionId: 'a', allocation: 500, versionId: 'part2_v003' },
      { projectId: 'p', sessionId: 'b' },
    ]);
  });

  it('passes weights on only where they count', () => {
    const components = [component('a', { weight: 3 })];
    assert.deepEqual(requestOf(form({ components }), none).components, [{ projectId: 'p', sessionId: 'a' }]);
    assert.equal(requestOf(form({ components, strategy: 'custom' }), none).components[0]?.weight, 3);
  });

  it('compresses anew to the ratio that fits the allocation', () => {
    const components = [component('a', { recompress: 'fit', allocation: 1100 })];
    const [request] = requestOf(form({ components }), new Map([['p/a', 30_000]])).components;
    assert.deepEqual(request?.recompressSettings, { mode: 'uniform', compactionRatio: 30 });
  });

  it('compresses anew by a preset where there is no allocation, or where one is chosen', () => {
    const settings = (more: Partial<ComponentForm>) =>
      requestOf(form({ components: [component('a', more)] }), new Map([['p/a', 9000]])).components[0]
        ?.recompressSettings;
    assert.deepEqual(settings({ recompress: 'fit' }), { mode: 'tiered', tierPreset: 'standard' });
    assert.deepEqual(settings({ recompress: 'gentle', allocation: 10 }), { mode: 'tiered', tierPreset: 'gentle' });
  });

  it('never asks for less than nothing, however small the allocation is', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(50_000_000), (allocation, tokens) => {
        const components = [component('a', { recompress: 'fit', allocation })];
        const [request] = requestOf(form({ components }), new Map([['p/a', tokens]])).components;
        const ratio = request?.recompressSettings?.compactionRatio ?? 1;
        assert.ok(ratio >= 1 && ratio <= 1000);
      }),
    );
  });

  it('chooses the format by what is ticked', () => {
    assert.equal(requestOf(form(), none).outputFormat, 'both');
    assert.equal(requestOf(form({ hasJsonl: false }), none).outputFormat, 'markdown');
    assert.equal(requestOf(form({ hasMarkdown: false }), none).outputFormat, 'jsonl');
    assert.equal(requestOf(form({ makesMissing: false }), none).makesMissing, false);
  });
});

describe('formOf', () => {
  it('is the way back from a request, for every form', () => {
    const componentOf = fc.record(
      {
        sessionId: fc.uuid(),
        versionIds: fc.constantFrom<string[]>([], ['v002'], ['original'], ['part1_v001', 'part2_v001']),
        allocation: fc.option(fc.nat(99_999)),
        weight: fc.constant(null),
        projectId: fc.constantFrom('p', 'q'),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(componentOf, { selector: sessionKey }),
        fc.constantFrom('age' as const, 'best' as const),
        fc.constantFrom([true, true], [true, false], [false, true]),
        (components, strategy, [hasMarkdown = true, hasJsonl = true]) => {
          const before = form({ components, strategy, hasMarkdown, hasJsonl });
          assert.deepEqual(formOf(requestOf(before, none), 'p'), before);
        },
      ),
    );
  });

  it('takes sessions without a project for those of the composition', () => {
    const request = { ...requestOf(form(), none), components: [{ sessionId: 'a' }] };
    assert.equal(formOf(request, 'home').components[0]?.projectId, 'home');
  });

  it('knows how a component was to be made anew', () => {
    const recompressed = (recompressSettings: RecompressSettings) =>
      formOf({ ...requestOf(form(), none), components: [{ sessionId: 'a', recompressSettings }] }, 'p').components[0]
        ?.recompress;
    assert.equal(recompressed({ mode: 'uniform', compactionRatio: 30 }), 'fit');
    assert.equal(recompressed({ mode: 'tiered', tierPreset: 'aggressive' }), 'aggressive');
    assert.equal(recompressed({}), 'standard');
  });
});

describe('the order of sessions', () => {
  const starts: Record<string, string> = {
    'p/a': '2025-01-01T00:00:00Z',
    'p/b': '2025-02-01T00:00:00Z',
    'p/c': '2025-03-01T00:00:00Z',
  };
  const startOf = (key: string): string | undefined => starts[key];
  const added = { projectId: 'p', sessionId: 'n', firstTimestamp: '2025-01-15T00:00:00Z' };

  it('stays that of time when sessions are added', () => {
    assert.deepEqual(ids(withSessions(form(), [added], startOf)), ['a', 'n', 'b', 'c']);
  });

  it('stays what a person made it: what is new comes last', () => {
    const own = moved(form(), 2, 0);
    assert.deepEqual(ids(withSessions(own, [added], startOf)), ['c', 'a', 'b', 'n']);
    assert.deepEqual(ids(inTimeOrder(own, startOf)), ['a', 'b', 'c']);
  });

  it('holds every session once', () => {
    const before = form();
    const again = { projectId: 'p', sessionId: 'a', firstTimestamp: '' };
    assert.equal(withSessions(before, [again], startOf), before);
    assert.deepEqual(ids(withSessions(before, [added, added], startOf)), ['a', 'n', 'b', 'c']);
  });

  it('is changed by moving one, and nothing is lost by it', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.integer({ min: -3, max: 8 }), (from, to) => {
        const before = form({ components: ['a', 'b', 'c', 'd'].map((id) => component(id)) });
        const after = moved(before, from, to);
        assert.deepEqual(ids(after).sort(), ids(before));
        const target = Math.min(3, Math.max(0, to));
        if (from < 4) assert.equal(ids(after)[target], ids(before)[from]);
      }),
    );
  });
});

describe('changes of one component', () => {
  it('leave the others as they are', () => {
    const before = form();
    const after = withComponent(before, 'p/b', (one) => ({ ...one, allocation: 5 }));
    assert.equal(after.components[0], before.components[0]);
    assert.equal(after.components[1]?.allocation, 5);
    assert.deepEqual(ids(withoutSession(after, 'p/b')), ['a', 'c']);
  });
});

describe('freshName', () => {
  it('is a name that can be used, and that none has yet', () => {
    assert.equal(freshName('tidewatch', []), 'tidewatch-context');
    assert.equal(freshName('tidewatch', ['Tidewatch-Context']), 'tidewatch-context-2');
    assert.equal(freshName('../..', []), 'context');
  });

  it('can be composed under, whatever the project is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (project) => {
        assert.equal(problemsOf(form({ name: freshName(project, []) })).name, undefined);
      }),
    );
  });
});

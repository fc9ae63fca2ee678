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
} from '../../../../../src/core/compositions/view/compositionForm';
import type { RecompressSettings } from '../../../../../src/core/model/composition';
import type { ComponentForm, CompositionForm } from '../../../../../src/core/compositions/view/compositionProtocol';
import { sessionKey } from '../../../../../src/core/model/fields';

function component(sessionId: string, more: Partial<ComponentForm> = {}): ComponentForm {
  return { projectId: 'p', sessionId, versionIds: [], allocation: null, weight: null, ...more };
}

function form(more: Partial<CompositionForm> = {}): CompositionForm {
  return {
    name: 'feature-x',
    budget: 16_000,
    strategy: 'age',
    purpose: '',
    files: [],
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
    assert.deepEqual(requestOf(form({ components })).components, [
      { projectId: 'p', sessionId: 'a', allocation: 500, versionId: 'part1_v001' },
      { projectId: 'p', sessionId: 'a', allocation: 500, versionId: 'part2_v003' },
      { projectId: 'p', sessionId: 'b' },
    ]);
  });

  it('passes weights on only where they count', () => {
    const components = [component('a', { weight: 3 })];
    assert.deepEqual(requestOf(form({ components })).components, [{ projectId: 'p', sessionId: 'a' }]);
    assert.equal(requestOf(form({ components, strategy: 'custom' })).components[0]?.weight, 3);
  });

  it('makes a version anew as it is asked to', () => {
    const recompress = { mode: 'tiered' as const, tierPreset: 'gentle' as const };
    const [request] = requestOf(form({ components: [component('a', { recompress })] })).components;
    assert.deepEqual(request?.recompressSettings, recompress);
  });

  it('says what it is for, and leaves a purpose out that is none', () => {
    const { purpose, files } = requestOf(form({ purpose: ' retries\n', files: ['src/a.ts'] }));
    assert.deepEqual([purpose, files], ['retries', ['src/a.ts']]);
    assert.deepEqual(
      Object.keys(requestOf(form({ purpose: '  ' }))).filter((key) => /purpose|files/.test(key)),
      [],
    );
  });

  it('chooses the format by what is ticked', () => {
    assert.equal(requestOf(form()).outputFormat, 'both');
    assert.equal(requestOf(form({ hasJsonl: false })).outputFormat, 'markdown');
    assert.equal(requestOf(form({ hasMarkdown: false })).outputFormat, 'jsonl');
    assert.equal(requestOf(form({ makesMissing: false })).makesMissing, false);
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
        fc.record({ purpose: fc.constantFrom('', 'the retries'), files: fc.subarray(['a.ts', 'b.ts']) }),
        (components, strategy, [hasMarkdown = true, hasJsonl = true], about) => {
          const before = form({ components, strategy, hasMarkdown, hasJsonl, ...about });
          assert.deepEqual(formOf(requestOf(before), 'p'), before);
        },
      ),
    );
  });

  it('takes sessions without a project for those of the composition', () => {
    const request = { ...requestOf(form()), components: [{ sessionId: 'a' }] };
    assert.equal(formOf(request, 'home').components[0]?.projectId, 'home');
  });

  it('keeps how a component was to be made anew', () => {
    const recompressSettings: RecompressSettings = { mode: 'uniform', compactionRatio: 30 };
    const request = { ...requestOf(form()), components: [{ sessionId: 'a', recompressSettings }] };
    assert.deepEqual(formOf(request, 'p').components[0]?.recompress, recompressSettings);
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

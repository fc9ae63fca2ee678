import assert from 'node:assert/strict';
import { WarmSummaryCache } from '../../../../src/core/registry/warmSummaryCache';
import { FakeSummaryCache } from '../../support/fakeSummaryCache';

describe('WarmSummaryCache', () => {
  it('loads a project once, and gives every caller records of its own', async () => {
    const cold = new FakeSummaryCache();
    const warm = new WarmSummaryCache(cold);
    await cold.save('-p', { transcripts: {}, agentParents: { a: 'x' } });
    const first = await warm.load('-p');
    first.agentParents.b = 'y';
    await cold.save('-p', { transcripts: {}, agentParents: {} });
    assert.deepEqual((await warm.load('-p')).agentParents, { a: 'x' });
  });

  it('hands on what is saved, and shows it from then on', async () => {
    const cold = new FakeSummaryCache();
    const warm = new WarmSummaryCache(cold);
    assert.deepEqual((await warm.load('-p')).agentParents, {});
    const cache = { transcripts: {}, agentParents: { a: 'x' } };
    await warm.save('-p', cache);
    delete (cache.agentParents as Partial<typeof cache.agentParents>).a;
    assert.deepEqual((await warm.load('-p')).agentParents, { a: 'x' });
    assert.deepEqual((await cold.load('-p')).agentParents, { a: 'x' });
  });
});

import assert from 'node:assert/strict';
import { suggestedRows } from '../../../../../src/core/search/view/suggestedRows';
import type { ContextSuggestion } from '../../../../../src/core/search/suggestions';
import { Formats } from '../../../../../src/core/text/formats';
import { FakeMemory } from '../../../support/fakeMemory';
import { TranscriptBuilder } from '../../../support/transcriptBuilder';

const PROJECT = '-home-ada-src-app';
const IDS = ['a1b2c3d4-1111-4111-8111-111111111111', 'b1b2c3d4-2222-4222-8222-222222222222'];
const CONTEXT = { formats: new Formats({ locale: 'en' }), nowMs: 0, warningDays: 7, showsEstimates: true };

function suggestion(sessionId: string, why: string): ContextSuggestion {
  const found = { versionId: 'original', relevanceScore: 1, matchedTopics: [], matchedFiles: [], suggestedTokens: 10 };
  return { ...found, projectId: PROJECT, sessionId, lastTimestamp: '2026-01-10T11:00:00Z', why };
}

describe('suggestedRows', () => {
  it('shows known sessions in one folded group, each with its reason', async () => {
    const { service, claude } = new FakeMemory();
    for (const id of IDS) claude.write(`${PROJECT}/${id}.jsonl`, new TranscriptBuilder(id).human(`Ask ${id}`));
    const { projects } = await service.sessions.discover();
    const known = projects.flatMap(({ sessions }) => sessions);
    const found = [...IDS, 'gone'].map((id, at) => suggestion(id, `changed *${at}*.ts`));
    const rows = suggestedRows(found, (ref) => known.find(({ sessionId }) => sessionId === ref.sessionId), CONTEXT);
    assert.deepEqual(
      rows.map(({ label, description, fold }) => [label, description, fold]),
      [['Suggested', '2 sessions', 'collapsed']],
    );
    const children = rows[0]?.children ?? [];
    assert.deepEqual(
      children.map(({ description, session }) => [description, session?.sessionId]),
      IDS.map((id, at) => [`changed *${at}*.ts`, id]),
    );
    assert.ok(!children[0]?.tooltip.includes('*0*'), 'what people named is no Markdown');
    assert.match(children[0]?.id ?? '', /session:[^:]+:[^:]+$/, 'it can be dragged as the row below it');
  });

  it('shows nothing where there is nothing to show', () => {
    assert.deepEqual(
      suggestedRows([], () => undefined, CONTEXT),
      [],
    );
    assert.deepEqual(
      suggestedRows([suggestion('gone', 'read a.ts')], () => undefined, CONTEXT),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { lostFacts, type LossReference } from '../../../../../src/core/versions/diff/compareVersions';
import type { CheckpointKind, Checkpoint } from '../../../../../src/core/material/types';

function fact(kind: CheckpointKind, text: string, weight = 1): Checkpoint {
  return { kind, text, weight, messageIndex: 3, messageUuid: 'm3', isArtifact: false };
}

const reference: LossReference = {
  facts: [
    fact('path', 'src/core/reader.ts'),
    fact('instruction', 'Never use axios in this project.', 1),
    fact('instruction', 'Always write tests for the parser.', 2),
  ],
  keepits: [{ markerId: 'k1', content: 'The port is 8443.', weight: 0.5, messageUuid: 'm1', messageIndex: 1 }],
  reasons: new Map([['k1', '0.50 < 0.65']]),
};

function lost(b: string, a?: string): string[] {
  return lostFacts(reference, b, a).map(({ kind, text }) => `${kind}: ${text}`);
}

describe('lostFacts', () => {
  it('tells keepits first, then what weighs most of each kind', () => {
    assert.deepEqual(lost(''), [
      'keepit: The port is 8443.',
      'instruction: Always write tests for the parser.',
      'instruction: Never use axios in this project.',
      'path: src/core/reader.ts',
    ]);
  });

  it('says why a keepit faded, and where everything stood', () => {
    assert.deepEqual(lostFacts(reference, '')[0], {
      kind: 'keepit',
      text: 'The port is 8443.',
      messageUuid: 'm1',
      messageIndex: 1,
      weight: 0.5,
      reason: '0.50 < 0.65',
    });
  });

  it('takes a keepit in other words for lost, and an instruction in other words not', () => {
    assert.deepEqual(
      lost('the port is 8443\n\nIn this project never axios.\n\nreader.ts\n\nAlways write tests for the parser'),
      ['keepit: The port is 8443.'],
    );
  });

  it('blames the second only for what the first still has', () => {
    assert.deepEqual(lost('', 'The port is 8443.\n\nreader.ts'), [
      'keepit: The port is 8443.',
      'path: src/core/reader.ts',
    ]);
    assert.deepEqual(lost('', ''), []);
  });
});

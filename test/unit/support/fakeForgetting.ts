import type { ErasePlace, Erasing, ForgettingStore } from '../../../src/core/memoryPorts';
import type { Forgotten } from '../../../src/core/model/forgotten';
import type { FakeClaudeFolder } from './fakeClaudeFolder';

/** What is not to be remembered, in memory. Nothing is kept in files that could be erased. */
export class FakeForgetting implements ForgettingStore {
  private forgotten: Forgotten | undefined;

  constructor(readonly transcripts: FakeClaudeFolder) {}

  async read(): Promise<Forgotten | undefined> {
    return this.forgotten;
  }

  async change(change: (forgotten: Forgotten) => Forgotten): Promise<Forgotten> {
    const nothing = { version: '1.0.0', key: '0'.repeat(64), words: [], records: [], never: [], pauses: [] };
    this.forgotten = change(this.forgotten ?? nothing);
    return this.forgotten;
  }

  async begin(): Promise<Erasing> {
    return {
      overwrite: (_projectId, text) => ({ text, count: 0 }),
      inStore: async () => [],
      stillIn: [],
      projectIds: [],
      end: async () => {
        await this.change((before) => ({ ...before, erasing: [] }));
      },
    };
  }

  async filesOf(): Promise<ErasePlace[]> {
    return [];
  }

  async filesOfSession(): Promise<ErasePlace[]> {
    return [];
  }

  async remove(): Promise<void> {
    // Nothing is there.
  }

  async removeSession(): Promise<void> {
    // Nothing is there.
  }
}

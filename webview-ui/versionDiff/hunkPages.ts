import {
  MAX_HUNKS_PER_REQUEST,
  versionDiffAnswerSchemas,
  type ShownHunk,
  type VersionDiffRequest,
} from '../../src/core/versions/view/versionDiffProtocol';
import type { RequestClient } from '../lib/requestClient';

const PAGE = Math.min(20, MAX_HUNKS_PER_REQUEST);
/** The words of so many pages are held; those that were seen longest ago are asked for again. */
const MAX_PAGES = 60;

/** The words of hunks, fetched when they come into sight. */
export class HunkPages {
  private readonly pages = new Map<number, readonly ShownHunk[] | 'asked'>();
  private stamp = 0;

  constructor(
    private readonly client: RequestClient,
    private readonly onArrived: () => void,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  /** Another comparison: nothing of the one before is shown any more. */
  begin(stamp: number): void {
    this.stamp = stamp;
    this.pages.clear();
  }

  /** The words of a hunk; undefined while they are on their way. */
  get(hunk: number): ShownHunk | undefined {
    const number = Math.floor(hunk / PAGE);
    const page = this.pages.get(number);
    if (page === undefined) this.ask(number);
    if (page === undefined || page === 'asked') return undefined;
    // The last one that was looked at is the last one that is let go.
    this.pages.delete(number);
    this.pages.set(number, page);
    return page[hunk % PAGE];
  }

  private ask(number: number): void {
    const { stamp } = this;
    this.pages.set(number, 'asked');
    const request = { type: 'hunks', stamp, from: number * PAGE, count: PAGE } satisfies VersionDiffRequest;
    this.client.ask(request, versionDiffAnswerSchemas.hunks).then(
      (answer) => {
        if (answer.stamp !== this.stamp || stamp !== this.stamp) return;
        this.pages.set(number, answer.hunks);
        this.letGo();
        this.onArrived();
      },
      (error: unknown) => {
        if (stamp !== this.stamp) return;
        this.pages.delete(number);
        this.onFailed(error);
      },
    );
  }

  private letGo(): void {
    for (const number of this.pages.keys()) {
      if (this.pages.size <= MAX_PAGES) return;
      this.pages.delete(number);
    }
  }
}

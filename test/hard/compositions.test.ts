import { checkBudgets } from '../unit/core/compositions/budgetProperty';
import { isFull, seed } from './support/effort';

describe('ten thousand compositions', function () {
  this.timeout(isFull ? 4 * 3_600_000 : 300_000);

  it('keep their budgets, hold what is pinned, and are the same when they are made again', async () => {
    await checkBudgets({ numRuns: isFull ? 10_000 : 100, seed });
  });
});

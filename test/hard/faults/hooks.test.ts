import { describeFaults } from './support/describeFaults';
import { hookScenarios } from './support/scenarios';

describeFaults('file calls that fail: hooks', hookScenarios, 'failures', { scenarios: 2, faults: 6 });
describeFaults('processes killed at a file call: hooks', hookScenarios, 'kills', { scenarios: 1, faults: 5 });

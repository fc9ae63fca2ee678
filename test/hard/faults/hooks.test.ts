import { describeFaults } from './support/describeFaults';
import { hookScenarios } from './support/scenarios';

describeFaults('file calls that fail: hooks', hookScenarios, 'failures', { scenarios: 3, faults: 8 });
describeFaults('processes killed at a file call: hooks', hookScenarios, 'kills', { scenarios: 2, faults: 6 });

import { describeFaults } from './support/describeFaults';
import { storeScenarios } from './support/scenarios';

describeFaults('file calls that fail: store', storeScenarios, 'failures', { scenarios: 2, faults: 6 });
describeFaults('processes killed at a file call: store', storeScenarios, 'kills', { scenarios: 1, faults: 5 });

import { describeFaults } from './support/describeFaults';
import { setupScenarios } from './support/scenarios';

describeFaults('file calls that fail: setup', setupScenarios, 'failures', { scenarios: 2, faults: 6 });
describeFaults('processes killed at a file call: setup', setupScenarios, 'kills', { scenarios: 1, faults: 5 });

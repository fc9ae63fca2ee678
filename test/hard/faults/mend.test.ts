import { describeFaults } from './support/describeFaults';
import { mendScenarios } from './support/scenarios';

describeFaults('file calls that fail: mend', mendScenarios, 'failures', { scenarios: 2, faults: 6 });
describeFaults('processes killed at a file call: mend', mendScenarios, 'kills', { scenarios: 1, faults: 5 });

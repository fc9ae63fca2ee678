import { describeFaults } from './support/describeFaults';
import { knowledgeScenarios } from './support/scenarios';

describeFaults('file calls that fail: knowledge', knowledgeScenarios, 'failures', { scenarios: 2, faults: 6 });
describeFaults('processes killed at a file call: knowledge', knowledgeScenarios, 'kills', { scenarios: 1, faults: 5 });

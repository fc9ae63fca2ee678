import { describeFaults } from './support/describeFaults';
import { knowledgeScenarios } from './support/scenarios';

describeFaults('file calls that fail: knowledge', knowledgeScenarios, 'failures', { scenarios: 3, faults: 8 });
describeFaults('processes killed at a file call: knowledge', knowledgeScenarios, 'kills', { scenarios: 2, faults: 6 });

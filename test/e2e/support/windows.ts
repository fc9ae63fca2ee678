import { currentStage, inRepository } from './stage';
import { useWorkbench } from './useWorkbench';
import type { Workbench } from './workbench';

/** The sample's window; no `claude` is on its PATH. */
export function useSampleWindow({ isNew = false } = {}): () => Workbench {
  return useWorkbench(currentStage(), { isSample: true, isNew, env: { PATH: '/usr/bin:/bin' } });
}

/** A window on two projects with sessions, nothing of which is in memory. VS Code's own dialogs can be driven by a test, the system's cannot. */
export function useOwnWindow(): () => Workbench {
  return useWorkbench(currentStage(), { settings: { 'files.simpleDialog.enable': true } });
}

/** A window on a project in whose sessions rules were laid down; Keepit is not enabled there. */
export function useKnowledgeWindow(): () => Workbench {
  const stage = currentStage();
  return useWorkbench(stage, { claudeFixture: inRepository(stage, 'test/fixtures/knowledge-home') });
}

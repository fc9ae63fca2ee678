import type { BuildResult } from '../knowledge/layerBuilder';
import type { EnableOptions, LayersService, LayersStatus } from '../knowledge/layersService';
import { settingsOf } from '../model/manifest';
import type { RollingService } from '../knowledge/rolling/rollingService';
import type { MemoryStore } from '../model/host';
import { changeProjectSetting } from '../sessions/configSettings';
import type { RegistrationService } from '../sessions/registration';
import { failedCheck } from '../text/keepitError';
import type { DoctorCheck, OnProgress } from '../sessions/results';
import type { HookStore } from './hooks/hookStore';
import type { HookWork } from './hooks/hookWork';

export interface RememberingParts {
  readonly store: MemoryStore;
  readonly layers: LayersService;
  readonly rolling: RollingService;
  readonly registration: RegistrationService;
  readonly hookWork: Pick<HookWork, 'refresh'>;
  readonly hookStore: Pick<HookStore, 'projectIds'>;
}

/** What is known of a project from the moment on that it is remembered. */
export interface Remembered {
  readonly status: LayersStatus;
  /** How many sessions are in memory that were not before. */
  readonly registered: number;
  readonly built: BuildResult;
}

/** Everything that makes a project remembered, in one go: nobody has to know that there are several steps. */
export class Remembering {
  constructor(private readonly parts: RememberingParts) {}

  /**
   * From now on the sessions of a project are kept and layered by themselves. Those that there are already are taken in, and what the next
   * session is given is ready. An abort keeps what was done until then; a second call goes on from there.
   */
  async remember(
    projectId: string,
    options: EnableOptions = {},
    onProgress?: OnProgress,
    signal?: AbortSignal,
  ): Promise<Remembered> {
    const { store, layers, rolling, registration, hookWork } = this.parts;
    const status = await layers.enable(projectId, options);
    await changeProjectSetting(store, projectId, { key: 'project.autoRegisterNewSessions', value: 'true' });
    const built = await layers.build(projectId, {}, onProgress, signal);
    const refs = await layers.allRefs(projectId, signal);
    await rolling.takeAll(refs, onProgress, signal);
    const { registered } = await registration.register(refs, onProgress, signal);
    await hookWork.refresh(projectId, signal);
    return { status, registered: registered.length, built };
  }

  /** Whether something is remembered of the projects in which hooks run: that they run alone keeps nothing. */
  async check(): Promise<DoctorCheck> {
    const { store, layers, hookStore } = this.parts;
    const name = 'remembered projects';
    const forgotten: string[] = [];
    try {
      const config = await store.readConfig();
      for (const projectId of await hookStore.projectIds()) {
        const manifest = await store.readManifest(projectId);
        const { autoRegisterNewSessions } = settingsOf(manifest, config);
        const { isEnabled } = await layers.status(projectId);
        if (!autoRegisterNewSessions && !isEnabled) forgotten.push(manifest?.displayName ?? projectId);
      }
    } catch (error) {
      return failedCheck(name, error);
    }
    if (forgotten.length === 0) return { name, ok: true, detail: 'what hooks see is kept' };
    const detail = `hooks run, and nothing is kept of ${forgotten.join(', ')}`;
    return { name, ok: false, detail, hint: 'Run `keepit layers enable` in its folder to have it remembered.' };
  }
}

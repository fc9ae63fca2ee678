import { commands, window, type Disposable } from 'vscode';
import type { MemoryService } from '../../core/memory';
import { isShown } from '../../core/presentation/sessionTree';
import type { DiscoveredProject, DiscoveredSession } from '../../core/sessions/results';
import { registerCommands } from '../commandTable';
import type { Feature } from '../feature';
import { commandIds, viewIds } from '../ids';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { SessionsModel } from '../sessions/sessionsModel';

export interface SampleOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly notifier: Notifier;
  readonly show: (session: DiscoveredSession) => Promise<unknown>;
  /** Opened by the environment, not by the user: a transcript is shown as well, unless something else is open by then. */
  readonly isOpenAtStart: boolean;
}

/** A memory to look around in, which is not the user's own. */
export class Sample implements Feature {
  readonly name = 'sample memory';

  constructor(private readonly options: SampleOptions) {}

  register(): Disposable {
    const { notifier } = this.options;
    const registered = registerCommands(
      [
        { id: commandIds.openSampleMemory, doing: 'opening the sample memory', run: () => this.open() },
        { id: commandIds.closeSampleMemory, doing: 'closing the sample memory', run: () => this.close() },
      ],
      notifier,
    );
    if (this.options.isOpenAtStart) void commands.executeCommand(commandIds.openSampleMemory);
    return registered;
  }

  private async open(): Promise<void> {
    const { host, model, show } = this.options;
    const { service } = await host.named('sample');
    await keepOldOnes(service);
    await host.show('sample');
    await commands.executeCommand(`${viewIds.sessions}.focus`);
    await model.refresh();
    const newest = model.shownProject?.sessions.find(isShown);
    const isAnythingOpen = window.tabGroups.all.some(({ tabs }) => tabs.length > 0);
    if (this.options.isOpenAtStart && newest !== undefined && !isAnythingOpen) await show(newest);
    const project = model.shownProject;
    if (project !== undefined) await this.learn(service, project);
  }

  /** As it would be where Keepit is enabled: everything known of the project, a notebook and a rolling memory, apart from any project. */
  private async learn(service: MemoryService, { projectId, sessions }: DiscoveredProject): Promise<void> {
    const { layers, notebook, rolling } = service;
    if ((await layers.status(projectId)).isEnabled) return;
    await layers.enable(projectId, { location: 'home' });
    await layers.build(projectId);
    const inOrder = sessions.filter(isShown).sort((a, b) => a.mtimeMs - b.mtimeMs);
    for (const session of inOrder) {
      await rolling.final(session);
      await notebook.summarize(session);
    }
    await notebook.synthesize(projectId);
  }

  private async close(): Promise<void> {
    await this.options.host.show('own');
  }
}

/** As it would be after some weeks of use: what Claude Code would have deleted by now is in memory. */
async function keepOldOnes(service: MemoryService): Promise<void> {
  const { projects } = await service.discover();
  const sessions = projects.flatMap((project) => project.sessions);
  if (sessions.some((session) => session.registered)) return;
  await service.register(sessions.filter(({ expiresInDays }) => (expiresInDays ?? 1) <= 0));
}

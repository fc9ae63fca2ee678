import path from 'node:path';
import { commands, Uri, window, workspace, type Disposable, type ExtensionContext } from 'vscode';
import * as z from 'zod/mini';
import type { MemoryService } from '../../core/memory';
import { isShown } from '../../core/sessions/view/sessionTree';
import type { DiscoveredProject } from '../../core/sessions/results';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';
import { SAMPLE_FOLDER_VARIABLE, viewIds } from '../ids';
import { SampleMemory } from '../memory/sampleMemory';

/** A memory to look around in, which is not the user's own, in a window of its own. */
export class Sample implements Feature {
  readonly name = 'sample memory';

  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'transcripts' | 'notifier'>,
    private readonly sample: SampleMemory,
  ) {}

  register(): Disposable {
    const { host, notifier } = this.context;
    if (host.isSample) {
      const doing = 'showing the sample memory';
      this.furnish().catch((error: unknown) => notifier.showError(error, doing));
    }
    return registerCommands(notifier, {
      openSampleMemory: () => this.open(),
    });
  }

  /** Whoever asks for it once more wants it as it was at first. */
  private async open() {
    const { sample } = this;
    await sample.giveUp();
    await commands.executeCommand('vscode.openFolder', Uri.file(sample.folder), { forceNewWindow: true });
  }

  /** Makes the sample's window one in which there is something to look at. */
  private async furnish() {
    const { memory, model } = this.context;
    await keepOldOnes(memory);
    await commands.executeCommand(`${viewIds.sessions}.focus`);
    await model.refresh();
    const project = model.shownProject;
    const newest = project?.sessions.find(isShown);
    const isAnythingOpen = window.tabGroups.all.some(({ tabs }) => tabs.length > 0);
    if (newest !== undefined && !isAnythingOpen) await this.context.transcripts.show(newest);
    if (project !== undefined) await this.learn(memory, project);
  }

  /** As it would be where Keepit is enabled: everything known of the project, a notebook and a rolling memory, apart from any project. */
  private async learn(service: MemoryService, { projectId, sessions }: DiscoveredProject) {
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
}

/** As it would be after some weeks of use: what Claude Code would have deleted by now is in memory. */
async function keepOldOnes(memory: MemoryService) {
  const { projects } = await memory.sessions.discover();
  const sessions = projects.flatMap((project) => project.sessions);
  if (sessions.some((session) => session.registered)) return;
  await memory.sessions.register(sessions.filter(({ expiresInDays }) => (expiresInDays ?? 1) <= 0));
}

const manifestSchema = z.object({ version: z.string() });

/** The sample that this version of the extension carries. */
export function carriedSample({ extension, extensionPath, globalStorageUri }: ExtensionContext): SampleMemory {
  return new SampleMemory({
    source: path.join(extensionPath, 'media/sample'),
    folder: process.env[SAMPLE_FOLDER_VARIABLE] ?? path.join(globalStorageUri.fsPath, 'keepit-sample'),
    version: manifestSchema.parse(extension.packageJSON).version,
  });
}

/** Whether this window is on the sample. No other folder can make itself one, whatever is in it. */
export function isOpen(sample: SampleMemory): boolean {
  const [folder, ...others] = workspace.workspaceFolders ?? [];
  return others.length === 0 && folder?.uri.toString() === Uri.file(sample.folder).toString();
}

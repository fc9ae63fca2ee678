import { Disposable, window, type Memento, type QuickPickItem } from 'vscode';
import { titleOf } from '../../core/text/formats';
import type { DiscoveredProject } from '../../core/sessions/results';
import type { LinkRequest } from '../../core/sessions/links';
import type { Uses } from '../context';
import { registerCommands, type Feature } from '../feature';

interface Choice extends QuickPickItem {
  readonly run: () => Promise<unknown>;
}

const TITLE = 'Keepit: Links to Other Projects';
const PROPOSED = 'keepit.proposedLinks';

/** What of other projects belongs to the work of one: linked from a session's menu, listed and removed for a project, proposed once in a monorepo. */
export class Links implements Feature {
  readonly name = 'links';
  private readonly looked = new Set<string>();

  constructor(
    private readonly context: Uses<'memory' | 'model' | 'targets' | 'notifier'>,
    private readonly state: Memento,
  ) {}

  register(): Disposable {
    const { model, notifier } = this.context;
    const propose = (): void => {
      this.propose().catch((error: unknown) => notifier.showError(error, 'looking for links'));
    };
    return Disposable.from(registerCommands(notifier, { links: (args) => this.run(args) }), model.onDidChange(propose));
  }

  private async run(args: readonly unknown[]): Promise<void> {
    const { targets, model } = this.context;
    const session = args.length === 0 ? undefined : await targets.one(args, { title: TITLE, wants: isInMemory });
    if (session !== undefined) {
      const { projectId: sourceProject, sessionId: sourceSession } = session;
      const target = await targets.pickProject(
        `Link “${titleOf(session)}” to the Work of a Project`,
        isOther(sourceProject),
      );
      if (target !== undefined) await this.ask({ sourceProject, sourceSession, targetProject: target.projectId });
      return;
    }
    const project = model.shownProject ?? (await targets.pickProject());
    if (project === undefined) return;
    const { memory } = this.context;
    const { links, proposed } = await memory.links.list(project.projectId);
    const choices: Choice[] = [
      ...proposed.map((link) => ({
        label: `$(link) Link ${link.sourceName}`,
        description: link.reason,
        run: () => this.add(link),
      })),
      {
        label: '$(add) Link Another Project…',
        run: async () => {
          const { projectId: targetProject } = project;
          const title = `Link a Project to ${project.displayName}`;
          const source = await targets.pickProject(title, isOther(targetProject));
          if (source !== undefined) await this.ask({ sourceProject: source.projectId, targetProject });
        },
      },
      ...links.map((link) => ({
        label: `$(trash) ${link.sourceTitle ?? link.sourceName} → ${link.targetName}`,
        description: link.reason,
        detail: 'Choose it to remove the link',
        run: async () => {
          await memory.links.remove(link.linkId);
          await this.context.notifier.tell('The link is removed.', { Undo: () => this.add(link) });
        },
      })),
    ];
    await (await window.showQuickPick(choices, { title: `${TITLE}: ${project.displayName}` }))?.run();
  }

  private async ask(link: Omit<LinkRequest, 'reason'>): Promise<void> {
    const prompt = 'Why they belong together: it is shown wherever what is linked is offered';
    const reason = await window.showInputBox({ title: TITLE, prompt, placeHolder: 'Shared library' });
    if (reason !== undefined && reason.trim() !== '') await this.add({ ...link, reason });
  }

  private async add(link: LinkRequest): Promise<void> {
    const { sourceName, sourceTitle, targetName } = await this.context.memory.links.add(link);
    void this.context.notifier.tell(`${sourceTitle ?? sourceName} is linked to ${targetName}.`);
  }

  /** Each project of a repository once, whatever the answer. */
  private async propose(): Promise<void> {
    const project = this.context.model.currentProject;
    const asked = this.state.get<string[]>(PROPOSED, []);
    if (project === undefined || asked.includes(project.projectId) || this.looked.has(project.projectId)) return;
    if (!project.sessions.some(isInMemory)) return;
    this.looked.add(project.projectId);
    const { proposed } = await this.context.memory.links.list(project.projectId);
    if (proposed.length === 0) return;
    await this.state.update(PROPOSED, [...asked, project.projectId]);
    const names = proposed.map(({ sourceName }) => sourceName).join(', ');
    const question = `${project.displayName} shares a repository with ${names}. Link them, so that each finds what the others know?`;
    await this.context.notifier.tell(question, {
      Link: async () => {
        for (const link of proposed) await this.add(link);
      },
    });
  }
}

/** What can be linked to a project, or a project to it. */
function isOther(projectId: string): (project: DiscoveredProject) => boolean {
  return (project) => project.projectId !== projectId && project.sessions.some(isInMemory);
}

function isInMemory({ registered }: { readonly registered: boolean }): boolean {
  return registered;
}

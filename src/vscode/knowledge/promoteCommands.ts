import path from 'node:path';
import { Uri, window } from 'vscode';
import type { PromoteRequest, Promotion } from '../../core/claude/promoting';
import type { Uses } from '../context';
import type { Enabling } from './enabling';
import type { FactCommands } from './factCommands';
import type { KnownProject } from './layerBuilds';

const FILES = ['CLAUDE.md', 'AGENTS.md'] as const;
const OPEN = 'Open';
const UNDO = 'Undo';

/** Writes rules and decisions into the instructions that every session is given: shown first, and with a way back. */
export class PromoteCommands {
  constructor(
    private readonly context: Uses<'memory' | 'proposals' | 'notifier'>,
    private readonly facts: FactCommands,
    private readonly enabling: Enabling,
  ) {}

  async promote(args: readonly unknown[]): Promise<void> {
    const meant = this.facts.meant(args);
    if (meant === undefined) return;
    const ids = meant.facts.map(({ id }) => id);
    await this.write(meant.project, { facts: ids });
  }

  /** `@_memory/master.md`, which Claude Code reads at each start. */
  async importMemory(args: readonly unknown[]): Promise<void> {
    const project = this.enabling.project(args);
    if (project !== undefined && (await this.enabling.isReady(project)))
      await this.write(project, { isMemoryImported: true });
  }

  private async write(project: KnownProject, what: Omit<PromoteRequest, 'file'>) {
    const { notifier, memory } = this.context;
    if (!(await this.enabling.mayWrite(project))) return;
    const file = await window.showQuickPick([...FILES], { title: 'Keepit: Write It Into', placeHolder: 'CLAUDE.md' });
    const name = FILES.find((one) => one === file);
    if (name === undefined) return;
    const request = { ...what, file: name };
    const proposal = await memory.promoting.propose(project.projectId, request);
    if (proposal.after === proposal.before) {
      void notifier.tell(`${name} says that already.`);
      return;
    }
    if (!(await this.isAgreed(proposal))) return;
    if (!(await memory.promoting.apply(project.projectId, proposal))) {
      void notifier.tell(`${name} was edited meanwhile: nothing was written.`);
      return;
    }
    await memory.hooks.refresh(project.projectId);
    const answer = await notifier.tell(`It is in ${name}: every session is given it.`, OPEN, UNDO);
    if (answer === OPEN) await window.showTextDocument(Uri.file(path.normalize(proposal.path)));
    if (answer !== UNDO) return;
    const back = await memory.promoting.propose(project.projectId, { ...request, isTakenBack: true });
    await memory.promoting.apply(project.projectId, back);
  }

  private async isAgreed({ file, path: where, before, after }: Promotion): Promise<boolean> {
    return this.context.proposals.isAgreed({
      name: file,
      before,
      after: after ?? '',
      title: `${file}: what would be added`,
      question: `Write this to ${file}?`,
      about: 'Every session of the project is given this file. Nothing else in it changes.',
      yes: { label: 'Write', description: path.normalize(where) },
      no: 'Leave It',
    });
  }
}

import { env, window, Uri } from 'vscode';
import * as z from 'zod/mini';
import path from 'node:path';
import type { FactChange } from '../../core/knowledge/facts/proposals';
import type { FactView } from '../../core/knowledge/facts/factViews';
import { oneLine } from '../../core/text/cleanText';
import type { ForeignNoteText } from '../../core/knowledge/notes/foreignNotes';
import { acceptedText, foreignPreview } from '../../core/knowledge/view/knowledgeDialogs';
import type { PromoteRequest, Promotion } from '../../core/claude/promoting';
import { isFromKey, rowsMeant } from '../watchedTree';
import type { Uses } from '../context';
import type { Enabling } from './enabling';
import type { KnowledgeTree } from './knowledgeTree';
import type { KnownProject } from './layerBuilds';

const FILES = ['CLAUDE.md', 'AGENTS.md'] as const;

interface Meant {
  readonly project: KnownProject;
  readonly facts: readonly FactView[];
}

const rowSchema = z.object({ fact: z.object({ projectId: z.string(), factId: z.string() }) });
const NAMED_LENGTH = 60;

const NOTHING_MEANT = 'Select a fact in the Knowledge view.';

const doneWords: Record<FactChange['to'], string> = {
  confirmed: 'confirmed',
  edited: 'changed',
  rejected: 'rejected. It counts no more',
  forgotten: 'forgotten. It will not come back',
};

/** What a person can say of facts. Without questions: each can be undone. */
export class FactCommands {
  constructor(
    private readonly context: Uses<'memory' | 'formats' | 'notifier'>,
    private readonly knowledge: KnowledgeTree,
    private readonly enabling: Enabling,
  ) {}

  confirm(args: readonly unknown[]): Promise<void> {
    return this.changeMeant(args, { to: 'confirmed' }, (fact) => !fact.isConfirmed);
  }

  reject(args: readonly unknown[]): Promise<void> {
    return this.changeMeant(args, { to: 'rejected' }, (fact) => fact.state !== 'rejected');
  }

  forget(args: readonly unknown[]): Promise<void> {
    return this.changeMeant(args, { to: 'forgotten' }, () => true);
  }

  async edit(args: readonly unknown[]): Promise<void> {
    const meant = this.meant(args);
    const fact = meant?.facts.find(({ state }) => state === 'valid' || state === 'review');
    if (meant === undefined || fact === undefined) return;
    const content = await window.showInputBox({
      title: 'Keepit: Put It in Other Words',
      prompt:
        fact.words === fact.content ? 'It stays the same fact, and counts as confirmed.' : oneLine(fact.content, 200),
      value: fact.words,
      valueSelection: [fact.words.length, fact.words.length],
      validateInput: (value) =>
        value.trim() === '' ? 'It cannot be left without words: forget it instead.' : undefined,
    });
    if (content === undefined || content.trim() === fact.words) return;
    await this.change({ project: meant.project, facts: [fact] }, { to: 'edited', content });
  }

  async copy(args: readonly unknown[]): Promise<void> {
    const facts = this.meant(args)?.facts ?? [];
    if (facts.length === 0) return;
    await env.clipboard.writeText(facts.map(({ content }) => content).join('\n'));
    this.context.notifier.say('It is in the clipboard.');
  }

  private async changeMeant(args: readonly unknown[], change: FactChange, applies: (fact: FactView) => boolean) {
    const meant = this.meant(args);
    const facts = meant?.facts.filter(applies) ?? [];
    if (meant !== undefined && facts.length > 0) await this.change({ ...meant, facts }, change);
  }

  private async change({ project, facts }: Meant, change: FactChange) {
    const { memory, notifier } = this.context;
    if (!(await this.enabling.mayWrite(project))) return;
    const { layers } = memory;
    const ids = facts.map(({ id }) => id);
    const { undo: taken } = await layers.changeFacts(project.projectId, ids, change);
    await notifier.tell(`${this.nameOf(facts)} ${doneWords[change.to]}.`, {
      Undo: async () => {
        await layers.undoFact(project.projectId, taken);
        notifier.say(`${this.nameOf(facts)}: as before.`);
      },
    });
  }

  private nameOf(facts: readonly FactView[]): string {
    const [only] = facts;
    const isOne = facts.length === 1 && only !== undefined;
    return isOne ? `“${oneLine(only.content, NAMED_LENGTH)}”` : this.context.formats.plural(facts.length, 'fact');
  }

  /** The facts of rows, of the row under a menu, or of the view's selection. */
  meant(args: readonly unknown[]): Meant | undefined {
    const { notifier } = this.context;
    const selected = this.knowledge.selection;
    const chosen = rowsMeant(args, selected) ?? selected;
    const ids = new Set(chosen.map((row) => rowSchema.safeParse(row).data?.fact.factId));
    const { project, content } = this.knowledge;
    const facts = content?.overview.facts.filter(({ id }) => ids.has(id)) ?? [];
    if (project !== undefined && facts.length > 0) {
      const { projectId, displayName } = project;
      return { project: { projectId, displayName }, facts };
    }
    if (!isFromKey(args[0])) void notifier.tell(NOTHING_MEANT);
    return undefined;
  }
}

interface Found {
  readonly facts: readonly FactView[];
  readonly notes: readonly ForeignNoteText[];
}

/** A row of one note; every other row stands for all that was found. */
const noteRowSchema = z.object({ kind: z.literal('note'), file: z.string() });

/** Takes over what was found in a project and this memory did not write: shows it first, and can be undone. */
export class ForeignCommands {
  constructor(
    private readonly context: Uses<'memory' | 'proposals' | 'formats' | 'notifier'>,
    private readonly enabling: Enabling,
  ) {}

  async accept(args: readonly unknown[]): Promise<void> {
    const { proposals, notifier, formats } = this.context;
    const { enabling } = this;
    const project = enabling.project(args);
    if (project === undefined || !(await enabling.isReady(project))) return;
    const found = await this.found(project, args);
    if (found.facts.length + found.notes.length === 0) {
      void notifier.tell(`Nothing waits in ${project.displayName} that is not from you.`);
      return;
    }
    const count = acceptedText(found, formats);
    const isAgreed = await proposals.isAgreed({
      name: 'found-in-this-project.md',
      before: '',
      after: foreignPreview(found),
      title: `Found in ${project.displayName}: ${count}`,
      question: `Accept what was found in ${project.displayName}?`,
      about: `${count}. From then on Claude is told of it as if it were from you.`,
      yes: { label: 'Accept All', description: count },
      no: 'Leave It Off',
    });
    if (isAgreed) await this.acceptAll(project, found);
  }

  private async found({ projectId }: KnownProject, args: readonly unknown[]): Promise<Found> {
    const { layers, notebook } = this.context.memory;
    const notes = await notebook.foreign(projectId);
    const row = noteRowSchema.safeParse(args[0]);
    if (row.success) return { facts: [], notes: notes.filter(({ file }) => file === row.data.file) };
    return { facts: (await layers.foreign(projectId)).facts, notes };
  }

  private async acceptAll(project: KnownProject, { facts, notes }: Found) {
    const { memory, notifier, formats } = this.context;
    const { projectId } = project;
    const { layers, notebook } = memory;
    const ids = facts.map(({ id }) => id);
    const undo = ids.length === 0 ? undefined : (await layers.changeFacts(projectId, ids, { to: 'confirmed' })).undo;
    const { accepted, changed } = await notebook.accept(projectId, notes);
    const late =
      changed.length === 0 ? '' : ` ${formats.plural(changed.length, 'note')} changed meanwhile, and stayed off.`;
    await notifier.tell(`${acceptedText({ facts, notes: accepted }, formats)} accepted.${late}`, {
      Undo: async () => {
        if (undo !== undefined) await layers.undoFact(projectId, undo);
        await notebook.disown(projectId, accepted);
        notifier.say('What was found in the project is off again.');
      },
    });
  }
}

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
    await notifier.tell(`It is in ${name}: every session is given it.`, {
      Open: () => window.showTextDocument(Uri.file(path.normalize(proposal.path))),
      Undo: async () => {
        const back = await memory.promoting.propose(project.projectId, { ...request, isTakenBack: true });
        await memory.promoting.apply(project.projectId, back);
      },
    });
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

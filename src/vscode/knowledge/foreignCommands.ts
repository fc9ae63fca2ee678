import { window } from 'vscode';
import * as z from 'zod/mini';
import type { FactUndo } from '../../core/knowledge/facts/factChanges';
import type { FactView } from '../../core/knowledge/facts/factViews';
import type { AcceptedNotes, ForeignNoteText } from '../../core/knowledge/notes/foreignNotes';
import { acceptedText, foreignPreview } from '../../core/presentation/knowledgeDialogs';
import type { Formats } from '../../core/text/formats';
import type { MemoryHost } from '../memory/memoryHost';
import type { Notifier } from '../notifier';
import type { Proposals } from '../proposals';
import type { Enabling } from './enabling';
import type { KnowledgeModel } from './knowledgeModel';
import type { KnownProject } from './layerBuilds';

export interface ForeignCommandsOptions {
  readonly host: MemoryHost;
  readonly knowledge: KnowledgeModel;
  readonly enabling: Enabling;
  readonly proposals: Proposals;
  readonly formats: Formats;
  readonly notifier: Notifier;
}

interface Found {
  readonly facts: readonly FactView[];
  readonly notes: readonly ForeignNoteText[];
}

/** A row of one note; every other row stands for all that was found. */
const noteRowSchema = z.object({ kind: z.literal('note'), file: z.string() });
const STATUS_MS = 4000;

/** Takes over what was found in a project and this memory did not write: shows it first, and can be undone. */
export class ForeignCommands {
  constructor(private readonly options: ForeignCommandsOptions) {}

  async accept(args: readonly unknown[]): Promise<void> {
    const { enabling, proposals, notifier, formats } = this.options;
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
    const { layers, notebook } = (await this.options.host.memory()).service;
    const notes = await notebook.foreign(projectId);
    const row = noteRowSchema.safeParse(args[0]);
    if (row.success) return { facts: [], notes: notes.filter(({ file }) => file === row.data.file) };
    return { facts: (await layers.foreign(projectId)).facts, notes };
  }

  private async acceptAll(project: KnownProject, { facts, notes }: Found): Promise<void> {
    const { host, knowledge, notifier, formats } = this.options;
    const { projectId } = project;
    const { layers, notebook } = (await host.memory()).service;
    const ids = facts.map(({ id }) => id);
    let undo: FactUndo | undefined;
    let outcome: AcceptedNotes;
    try {
      undo = ids.length === 0 ? undefined : (await layers.changeFacts(projectId, ids, { to: 'confirmed' })).undo;
      outcome = await notebook.accept(projectId, notes);
    } finally {
      knowledge.refresh();
    }
    const { accepted, changed } = outcome;
    const late =
      changed.length === 0 ? '' : ` ${formats.plural(changed.length, 'note')} changed meanwhile, and stayed off.`;
    const label = 'Undo';
    const told = `${acceptedText({ facts, notes: accepted }, formats)} accepted.${late}`;
    if ((await notifier.tell(told, label)) !== label) return;
    try {
      if (undo !== undefined) await layers.undoFact(projectId, undo);
      await notebook.disown(projectId, accepted);
    } finally {
      knowledge.refresh();
    }
    window.setStatusBarMessage('What was found in the project is off again.', STATUS_MS);
  }
}

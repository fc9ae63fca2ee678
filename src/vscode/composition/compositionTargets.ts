import { window, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import { compositionNode } from '../../core/presentation/compositionTree';
import type { Formats } from '../../core/text/formats';
import type { CompositionRef, TreeNode } from '../../core/presentation/treeNode';
import type { CompositionsModel } from './compositionsModel';
import { compositionOf } from './compositionFiles';

const refSchema = z.object({ projectId: z.string(), name: z.string() });
/** A row of the view, as menus and clicks pass it, and what panels and messages pass. */
const rowSchema = z.object({ composition: refSchema });
/** What our own key bindings pass. */
const bindingSchema = z.object({ from: z.literal('selection') });

export interface CompositionTargetsOptions {
  readonly model: CompositionsModel;
  readonly formats: Formats;
  /** The rows that are selected in the compositions view. */
  readonly selection: () => readonly TreeNode[];
}

interface CompositionItem extends QuickPickItem {
  readonly composition: CompositionRef;
}

/** Finds out which composition a command is about: a row, the selection, the document that is read, or one that the user picks. */
export class CompositionTargets {
  constructor(private readonly options: CompositionTargetsOptions) {}

  async one(args: readonly unknown[], title: string): Promise<CompositionRef | undefined> {
    return this.named(args)[0] ?? (args[0] === undefined ? this.pick(title) : undefined);
  }

  /** All compositions meant. */
  async many(args: readonly unknown[], title: string): Promise<CompositionRef[]> {
    const named = this.named(args);
    if (named.length > 0 || args[0] !== undefined) return named;
    const picked = await this.pick(title);
    return picked === undefined ? [] : [picked];
  }

  private named([first, rows]: readonly unknown[]): CompositionRef[] {
    if (bindingSchema.safeParse(first).success) return placesOf(this.options.selection());
    if (Array.isArray(rows) && rows.length > 0) return placesOf(rows);
    if (first !== undefined) return placesOf([first]);
    const uri = window.activeTextEditor?.document.uri;
    const open = uri === undefined ? undefined : compositionOf(uri);
    return open === undefined ? [] : [open];
  }

  private async pick(title: string): Promise<CompositionRef | undefined> {
    const { model, formats } = this.options;
    const compositions = await model.all();
    if (compositions.length === 0) {
      void window.showInformationMessage('There is no composition yet: “Keepit: Compose Context…” makes one.');
      return undefined;
    }
    const options = { formats, nowMs: Date.now(), armed: undefined, titleOf: () => undefined };
    const items = compositions.map((composition): CompositionItem => {
      const { label, description } = compositionNode(composition, options);
      const { projectId, record } = composition;
      return { label, description, composition: { projectId, name: record.name } };
    });
    const chosen = await window.showQuickPick(items, { title, placeHolder: 'Type to find a composition' });
    return chosen?.composition;
  }
}

function placesOf(rows: readonly unknown[]): CompositionRef[] {
  return rows.flatMap((row) => rowSchema.safeParse(row).data?.composition ?? []);
}

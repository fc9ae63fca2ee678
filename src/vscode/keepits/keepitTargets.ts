import { Uri, window, workspace, type TextDocument } from 'vscode';
import * as z from 'zod/mini';
import type { KeepitMark } from '../../core/presentation/keepitMarks';
import type { TreeNode } from '../../core/presentation/treeNode';
import type { KeepitRef } from '../../core/sessions/results';
import type { KeepitListings } from './keepitChanges';
import type { KeepitsModel } from './keepitsModel';
import type { MarkSources } from './markSources';

/** What commands need to know of a keepit. */
interface KeepitFacts extends Pick<KeepitMark, 'weight' | 'ownWeight' | 'state' | 'origin'> {
  /** What is marked. */
  readonly content: string;
}

/** A keepit that a command is about: in memory, or a marker in a document of the user's own. */
export type KeepitTarget =
  | (KeepitFacts & { readonly kind: 'memory'; readonly ref: KeepitRef })
  | (KeepitFacts & { readonly kind: 'text'; readonly document: TextDocument; readonly mark: KeepitMark });

const refSchema = z.object({ projectId: z.string(), sessionId: z.string(), markerId: z.string() });
/** A row of the view, as menus and clicks pass it, and what lenses and hovers pass. */
const rowSchema = z.object({ keepit: refSchema });
const placeSchema = z.object({ uri: z.string(), line: z.number(), column: z.number() });
/** What our own key bindings pass. */
const bindingSchema = z.object({ from: z.literal('selection') });

/** Whether a key was pressed in the view: on a row that is no keepit that means nothing, and is no mistake. */
export function isFromKey(argument: unknown): boolean {
  return bindingSchema.safeParse(argument).success;
}

export interface KeepitTargetsOptions {
  readonly model: KeepitsModel;
  readonly listings: KeepitListings;
  readonly sources: MarkSources;
  /** The rows that are selected in the keepits view. */
  readonly selection: () => readonly TreeNode[];
}

/** Finds out which keepits a command is about: rows, the mark under a lens or the cursor, or the view's selection. */
export class KeepitTargets {
  constructor(private readonly options: KeepitTargetsOptions) {}

  async resolve([first, rows]: readonly unknown[]): Promise<KeepitTarget[]> {
    if (isFromKey(first)) return this.ofRows(this.options.selection());
    if (Array.isArray(rows) && rows.length > 0) return this.ofRows(rows);
    const place = placeSchema.safeParse(first);
    if (place.success) {
      const document = await workspace.openTextDocument(Uri.parse(place.data.uri, true));
      return this.ofDocument(document, place.data);
    }
    if (first !== undefined) return this.ofRows([first]);
    const editor = window.activeTextEditor;
    const { line, character } = editor?.selection.active ?? { line: 0, character: 0 };
    const atCursor = editor === undefined ? [] : await this.ofDocument(editor.document, { line, column: character });
    return atCursor.length > 0 ? atCursor : this.ofRows(this.options.selection());
  }

  private async ofRows(rows: readonly unknown[]): Promise<KeepitTarget[]> {
    const targets: KeepitTarget[] = [];
    for (const row of rows) {
      const parsed = rowSchema.safeParse(row);
      if (!parsed.success) continue;
      const ref = parsed.data.keepit;
      const known = this.options.model.find(ref)?.keepit;
      if (known === undefined) targets.push(...(await this.ofRef(ref)));
      else targets.push(targetOf(ref, known));
    }
    return targets;
  }

  private async ofRef(ref: KeepitRef): Promise<KeepitTarget[]> {
    const keepit = await this.options.listings.find(ref);
    return keepit === undefined ? [] : [targetOf(ref, keepit)];
  }

  private async ofDocument(document: TextDocument, place: { line: number; column: number }): Promise<KeepitTarget[]> {
    const marked = await this.options.sources.get(document);
    const mark = marked?.index.at(place);
    if (marked === undefined || mark === undefined) return [];
    if (mark.ref !== undefined) return this.ofRef(mark.ref);
    if (mark.origin !== 'text') return [];
    const { weight, ownWeight, state, origin, preview } = mark;
    return [{ kind: 'text', document, mark, weight, ownWeight, state, origin, content: preview }];
  }
}

function targetOf(
  ref: KeepitRef,
  keepit: { effectiveWeight: number; weight: number; content: string } & Pick<KeepitMark, 'state'> & {
      origin: 'transcript' | 'overlay';
    },
): KeepitTarget {
  const { effectiveWeight, weight, state, origin, content } = keepit;
  return { kind: 'memory', ref, weight: effectiveWeight, ownWeight: weight, state, origin, content };
}

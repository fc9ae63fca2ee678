import { window, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import type { ListedVersion } from '../../core/versions/versionListing';
import type { Formats } from '../../core/text/formats';
import type { TreeNode, VersionRef } from '../../core/presentation/treeNode';
import { versionNode } from '../../core/presentation/versionTree';
import type { SessionRef } from '../../core/sessions/results';
import type { VersionsModel } from './versionsModel';
import { versionOf } from './versionFiles';

const refSchema = z.object({ projectId: z.string(), sessionId: z.string(), versionId: z.string() });
/** A row of the view, as menus and clicks pass it, and what panels and messages pass. */
const rowSchema = z.object({ version: refSchema });
/** What our own key bindings pass. */
const bindingSchema = z.object({ from: z.literal('selection') });

export interface VersionTargetsOptions {
  readonly model: VersionsModel;
  readonly formats: Formats;
  /** The rows that are selected in the versions view. */
  readonly selection: () => readonly TreeNode[];
}

/** Versions of one session. */
export interface VersionTarget {
  readonly session: SessionRef;
  readonly versionIds: readonly string[];
}

interface VersionItem extends QuickPickItem {
  readonly versionId: string;
}

/** Finds out which versions a command is about: rows, the selection, the document that is read, or the ones that the user picks. */
export class VersionTargets {
  constructor(private readonly options: VersionTargetsOptions) {}

  /** All versions meant; they are of one session. Undefined when the user went away. */
  async many(args: readonly unknown[], title: string): Promise<VersionTarget | undefined> {
    return this.named(args) === undefined ? this.pick(title, true) : this.given(args);
  }

  /** The versions that the call, the selection or the open document names, without asking; undefined when there are none. */
  given(args: readonly unknown[]): VersionTarget | undefined {
    return targetOf(this.named(args) ?? []);
  }

  async one(args: readonly unknown[], title: string): Promise<VersionRef | undefined> {
    const named = this.named(args);
    if (named !== undefined) return named[0];
    const picked = await this.pick(title, false);
    const [versionId] = picked?.versionIds ?? [];
    if (picked === undefined || versionId === undefined) return undefined;
    return { ...picked.session, versionId };
  }

  /** What is known of a version that is shown. */
  listed({ projectId, sessionId, versionId }: VersionRef): ListedVersion | undefined {
    const { shown } = this.options.model;
    const isShown = shown?.session.projectId === projectId && shown.session.sessionId === sessionId;
    return isShown ? shown.listing?.versions.find((version) => version.versionId === versionId) : undefined;
  }

  private named([first, rows]: readonly unknown[]): VersionRef[] | undefined {
    if (bindingSchema.safeParse(first).success) return versionsOf(this.options.selection());
    if (Array.isArray(rows) && rows.length > 0) return versionsOf(rows);
    if (first !== undefined) return versionsOf([first]);
    const uri = window.activeTextEditor?.document.uri;
    const open = uri === undefined ? undefined : versionOf(uri);
    return open === undefined ? undefined : [open];
  }

  private async pick(title: string, canPickMany: boolean): Promise<VersionTarget | undefined> {
    const { model, formats } = this.options;
    const session = model.shown?.session ?? model.session;
    const versions = model.shown?.listing?.versions ?? [];
    if (session === undefined || versions.length === 0) {
      void window.showInformationMessage('Select a session that has versions first.');
      return undefined;
    }
    const context = { session, formats, nowMs: Date.now(), wordsOf: () => undefined };
    const items = versions.map((version): VersionItem => {
      const { description } = versionNode(version, context);
      return { versionId: version.versionId, label: version.versionId, description };
    });
    const options = { title, placeHolder: 'Type to find a version', matchOnDescription: true };
    const chosen = canPickMany
      ? await window.showQuickPick(items, { ...options, canPickMany: true })
      : await window.showQuickPick(items, options);
    const picked = chosen === undefined ? [] : Array.isArray(chosen) ? chosen : [chosen];
    if (picked.length === 0) return undefined;
    const { projectId, sessionId } = session;
    return { session: { projectId, sessionId }, versionIds: picked.map(({ versionId }) => versionId) };
  }
}

function versionsOf(rows: readonly unknown[]): VersionRef[] {
  return rows.flatMap((row) => rowSchema.safeParse(row).data?.version ?? []);
}

/** The view shows one session at a time: all of its rows are of the same one. */
function targetOf(versions: readonly VersionRef[]): VersionTarget | undefined {
  const [first] = versions;
  if (first === undefined) return undefined;
  const { projectId, sessionId } = first;
  const own = versions.filter((version) => version.projectId === projectId && version.sessionId === sessionId);
  return { session: { projectId, sessionId }, versionIds: own.map(({ versionId }) => versionId) };
}

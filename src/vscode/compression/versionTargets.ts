import { window, type QuickPickItem } from 'vscode';
import * as z from 'zod/mini';
import type { ListedVersion } from '../../core/versions/versionListing';
import type { Formats } from '../../core/text/formats';
import type { TreeNode, VersionRef } from '../../core/presentation/treeNode';
import { versionNode } from '../../core/presentation/versionTree';
import type { MemoryHost, MemoryName } from '../memory/memoryHost';
import type { SessionPlace } from './versionChanges';
import type { VersionsModel } from './versionsModel';
import { versionOf, type VersionPlace } from './versionUri';

const refSchema = z.object({ projectId: z.string(), sessionId: z.string(), versionId: z.string() });
/** A row of the view, as menus and clicks pass it. */
const rowSchema = z.object({ version: refSchema });
/** What panels and messages pass. */
const namedSchema = z.object({ memory: z.enum(['own', 'sample']), version: refSchema });
/** What our own key bindings pass. */
const bindingSchema = z.object({ from: z.literal('selection') });

export interface VersionTargetsOptions {
  readonly host: MemoryHost;
  readonly model: VersionsModel;
  readonly formats: Formats;
  /** The rows that are selected in the versions view. */
  readonly selection: () => readonly TreeNode[];
}

/** Versions of one session. */
export interface VersionTarget extends SessionPlace {
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

  async one(args: readonly unknown[], title: string): Promise<VersionPlace | undefined> {
    const named = this.named(args);
    if (named !== undefined) return named[0];
    const picked = await this.pick(title, false);
    const [versionId] = picked?.versionIds ?? [];
    if (picked === undefined || versionId === undefined) return undefined;
    return { ...picked.session, memory: picked.memory, versionId };
  }

  /** What is known of a version that is shown. */
  listed({ projectId, sessionId, versionId }: VersionRef): ListedVersion | undefined {
    const { shown } = this.options.model;
    const isShown = shown?.session.projectId === projectId && shown.session.sessionId === sessionId;
    return isShown ? shown.listing?.versions.find((version) => version.versionId === versionId) : undefined;
  }

  private named([first, rows]: readonly unknown[]): VersionPlace[] | undefined {
    const memory = this.options.host.current;
    if (bindingSchema.safeParse(first).success) return placesOf(this.options.selection(), memory);
    if (Array.isArray(rows) && rows.length > 0) return placesOf(rows, memory);
    const named = namedSchema.safeParse(first);
    if (named.success) return [{ memory: named.data.memory, ...named.data.version }];
    if (first !== undefined) return placesOf([first], memory);
    const uri = window.activeTextEditor?.document.uri;
    const open = uri === undefined ? undefined : versionOf(uri);
    return open === undefined ? undefined : [open];
  }

  private async pick(title: string, canPickMany: boolean): Promise<VersionTarget | undefined> {
    const { model, host, formats } = this.options;
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
    return {
      memory: host.current,
      session: { projectId, sessionId },
      versionIds: picked.map(({ versionId }) => versionId),
    };
  }
}

function placesOf(rows: readonly unknown[], memory: MemoryName): VersionPlace[] {
  return rows.flatMap((row) => {
    const parsed = rowSchema.safeParse(row);
    return parsed.success ? [{ memory, ...parsed.data.version }] : [];
  });
}

/** The view shows one session at a time: all of its rows are of the same one. */
function targetOf(places: readonly VersionPlace[]): VersionTarget | undefined {
  const [first] = places;
  if (first === undefined) return undefined;
  const { memory, projectId, sessionId } = first;
  const own = places.filter((place) => place.projectId === projectId && place.sessionId === sessionId);
  return { memory, session: { projectId, sessionId }, versionIds: own.map(({ versionId }) => versionId) };
}

import type { WebviewPanel } from 'vscode';
import { ORIGINAL, type VersionDiff } from '../../core/versions/diff/types';
import { titleOf } from '../../core/text/formats';
import {
  versionDiffRequestSchema,
  type VersionDiffData,
  type VersionDiffScope,
  type VersionDiffEvent,
} from '../../core/versions/view/versionDiffProtocol';
import { diffData } from '../../core/versions/view/versionDiffView';
import { versionTitle } from '../../core/versions/view/versionTexts';
import type { Uses } from '../context';
import { columnBeside, Panel, sessionShown } from '../panels/panel';

/** `v002 Aggressive 30:1`, `part1_v002 Light`: the part belongs to the name where versions of all parts are listed. */
function labelOf(version: Parameters<typeof versionTitle>[0]): string {
  const { versionId } = version;
  return [/^part\d+_/.exec(versionId)?.[0] ?? '', versionTitle(version)].join('');
}

/** One comparison that is open: of any two versions of one session. */
export class VersionDiffPanel extends Panel<VersionDiffScope, VersionDiffEvent> {
  private lastStamp = 0;
  private chosen: Pick<VersionDiffScope, 'a' | 'b'>;
  private shown: { readonly stamp: number; readonly diff: VersionDiff } | undefined;

  constructor(
    scope: VersionDiffScope,
    panel: WebviewPanel,
    private readonly context: Uses<'memory' | 'transcripts' | 'listings' | 'extensionUri' | 'log'>,
  ) {
    super(scope, panel, context, { name: 'versionDiff', title: 'Compare Versions' });
    this.chosen = scope;
  }

  /** The command was called for these two. */
  choose(a: string, b: string): void {
    this.chosen = { a, b };
    this.tell({ type: 'choose', a, b });
  }

  protected async answer(body: unknown, closing: AbortSignal): Promise<unknown> {
    const request = versionDiffRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load(request, closing);
      case 'hunks':
        return this.hunks(request);
      case 'open':
        return { isShown: await this.open(request.messageUuid) };
    }
  }

  private open(messageUuid: string): Promise<boolean> {
    const { projectId, sessionId } = this.scope;
    return this.context.transcripts.reach({ projectId, sessionId, messageUuid }, { viewColumn: columnBeside() });
  }

  /**
   * A newer comparison supersedes an older one, whose work ends. A view without a memory gets what the panel was opened for, and a version
   * that was deleted meanwhile gives way to the original, or to the latest one. Throws `SessionLookupError`.
   */
  private async load(asked: Pick<VersionDiffScope, 'a' | 'b'>, closing: AbortSignal): Promise<VersionDiffData> {
    const { memory, listings } = this.context;
    const wanted = asked.a === '' ? this.chosen : asked;
    const signal = this.newest(closing);
    const { project, session } = await sessionShown(memory, this.scope, signal);
    const { versions } = await memory.versions.list(session, signal);
    const ids = [ORIGINAL, ...versions.map(({ versionId }) => versionId)];
    const a = ids.includes(wanted.a) ? wanted.a : ORIGINAL;
    const b = ids.includes(wanted.b) ? wanted.b : (ids.at(-1) ?? ORIGINAL);
    const diff = await memory.versions.compare(session, a, b, signal);
    const words = await listings.words(session);
    const choices = versions.map((version) => ({ versionId: version.versionId, label: labelOf(version) }));
    const stamp = ++this.lastStamp;
    this.chosen = { a, b };
    this.shown = { stamp, diff };
    this.panel.title = `Compare: ${titleOf(session)}`;
    const about = {
      scope: { ...this.scope, a, b },
      title: titleOf(session),
      project: project.displayName,
      choices: [{ versionId: ORIGINAL, label: 'Original' }, ...choices],
      stamp,
    };
    return diffData(diff, about, (markerId) => words.get(markerId));
  }

  private hunks({ stamp, from, count }: { stamp: number; from: number; count: number }): unknown {
    const hunks = this.shown?.stamp === stamp ? this.shown.diff.hunks.slice(from, from + count) : [];
    return { stamp, hunks };
  }
}

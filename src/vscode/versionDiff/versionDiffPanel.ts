import type { ViewColumn, WebviewPanel } from 'vscode';
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
import type { KeepitListings } from '../keepits/keepitListings';
import type { MemoryService } from '../../core/memory';
import type { Uses } from '../context';
import { columnBeside, Panel, sessionShown } from '../panels/panel';

/** What a panel shows, and the words of its hunks, which it asks for later. */
interface LoadedDiff {
  readonly data: VersionDiffData;
  readonly diff: VersionDiff;
}

/** Collects what the version diff shows. */
class VersionDiffSource {
  private lastStamp = 0;

  constructor(
    private readonly memory: MemoryService,
    private readonly listings: KeepitListings,
  ) {}

  /** A version that was deleted meanwhile gives way to the original, or to the latest one. Throws `SessionLookupError`. */
  async load(wanted: VersionDiffScope, signal: AbortSignal): Promise<LoadedDiff> {
    const { projectId, sessionId } = wanted;
    const ref = { projectId, sessionId };
    const { project, session } = await sessionShown(this.memory, ref, signal);
    const { versions } = await this.memory.versions.list(ref, signal);
    const ids = [ORIGINAL, ...versions.map(({ versionId }) => versionId)];
    const a = ids.includes(wanted.a) ? wanted.a : ORIGINAL;
    const b = ids.includes(wanted.b) ? wanted.b : (ids.at(-1) ?? ORIGINAL);
    const diff = await this.memory.versions.compare(ref, a, b, signal);
    const words = await this.listings.words(session);
    const choices = versions.map((version) => ({ versionId: version.versionId, label: labelOf(version) }));
    const about = {
      scope: { ...wanted, a, b },
      title: titleOf(session),
      project: project.displayName,
      choices: [{ versionId: ORIGINAL, label: 'Original' }, ...choices],
      stamp: ++this.lastStamp,
    };
    return { data: diffData(diff, about, (markerId) => words.get(markerId)), diff };
  }
}

/** `v002 Aggressive 30:1`, `part1_v002 Light`: the part belongs to the name where versions of all parts are listed. */
function labelOf(version: Parameters<typeof versionTitle>[0]): string {
  const { versionId } = version;
  return [/^part\d+_/.exec(versionId)?.[0] ?? '', versionTitle(version)].join('');
}

/** One comparison that is open: of any two versions of one session. */
export class VersionDiffPanel extends Panel<VersionDiffScope, VersionDiffEvent> {
  private readonly source: VersionDiffSource;
  private chosen: Pick<VersionDiffScope, 'a' | 'b'>;
  private shown: { readonly stamp: number; readonly diff: VersionDiff } | undefined;

  constructor(
    scope: VersionDiffScope,
    panel: WebviewPanel,
    context: Uses<'memory' | 'listings' | 'extensionUri' | 'log'>,
    /** Shows a message of the session, in that column. */
    private readonly showMessage: (
      scope: VersionDiffScope,
      messageUuid: string,
      column: ViewColumn,
    ) => Promise<boolean>,
  ) {
    super(scope, panel, context, { name: 'versionDiff', title: 'Compare Versions' });
    this.source = new VersionDiffSource(context.memory, context.listings);
    this.chosen = scope;
  }

  /** The command was called for these two. */
  choose(a: string, b: string): void {
    this.chosen = { a, b };
    this.tell({ type: 'choose', a, b });
  }

  private get current(): VersionDiffScope {
    return { ...this.scope, a: this.chosen.a, b: this.chosen.b };
  }

  protected async answer(body: unknown, closing: AbortSignal): Promise<unknown> {
    const request = versionDiffRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load(request, closing);
      case 'hunks':
        return this.hunks(request);
      case 'open':
        return { isShown: await this.showMessage(this.current, request.messageUuid, columnBeside()) };
    }
  }

  /** A newer comparison supersedes an older one, whose work ends. A view without a memory gets what the panel was opened for. */
  private async load(wanted: Pick<VersionDiffScope, 'a' | 'b'>, closing: AbortSignal): Promise<unknown> {
    if (wanted.a !== '') this.chosen = { a: wanted.a, b: wanted.b };
    const { data, diff } = await this.source.load(this.current, this.newest(closing));
    this.chosen = { a: data.scope.a, b: data.scope.b };
    this.shown = { stamp: data.stamp, diff };
    this.panel.title = `Compare: ${data.title}`;
    return data;
  }

  private hunks({ stamp, from, count }: { stamp: number; from: number; count: number }): unknown {
    const hunks = this.shown?.stamp === stamp ? this.shown.diff.hunks.slice(from, from + count) : [];
    return { stamp, hunks };
  }
}

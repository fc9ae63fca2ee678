import { readActivity, readGiven, type HookActivity } from '../../model/hookActivity';
import type { BriefItem } from '../../model/preparedBrief';
import { EstimatingTokenCounter } from '../../text/tokens/estimatingTokenCounter';
import { makeProjectBrief, type BriefPreparerParts } from './briefPreparer';
import { briefText } from './briefText';
import type { SessionRef } from '../../sessions/results';
import type { HookFile, HookStore } from './hookStore';
import { sumOf } from '../../text/ownValue';

/** What the next session would be given. */
interface Brief {
  readonly text: string;
  readonly tokens: number;
  /** With what `layers.why` is asked about each, where it rests on something that was said. */
  readonly items: readonly (Pick<BriefItem, 'text' | 'kind' | 'trust' | 'sources'> & {
    readonly id?: string | undefined;
  })[];
}

/** What hooks did for a session, in figures. */
export interface HookSession {
  readonly projectId: string;
  readonly sessionId: string;
  /** How often hooks ran. */
  readonly firings: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly injectedTokens: number;
  readonly injectedUnits: number;
  readonly capturedMessages: number;
  readonly problems: number;
}

/** What Claude Code's hooks did: what they gave to which session, what they took into memory, and what went wrong. */
export class HooksService {
  /** By the path of the file that they were read from, as it was then: a view asks anew after every hook. */
  private readonly known = new Map<string, { readonly file: HookFile; readonly figures: Figures }>();

  constructor(
    private readonly hookStore: HookStore,
    private readonly parts: BriefPreparerParts,
  ) {}

  /** The last lines of the log, oldest first. */
  async log(count = 200): Promise<string[]> {
    return this.hookStore.logLines(count);
  }

  /** What the next session of a project would be given, about certain files where they are named. Throws `StoreError`. */
  async brief(projectId: string, options: { files?: readonly string[] } = {}, signal?: AbortSignal): Promise<Brief> {
    const { items } = (await makeProjectBrief(this.parts, projectId, options.files, signal)).brief;
    const text = briefText(items);
    return {
      text,
      tokens: new EstimatingTokenCounter().count(text),
      items: items.map(({ text: line, kind, trust, sources, factId }) => {
        return { id: factId ?? sources[0]?.messageUuid, text: line, kind, trust, sources };
      }),
    };
  }

  /** Every hook that ran in a session, oldest first; empty when none did. */
  async activity(projectId: string, sessionId: string): Promise<HookActivity[]> {
    return readActivity((await this.hookStore.activity(projectId, sessionId)) ?? '');
  }

  /** What was given to a session as a whole, by the keys of its pieces. A session that was given very much has not all of it. */
  async given(projectId: string, sessionId: string): Promise<ReadonlyMap<string, string>> {
    return readGiven((await this.hookStore.given(projectId, sessionId)) ?? '');
  }

  /** The sessions in which hooks ran, of all projects when `projectId` is absent, the latest first. */
  async sessions(projectId?: string): Promise<HookSession[]> {
    const { hookStore } = this;
    const sessions: HookSession[] = [];
    for (const id of projectId === undefined ? await hookStore.projectIds() : [projectId]) {
      for (const [sessionId, file] of await hookStore.activityFiles(id)) {
        const figures = await this.figures({ projectId: id, sessionId }, file);
        if (figures !== undefined) sessions.push({ projectId: id, sessionId, ...figures });
      }
    }
    return sessions.sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
  }

  private async figures({ projectId, sessionId }: SessionRef, file: HookFile): Promise<Figures | undefined> {
    const known = this.known.get(file.path);
    if (known?.file.bytes === file.bytes && known.file.mtimeMs === file.mtimeMs) return known.figures;
    const figures = figuresOf(await this.activity(projectId, sessionId));
    if (figures !== undefined) this.known.set(file.path, { file, figures });
    return figures;
  }
}

type Figures = Omit<HookSession, 'projectId' | 'sessionId'>;

function figuresOf(activity: readonly HookActivity[]): Figures | undefined {
  const [first, last] = [activity[0], activity.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const sum = (of: (one: HookActivity) => number | undefined): number => sumOf(activity, (one) => of(one) ?? 0);
  return {
    firings: activity.length,
    firstAt: first.at,
    lastAt: last.at,
    injectedTokens: sum(({ injected }) => injected?.tokens),
    injectedUnits: sum(({ injected }) => injected?.units),
    capturedMessages: sum(({ captured }) => captured?.messages),
    problems: activity.filter(({ problem }) => problem !== undefined).length,
  };
}

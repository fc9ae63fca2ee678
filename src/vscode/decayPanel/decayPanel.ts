import type { WebviewPanel } from 'vscode';
import { SessionLookupError } from '../../core/sessions/sessionLookupError';
import type { MemoryService } from '../../core/memory';
import { oneLine } from '../../core/text/cleanText';
import {
  decayRequestSchema,
  type DecayData,
  type DecayMarker,
  type DecayScope,
  type DecayPanelRequest,
} from '../../core/sessions/view/decayPanel';
import { distanceIn } from '../../core/sessions/view/keepitOutlook';
import { isShown } from '../../core/sessions/view/sessionTree';
import { titleOf } from '../../core/text/formats';
import { mapLimited } from '../../core/text/mapLimited';
import type { DecayContext, DiscoveredSession, KeepitRef } from '../../core/sessions/results';
import type { KeepitListings } from '../keepits/keepitListings';
import type { Uses } from '../context';
import type { KeepitCommands } from '../keepits/keepitCommands';
import { Panel } from '../panels/panel';

const PARALLEL_READINGS = 4;
const PREVIEW_LENGTH = 240;

/** What a panel shows, and which keepit each of its rows is. */
interface LoadedDecay {
  readonly data: DecayData;
  readonly refs: ReadonlyMap<string, KeepitRef>;
}

/** Collects what the decay preview shows. */
class DecaySource {
  constructor(
    private readonly memory: MemoryService,
    private readonly listings: KeepitListings,
  ) {}

  /** Throws `SessionLookupError` when the session, or all of the project, is gone. */
  async load(scope: DecayScope, signal: AbortSignal): Promise<LoadedDecay> {
    const { projectId, sessionId } = scope;
    const { projects } = await this.memory.sessions.discover(
      { projectIds: [projectId], ...(sessionId !== undefined && { sessionId }) },
      signal,
    );
    const [project] = projects;
    const session = project?.sessions.find((one) => one.sessionId === sessionId);
    if (project === undefined || (sessionId !== undefined && session === undefined)) {
      throw new SessionLookupError('not-found', sessionId ?? projectId);
    }
    const context = await this.memory.keepits.decayContext(projectId);
    const sessions = session === undefined ? project.sessions.filter(isShown) : [session];
    const marked = sessions.filter(({ markers, problem }) => markers > 0 && problem === undefined);
    const refs = new Map<string, KeepitRef>();
    const markers = await mapLimited(marked, PARALLEL_READINGS, (one) => {
      signal.throwIfAborted();
      return this.markersOf(one, { context, refs });
    });
    return { data: dataOf({ scope, project: project.displayName, session, context, markers: markers.flat() }), refs };
  }

  private async markersOf(
    session: DiscoveredSession,
    known: { context: DecayContext; refs: Map<string, KeepitRef> },
  ): Promise<DecayMarker[]> {
    const { keepits } = await this.listings.of(session);
    const distance = distanceIn(session, known.context);
    return keepits.map(({ projectId, sessionId, markerId, effectiveWeight, content }) => {
      const key = `${sessionId}/${markerId}`;
      known.refs.set(key, { projectId, sessionId, markerId });
      const preview = oneLine(content, PREVIEW_LENGTH);
      return { key, weight: effectiveWeight, preview, distance, session: titleOf(session) };
    });
  }
}

function dataOf(facts: {
  scope: DecayScope;
  project: string;
  session: DiscoveredSession | undefined;
  context: Awaited<ReturnType<MemoryService['keepits']['decayContext']>>;
  markers: DecayMarker[];
}): DecayData {
  const { scope, project, session, context, markers } = facts;
  const { config, usual, isDecayOn } = context;
  const title = session === undefined ? project : titleOf(session);
  return { scope, title, project, isDecayOn, config, usual, markers };
}

/** One decay preview that is open. */
export class DecayPanel extends Panel<DecayScope> {
  private readonly source: DecaySource;
  private refs: ReadonlyMap<string, KeepitRef> = new Map();

  constructor(
    scope: DecayScope,
    panel: WebviewPanel,
    context: Uses<'memory' | 'listings' | 'extensionUri' | 'log'>,
    private readonly keepits: KeepitCommands,
  ) {
    super(scope, panel, context, { name: 'decay', title: 'Decay Preview' });
    this.source = new DecaySource(context.memory, context.listings);
  }

  protected async answer(body: unknown, signal: AbortSignal): Promise<unknown> {
    const request: DecayPanelRequest = decayRequestSchema.parse(body);
    switch (request.type) {
      case 'load': {
        const { data, refs } = await this.source.load(this.scope, signal);
        this.refs = refs;
        this.panel.title = `Decay: ${data.title}`;
        return data;
      }
      case 'open':
        return { isShown: await this.open(request.key) };
    }
  }

  private async open(key: string): Promise<boolean> {
    const ref = this.refs.get(key);
    if (ref === undefined) return false;
    return this.keepits.show(ref, { viewColumn: this.otherColumn });
  }
}

import { Disposable } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { Arrival } from '../../core/compositions/arrivals';
import type { StoredComposition } from '../../core/compositions/compositions';
import { shortId, titleOf } from '../../core/text/formats';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import type { DiscoveredSession } from '../../core/sessions/results';
import type { Uses } from '../context';
import type { Feature } from '../feature';

interface Awaited {
  readonly projectId: string;
  /** Names change, also in other windows. */
  readonly compositionId: string;
  readonly deliveredMs: number;
  /** Sessions that it was known to be in before. */
  readonly before: ReadonlySet<string>;
}

const SETTLE_MS = 1500;
/** A session that begins later than this after a delivery, without the composition, is told of. */
const GRACE_MS = 90_000;
/** A delivery that nobody used in this time is not waited for any more. */
const PATIENCE_MS = 24 * 60 * 60 * 1000;

/** Looks into sessions that are written after a delivery, and says whether the composition has arrived. */
export class ArrivalWatch implements Feature {
  readonly name = 'arrivals';
  private readonly awaited = new Map<string, Awaited>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private hasRemembered = false;

  constructor(
    private readonly context: Uses<'host' | 'memory' | 'model' | 'notifier' | 'log'>,
    private readonly show: (session: DiscoveredSession) => Promise<unknown>,
  ) {}

  register(): Disposable {
    const { host, model } = this.context;
    return Disposable.from(
      host.onDidWrite('compositions', ({ name, args: [projectId, composition], isDone }) => {
        if (name === 'deliver' && isDone) void this.expect({ projectId: String(projectId), name: String(composition) });
      }),
      model.onDidChange(() => this.schedule()),
      new Disposable(() => clearTimeout(this.timer)),
    );
  }

  /** Looks now, and says what was found, whatever that is. */
  async tell(place: CompositionRef): Promise<void> {
    const saved = this.context.memory.compositions;
    const arrival = await saved.arrived(place.projectId, place.name);
    if (arrival.arrived === true) {
      const { record } = await saved.get(place.projectId, place.name);
      this.awaited.delete(record.compositionId);
      await this.tellArrived(place, arrival);
      return;
    }
    const what = arrival.arrived === false ? 'has not arrived' : 'may still arrive';
    void this.context.notifier.tell(`“${place.name}” ${what}: ${arrival.evidence}.`);
  }

  private async expect(place: CompositionRef) {
    try {
      const saved = this.context.memory.compositions;
      this.remember(await saved.get(place.projectId, place.name));
    } catch (error) {
      this.context.log.warn(`“${place.name}” is not waited for: ${errorText(error)}`); // it was delivered all the same
    }
  }

  private remember({ projectId, record }: StoredComposition) {
    const last = (record.deliveries ?? []).findLast(({ to }) => to === 'resume' || to === 'next-session');
    if (last === undefined) return;
    const { compositionId } = record;
    const deliveredMs = Date.parse(last.deliveredAt);
    const before = new Set(record.usedInSessions);
    this.awaited.set(compositionId, { projectId, compositionId, deliveredMs, before });
  }

  private schedule() {
    if (this.hasRemembered && this.awaited.size === 0) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.look();
    }, SETTLE_MS);
  }

  private async look() {
    if (this.isLooking || this.context.model.phase !== 'ready') return;
    this.isLooking = true;
    try {
      if (!this.hasRemembered) await this.rememberDelivered();
      for (const one of this.awaited.values()) await this.lookFor(one);
    } catch (error) {
      this.context.log.warn(`It could not be seen whether compositions arrived: ${errorText(error)}`); // the next change looks again
    } finally {
      this.isLooking = false;
    }
  }

  /** What was delivered before the window was opened, by this one or by the command line, and has not been seen since. */
  private async rememberDelivered() {
    const { memory, model } = this.context;
    const projectId = model.currentProject?.projectId;
    this.hasRemembered = true;
    if (projectId === undefined) return;
    const saved = memory.compositions;
    for (const composition of await saved.list(projectId)) {
      const isFresh = (composition.record.deliveries ?? []).some(
        ({ deliveredAt }) => Date.now() - Date.parse(deliveredAt) < PATIENCE_MS,
      );
      if (isFresh && composition.record.usedInSessions.length === 0) this.remember(composition);
    }
  }

  private async lookFor(one: Awaited) {
    const { deliveredMs, before, compositionId } = one;
    const { memory, model, notifier } = this.context;
    const project = model.projects.find(({ projectId }) => projectId === one.projectId);
    const isWritten = (project?.sessions ?? []).some(({ mtimeMs }) => mtimeMs >= deliveredMs);
    if (!isWritten) return; // nothing to look into
    const place = Date.now() - deliveredMs > PATIENCE_MS ? undefined : await this.placeOf(one);
    if (place === undefined) {
      this.awaited.delete(compositionId);
      return;
    }
    const arrival = await memory.compositions.arrived(place.projectId, place.name);
    if (arrival.arrived === true && arrival.sessionId !== undefined && !before.has(arrival.sessionId)) {
      this.awaited.delete(compositionId);
      void this.tellArrived(place, arrival);
      return;
    }
    const isNew = (project?.sessions ?? []).some(
      ({ firstTimestamp, messages }) => messages > 1 && Date.parse(firstTimestamp) > deliveredMs,
    );
    if (arrival.arrived === false && isNew && Date.now() - deliveredMs > GRACE_MS) {
      this.awaited.delete(compositionId);
      void notifier.tell(`“${place.name}” has not arrived in the session that began after it: ${arrival.evidence}.`);
    }
  }

  /** Undefined when it was deleted since. */
  private async placeOf({ projectId, compositionId }: Awaited): Promise<CompositionRef | undefined> {
    const saved = this.context.memory.compositions;
    const found = (await saved.list(projectId)).find(({ record }) => record.compositionId === compositionId);
    return found === undefined ? undefined : { projectId, name: found.record.name };
  }

  private async tellArrived(place: CompositionRef, { sessionId = '', evidence }: Arrival) {
    const { model, notifier } = this.context;
    const { show } = this;
    const session = model.projects.flatMap(({ sessions }) => sessions).find((one) => one.sessionId === sessionId);
    const where = session === undefined ? `session ${shortId(sessionId)}` : `“${titleOf(session)}”`;
    const open = 'Open Transcript';
    const answer = await notifier.tell(
      `“${place.name}” has arrived in ${where}: ${evidence}.`,
      ...(session === undefined ? [] : [open]),
    );
    if (answer === open && session !== undefined) await show(session);
  }
}

import { Disposable } from 'vscode';
import { errorText } from '../../core/text/keepitError';
import type { Arrival } from '../../core/compositions/arrivals';
import { shortId, titleOf } from '../../core/text/formats';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
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

  constructor(private readonly context: Uses<'host' | 'memory' | 'model' | 'transcripts' | 'notifier' | 'log'>) {}

  register(): Disposable {
    const { host, model, log } = this.context;
    return Disposable.from(
      host.onDidWrite('compositions', ({ name, args: [projectId], isDone }) => {
        if (name !== 'deliver' || !isDone) return;
        this.remember(String(projectId)).catch(
          (error: unknown) => log.warn(`A composition is not waited for: ${errorText(error)}`), // it was delivered all the same
        );
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

  /** What of a project was delivered lately, by this window, another one or the command line. */
  private async remember(projectId: string) {
    for (const { record } of await this.context.memory.compositions.list(projectId)) {
      const { compositionId, deliveries = [], usedInSessions } = record;
      const last = deliveries.findLast(({ to }) => to === 'resume' || to === 'next-session');
      const deliveredMs = Date.parse(last?.deliveredAt ?? '');
      if (Date.now() - deliveredMs < PATIENCE_MS)
        this.awaited.set(compositionId, { projectId, compositionId, deliveredMs, before: new Set(usedInSessions) });
    }
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
      const { projectId } = this.context.model.currentProject ?? {};
      if (!this.hasRemembered && projectId !== undefined) await this.remember(projectId);
      this.hasRemembered = true;
      for (const one of this.awaited.values()) await this.lookFor(one);
    } catch (error) {
      this.context.log.warn(`It could not be seen whether compositions arrived: ${errorText(error)}`); // the next change looks again
    } finally {
      this.isLooking = false;
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
    const { model, notifier, transcripts } = this.context;
    const session = model.projects.flatMap(({ sessions }) => sessions).find((one) => one.sessionId === sessionId);
    const where = session === undefined ? `session ${shortId(sessionId)}` : `“${titleOf(session)}”`;
    await notifier.tell(`“${place.name}” has arrived in ${where}: ${evidence}.`, {
      'Open Transcript': session && (() => transcripts.show(session)),
    });
  }
}

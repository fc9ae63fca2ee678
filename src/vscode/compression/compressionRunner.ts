import { window } from 'vscode';
import { isAbortError } from '../../core/text/keepitError';
import type { CompressionRequest } from '../../core/versions/types';
import type { CompressionRecord } from '../../core/model/compression';
import { oneLine } from '../../core/text/cleanText';
import { costDialog } from '../../core/presentation/compressionDialogs';
import type { Formats } from '../../core/text/formats';
import { outcomeText } from '../../core/presentation/versionTexts';
import type { Progress, SessionRef } from '../../core/sessions/results';
import type { MemoryHost } from '../memory/memoryHost';
import type { RegisterFirst } from '../memory/registerFirst';
import type { Notifier } from '../notifier';
import { withProgressMessage, type ProgressFollower } from '../progressMessage';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { VersionChanges } from './versionChanges';

export interface CompressionRunnerOptions {
  readonly host: MemoryHost;
  readonly model: SessionsModel;
  readonly registering: RegisterFirst;
  readonly versions: VersionChanges;
  readonly formats: Formats;
  readonly notifier: Notifier;
  /** Shows a new version where versions are listed. */
  readonly reveal: (session: SessionRef, versionId: string) => Promise<void>;
  readonly show: (session: SessionRef, versionId: string, as: 'text' | 'comparison') => Promise<unknown>;
}

/** One compression. */
export interface Compression {
  readonly session: SessionRef;
  /** The session's title. */
  readonly title: string;
  readonly request: CompressionRequest;
}

const WHY_IN_MEMORY = 'Versions are kept in memory, beside the transcript, which stays as it is.';

/** Makes versions with all that belongs to it in a window: the question what it may cost, progress, cancelling, the outcome and its undoing. */
export class CompressionRunner {
  private readonly running = new Map<string, Progress | undefined>();

  constructor(private readonly options: CompressionRunnerOptions) {}

  /** How far a compression of that session is; undefined when there is none. */
  progressOf(session: SessionRef): Progress | undefined {
    const key = keyOf(session);
    return this.running.has(key) ? (this.running.get(key) ?? NOT_BEGUN) : undefined;
  }

  /** Asks to add the session to memory where it is not yet. False when the user would not. */
  async ensureInMemory(session: SessionRef): Promise<boolean> {
    const listed = await this.options.registering.run({
      session,
      why: WHY_IN_MEMORY,
      work: (service) => service.versions(session),
    });
    return listed !== undefined;
  }

  /** Asks what has to be asked. False when the user would not. */
  async confirm({ session, request }: Compression): Promise<boolean> {
    if (request.provider === undefined || request.provider === 'local') return true;
    const { host, formats } = this.options;
    const { service } = await host.memory();
    const estimate = await service.previewCompression(session, request);
    const { models } = await service.readConfig();
    const { title, detail } = costDialog(estimate, { request, runCapUsd: models.limits.runUsd, formats });
    const label = 'Compress';
    return (await window.showInformationMessage(title, { modal: true, detail }, label)) === label;
  }

  /** Undefined when it was cancelled: then nothing was written. */
  async run(compression: Compression, follower: ProgressFollower = {}): Promise<CompressionRecord | undefined> {
    const { session, title, request } = compression;
    const key = keyOf(session);
    this.running.set(key, undefined);
    try {
      const { version } = await withProgressMessage(
        `Compressing “${oneLine(title, TITLE_LENGTH)}”`,
        follower,
        (onProgress, signal) =>
          this.options.versions.compress(session, request, {
            onProgress: (progress) => {
              this.running.set(key, progress);
              onProgress(progress);
            },
            signal,
          }),
      );
      return version;
    } catch (error) {
      if (isAbortError(error)) return undefined;
      throw error;
    } finally {
      this.running.delete(key);
    }
  }

  /** Shows what was made, and offers what one does next. Settles when the message is gone; never rejects. */
  async present(session: SessionRef, version: CompressionRecord): Promise<void> {
    const { notifier, formats, show } = this.options;
    try {
      await this.reveal(session, version.versionId);
      const [open, compare, undo] = ['Open', 'Compare with Original', 'Undo'] as const;
      const answer = await notifier.tell(outcomeText(version, formats), open, compare, undo);
      if (answer === open) await show(session, version.versionId, 'text');
      else if (answer === compare) await show(session, version.versionId, 'comparison');
      else if (answer === undo) await this.undo(session, version.versionId);
    } catch (error) {
      notifier.showError(error, 'showing a version');
    }
  }

  private async reveal(session: SessionRef, versionId: string): Promise<void> {
    await this.options.model.reload([session.projectId]); // what was new of the session has come into memory with it
    await this.options.reveal(session, versionId);
  }

  private async undo(session: SessionRef, versionId: string): Promise<void> {
    const { refused } = await this.options.versions.remove(session, [versionId], false);
    const [use] = refused;
    if (use !== undefined) void this.options.notifier.tell(`${versionId} stays: ${use.usedIn.join(', ')} uses it.`);
    else window.setStatusBarMessage(`${versionId} is gone again.`, STATUS_MS);
  }
}

const STATUS_MS = 4000;
const TITLE_LENGTH = 50;
const NOT_BEGUN: Progress = { step: 'compress', done: 0, total: 0 };

function keyOf({ projectId, sessionId }: SessionRef): string {
  return [projectId, sessionId].join('\n');
}

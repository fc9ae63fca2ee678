import { commands } from 'vscode';
import { ORIGINAL } from '../../core/versions/diff/types';
import { commandIds } from '../ids';
import type { VersionsTree } from './versionsTree';
import { oneLine } from '../../core/text/cleanText';
import { isAbortError } from '../../core/text/keepitError';
import type { CompressionRequest } from '../../core/versions/types';
import type { CompressionRecord } from '../../core/model/compression';
import { costDialog } from '../../core/versions/view/compressionDialogs';
import { outcomeText } from '../../core/versions/view/versionTexts';
import type { Progress, SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import { withProgressMessage, type ProgressFollower } from '../progressMessage';
import { sessionKey } from '../../core/model/fields';

const TAB_LENGTH = 40;

/** What the tab of a panel says: a title may be as long as a sentence. */
export function panelTitle(title: string): string {
  return `Compress: ${oneLine(title, TAB_LENGTH)}`;
}

/** One compression. */
export interface Compression {
  readonly session: SessionRef;
  /** The session's title. */
  readonly title: string;
  readonly request: CompressionRequest;
}

/** Makes versions with all that belongs to it in a window: the question what it may cost, progress, cancelling, the outcome and its undoing. */
export class CompressionRunner {
  private readonly running = new Map<string, Progress | undefined>();

  constructor(
    private readonly context: Uses<'memory' | 'model' | 'registering' | 'formats' | 'notifier'>,
    private readonly tree: VersionsTree,
  ) {}

  /** How far a compression of that session is; undefined when there is none. */
  progressOf(session: SessionRef): Progress | undefined {
    const key = sessionKey(session);
    return this.running.has(key) ? (this.running.get(key) ?? NOT_BEGUN) : undefined;
  }

  /** Asks to add the session to memory where it is not yet. False when the user would not. */
  async ensureInMemory(session: SessionRef): Promise<boolean> {
    const { registering } = this.context;
    return (await registering.run(session, 'versions', (versions) => versions.list(session))) !== undefined;
  }

  /** Asks what has to be asked. False when the user would not. */
  async confirm({ session, request }: Compression): Promise<boolean> {
    if (request.provider === undefined || request.provider === 'local') return true;
    const { memory, formats, notifier } = this.context;
    const estimate = await memory.versions.preview(session, request);
    const { models } = await memory.config.read();
    const dialog = costDialog(estimate, { request, runCapUsd: models.limits.runUsd, formats });
    return notifier.isAgreed(dialog, 'Compress');
  }

  /** Undefined when it was cancelled: then nothing was written. */
  async run(compression: Compression, follower: ProgressFollower = {}): Promise<CompressionRecord | undefined> {
    const { session, title, request } = compression;
    const key = sessionKey(session);
    this.running.set(key, undefined);
    try {
      const { version } = await withProgressMessage(
        `Compressing “${oneLine(title, TITLE_LENGTH)}”`,
        follower,
        (onProgress, signal) => {
          onProgress(NOT_BEGUN); // a model may be silent for long, and all that time one can cancel
          const follow = (progress: Progress) => {
            this.running.set(key, progress);
            onProgress(progress);
          };
          return this.context.memory.versions.compress(session, request, follow, signal);
        },
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
    const { notifier, formats } = this.context;
    const { versionId } = version;
    try {
      await this.reveal(session, versionId);
    } catch (error) {
      notifier.showError(error, 'showing a version');
    }
    await notifier.tell(outcomeText(version, formats), {
      Open: () => showVersion(session, versionId, 'text'),
      'Compare with Original': () => showVersion(session, versionId, 'comparison'),
      Undo: () => this.undo(session, versionId),
    });
  }

  private async reveal(session: SessionRef, versionId: string) {
    await this.context.model.reload([session.projectId]); // what was new of the session has come into memory with it
    this.tree.choose(session);
    await this.tree.reveal(versionId);
  }

  private async undo(session: SessionRef, versionId: string) {
    const { memory, notifier } = this.context;
    const [use] = (await memory.versions.delete(session, [versionId])).refused;
    if (use !== undefined) void notifier.tell(`${versionId} stays: ${use.usedIn.join(', ')} uses it.`);
    else notifier.say(`${versionId} is gone again.`);
  }
}
const TITLE_LENGTH = 50;
const NOT_BEGUN: Progress = { step: 'compress', done: 0, total: 0 };

/** Through the commands: what a row's menu does, and what a message's button does, is the same. */
export async function showVersion(
  { projectId, sessionId }: SessionRef,
  versionId: string,
  as: 'text' | 'comparison',
): Promise<void> {
  const version = { projectId, sessionId, versionId };
  if (as === 'text') await commands.executeCommand(commandIds.openVersion, { version });
  else await commands.executeCommand(commandIds.compareVersions, { version, against: ORIGINAL });
}

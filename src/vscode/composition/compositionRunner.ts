import { window } from 'vscode';
import { CompositionError } from '../../core/compositions/compositionError';
import type { CompositionResult } from '../../core/compositions/compositions';
import { isAbortError } from '../../core/text/keepitError';
import type { CompositionRequest } from '../../core/model/composition';
import { rebuiltText } from '../../core/compositions/view/compositionTexts';
import { joinParts } from '../../core/text/formats';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import type { Uses } from '../context';
import { withProgressMessage, type ProgressFollower } from '../progressMessage';
import { showComposition } from './compositionFiles';

const STATUS_MS = 4000;

/** Composes with all that belongs to it in a window: the question whether one is to be replaced, progress, the outcome and its undoing. */
export class CompositionRunner {
  constructor(
    private readonly context: Uses<'memory' | 'formats' | 'notifier'>,
    /** Starts Claude Code with a composition. */
    private readonly start: (place: CompositionRef) => Promise<void>,
  ) {}

  /** Undefined when it was cancelled, or is not to replace the one there is: then nothing was written. */
  async compose(
    projectId: string,
    request: CompositionRequest,
    compositionId: string,
    follower: ProgressFollower,
  ): Promise<CompositionResult | undefined> {
    try {
      return await this.run(projectId, request, { follower, compositionId, replaces: false });
    } catch (error) {
      if (!(error instanceof CompositionError) || error.reason !== 'name-taken') throw error;
      const label = 'Replace';
      const detail = 'The one there is goes to the trash; this can be undone.';
      const title = `Replace the composition “${request.name}”?`;
      const answer = await window.showWarningMessage(title, { modal: true, detail }, label);
      return answer === label ? this.run(projectId, request, { follower, compositionId, replaces: true }) : undefined;
    }
  }

  /** Tells what was made, and offers what one does next. Never rejects. */
  async present({ projectId, record, trash }: CompositionResult): Promise<void> {
    const { notifier } = this.context;
    const place = { projectId, name: record.name };
    try {
      const [run, show, undo] = ['Start Claude Code with It', 'Open', 'Undo'] as const;
      const answer = await notifier.tell(`Composed “${record.name}”: ${this.outcomeOf(record)}.`, run, show, undo);
      if (answer === run) await this.start(place);
      else if (answer === show) await showComposition(place);
      else if (answer === undo) {
        await this.takeBack(place, trash);
        window.setStatusBarMessage(
          `“${record.name}” is ${trash === undefined ? 'gone again' : 'as it was'}.`,
          STATUS_MS,
        );
      }
    } catch (error) {
      notifier.showError(error, 'showing a composition');
    }
  }

  /** `15,904 tokens from 5 sessions`. */
  outcomeOf({ totalTokens, components, omitted = [] }: CompositionResult['record']): string {
    const { formats } = this.context;
    const sessions = new Set(components.map(({ projectId, sessionId }) => `${projectId ?? ''}/${sessionId}`)).size;
    const left = new Set(omitted.map(({ sessionId }) => sessionId)).size;
    return joinParts([
      `${formats.plural(totalTokens, 'token')} from ${formats.plural(sessions, 'session')}`,
      left === 0 ? '' : `of ${left} not all is in it`,
    ]);
  }

  /** The same request, today's versions. */
  async rebuild(place: CompositionRef, hasBothFormats = false): Promise<boolean> {
    const { memory, formats, notifier } = this.context;
    const { projectId, name } = place;
    const changes = hasBothFormats ? ({ outputFormat: 'both' } as const) : {};
    try {
      const result = await withProgressMessage(`Rebuilding “${name}”`, {}, (onProgress, signal) =>
        memory.compositions.rebuild(projectId, name, changes, { onProgress, signal }),
      );
      const { tokensBefore, record, trash } = result;
      const text = rebuiltText(name, { changes: result.changes, tokensBefore, tokens: record.totalTokens }, formats);
      void this.presentRebuilt(place, text, trash);
      return true;
    } catch (error) {
      if (!isAbortError(error)) throw error;
      void notifier.tell(`“${name}” stays as it was.`);
      return false;
    }
  }

  private async presentRebuilt(place: CompositionRef, text: string, trash: string | undefined) {
    const { notifier } = this.context;
    try {
      const [show, undo] = ['Open', 'Undo'] as const;
      const answer = await notifier.tell(text, show, ...(trash === undefined ? [] : [undo]));
      if (answer === show) await showComposition(place);
      if (answer !== undo || trash === undefined) return;
      await this.takeBack(place, trash);
      window.setStatusBarMessage(`“${place.name}” is as it was.`, STATUS_MS);
    } catch (error) {
      notifier.showError(error, 'showing a composition');
    }
  }

  /** What it was before is in the trash, where there was one. */
  private async takeBack({ projectId, name }: CompositionRef, trash: string | undefined) {
    const { compositions } = this.context.memory;
    await compositions.delete(projectId, name);
    if (trash !== undefined) await compositions.restore(projectId, trash);
  }

  private async run(
    projectId: string,
    request: CompositionRequest,
    { follower, ...options }: { follower: ProgressFollower; compositionId: string; replaces: boolean },
  ): Promise<CompositionResult | undefined> {
    try {
      return await withProgressMessage(`Composing “${request.name}”`, follower, (onProgress, signal) =>
        this.context.memory.compositions.compose(projectId, request, { ...options, onProgress, signal }),
      );
    } catch (error) {
      if (isAbortError(error)) return undefined;
      throw error;
    }
  }
}

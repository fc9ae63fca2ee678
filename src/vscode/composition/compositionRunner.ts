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
      const detail = 'The one there is goes to the trash; this can be undone.';
      const title = `Replace the composition “${request.name}”?`;
      const isAgreed = await this.context.notifier.isAgreed({ title, detail }, 'Replace', true);
      return isAgreed ? this.run(projectId, request, { follower, compositionId, replaces: true }) : undefined;
    }
  }

  /** Tells what was made, and offers what one does next. Never rejects. */
  async present({ projectId, record, trash }: CompositionResult): Promise<void> {
    const place = { projectId, name: record.name };
    await this.context.notifier.tell(`Composed “${record.name}”: ${this.outcomeOf(record)}.`, {
      'Start Claude Code with It': () => this.start(place),
      Open: () => showComposition(place),
      Undo: () => this.takeBack(place, trash),
    });
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
      const undo = trash === undefined ? undefined : () => this.takeBack(place, trash);
      void notifier.tell(text, { Open: () => showComposition(place), Undo: undo });
      return true;
    } catch (error) {
      if (!isAbortError(error)) throw error;
      void notifier.tell(`“${name}” stays as it was.`);
      return false;
    }
  }

  /** What it was before is in the trash, where there was one. */
  private async takeBack({ projectId, name }: CompositionRef, trash: string | undefined) {
    const { memory, notifier } = this.context;
    await memory.compositions.delete(projectId, name);
    if (trash !== undefined) await memory.compositions.restore(projectId, trash);
    notifier.say(`“${name}” is ${trash === undefined ? 'gone again' : 'as it was'}.`);
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

import { setTimeout } from 'node:timers/promises';
import { isAbortError } from '../../core/text/keepitError';
import type { CompositionForm, CompositionScope } from '../../core/presentation/compositionProtocol';
import type { BuilderFigures, CompositionSource } from './compositionSource';

/** What is not measured by then, as when an original has to be read, is shown as manifests tell it until it is. */
const AT_ONCE_MS = 60;

type Superseded = { readonly kind: 'superseded' };

/** The figures of one builder, which follow every key: at once, and measured as soon as that can be had. */
export class BuilderFiguring {
  private latest:
    | {
        readonly form: string;
        readonly figures: Promise<BuilderFigures | Superseded>;
        readonly controller: AbortController;
      }
    | undefined;

  constructor(
    private readonly source: Pick<CompositionSource, 'preview'>,
    private readonly scope: CompositionScope,
  ) {}

  /** Answers within a moment, if need be with what is not measured yet. */
  async atOnce(form: CompositionForm, compositionId: string): Promise<BuilderFigures | Superseded> {
    const measured = this.begin(form, compositionId);
    const soon = await Promise.race([measured, setTimeout(AT_ONCE_MS, undefined)]);
    return soon ?? this.source.preview(this.scope, form, { isMeasured: false, compositionId });
  }

  /** Answers when all is measured, or when a newer question has come. */
  async measured(form: CompositionForm, compositionId: string): Promise<BuilderFigures | Superseded> {
    const isUnderWay = this.latest?.form === JSON.stringify(form);
    return isUnderWay && this.latest !== undefined ? this.latest.figures : this.begin(form, compositionId);
  }

  dispose(): void {
    this.latest?.controller.abort();
  }

  private begin(form: CompositionForm, compositionId: string): Promise<BuilderFigures | Superseded> {
    this.latest?.controller.abort();
    const controller = new AbortController();
    const asked = this.source.preview(this.scope, form, { isMeasured: true, compositionId }, controller.signal);
    const figures = asked.catch((error: unknown): Superseded => {
      if (controller.signal.aborted && isAbortError(error)) return { kind: 'superseded' };
      throw error;
    });
    figures.catch(() => undefined); // whoever asked is told; nobody may have waited for it
    this.latest = { form: JSON.stringify(form), figures, controller };
    return figures;
  }
}

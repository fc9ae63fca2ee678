import { figureProblems, isSameForm } from '../../src/core/compositions/view/compositionForm';
import type { CompositionPreview, PreviewComponent } from '../../src/core/compositions/compositionPreview';
import {
  builderAnswerSchemas,
  type BuilderRequest,
  type ComponentNote,
  type CompositionForm,
  type CompositionRefusal,
  type CompositionState,
  type SavedFigures,
  type StrategyOutcome,
} from '../../src/core/compositions/view/compositionProtocol';
import { LatestAsk } from '../lib/latestAsk';
import { RequestError, type RequestClient } from '../lib/requestClient';
import { sessionKey } from '../../src/core/model/fields';

const CHUNK_LINES = 200;

export type Pane = NonNullable<CompositionState['pane']>;

/** The text as it would be, or why there is none. */
export type ShownText =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly chunks: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

export interface FormFiguresOptions {
  readonly client: Pick<RequestClient, 'ask'>;
  readonly onChange: () => void;
  readonly onFail: (error: unknown) => void;
}

interface Asked {
  readonly form: CompositionForm;
  readonly pane: Pane;
}

/** What comes of the form: as it was saved, or composed for it as it changes. What was true last stays in sight until then. */
export class FormFigures {
  preview: CompositionPreview | undefined;
  refusal: CompositionRefusal | undefined;
  notes: readonly ComponentNote[] = [];
  outcomes: readonly StrategyOutcome[] | undefined;
  text: ShownText = { kind: 'none' };
  /** What is shown is of an earlier form. */
  isUpdating = false;
  /** The composition that the form began with, or became. */
  saved: SavedFigures | undefined;
  private form: CompositionForm | undefined;
  /** What is known of sessions, also of those that the last preview did not have. */
  private readonly known = new Map<string, PreviewComponent>();
  private readonly figuring = new LatestAsk<Asked>((asked) => this.figure(asked));

  constructor(private readonly options: FormFiguresOptions) {}

  /** What was last found out about a session. */
  of(key: string): PreviewComponent | undefined {
    return this.known.get(key);
  }

  noteOn(key: string): string | undefined {
    return this.notes.find((note) => sessionKey(note) === key)?.text;
  }

  /** Whether the form is what was saved: then its figures are those of the saved text. */
  get isSaved(): boolean {
    return this.saved !== undefined && this.form !== undefined && isSameForm(this.saved.form, this.form);
  }

  /** The form is another one now, right or wrong, or another pane is looked at. */
  follow(form: CompositionForm, pane: Pane): void {
    this.form = form;
    this.isUpdating = Object.keys(figureProblems(form)).length === 0;
    if (this.isUpdating) {
      this.figuring.ask({ form, pane });
      return;
    }
    this.figuring.drop();
    this.refusal = undefined;
    if (form.components.length === 0) this.preview = undefined;
    this.text = { kind: 'none' };
  }

  private async figure({ form, pane }: Asked): Promise<void> {
    try {
      await this.measure(form);
      this.options.onChange();
      if (pane === 'strategies') await this.compare(form);
      if (pane === 'text') await this.read(form);
    } catch (error) {
      this.options.onFail(error);
    }
    if (this.form === form) this.isUpdating = false;
    this.options.onChange();
  }

  private async measure(form: CompositionForm): Promise<void> {
    if (this.isSaved) {
      this.show(this.saved?.preview);
      this.refusal = undefined;
      this.notes = [];
      return;
    }
    // Where nothing is shown yet, one session in its part of the budget is there long before all of them are.
    const [first, ...others] = form.components;
    if (this.preview === undefined && first !== undefined && others.length > 0) {
      const budget = Math.floor(Number(form.budget) / form.components.length);
      const answer = await this.previewOf({ ...form, budget, components: [first] });
      if (answer.kind === 'preview') this.show(answer.preview);
      this.options.onChange();
    }
    const answer = await this.previewOf(form);
    if (this.form?.components.length === 0) return;
    this.show(answer.preview);
    this.refusal = answer.kind === 'refused' ? answer : undefined;
    this.notes = answer.notes;
  }

  private async previewOf(form: CompositionForm) {
    return this.options.client.ask(request({ type: 'preview', form }), builderAnswerSchemas.preview);
  }

  private show(preview: CompositionPreview | undefined): void {
    this.preview = preview ?? this.preview;
    for (const component of preview?.components ?? []) this.known.set(sessionKey(component), component);
  }

  private async compare(form: CompositionForm): Promise<void> {
    try {
      const ask = this.options.client.ask(request({ type: 'strategies', form }), builderAnswerSchemas.strategies);
      this.outcomes = (await ask).outcomes;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.outcomes = undefined; // the reason stands beside the budget already
    }
  }

  private async read(form: CompositionForm): Promise<void> {
    const saved = this.isSaved ? form.name : undefined;
    const ask = this.options.client.ask(request({ type: 'text', form, saved }), builderAnswerSchemas.text);
    const answer = await ask;
    this.text = answer.kind === 'text' ? { kind: 'text', chunks: chunksOf(answer.text) } : answer;
  }
}

function request(body: BuilderRequest): BuilderRequest {
  return body;
}

/** Long texts are drawn as far as they are in sight. */
function chunksOf(text: string): string[] {
  const lines = text.split('\n');
  const chunks: string[] = [];
  for (let at = 0; at < lines.length; at += CHUNK_LINES) chunks.push(lines.slice(at, at + CHUNK_LINES).join('\n'));
  return chunks;
}

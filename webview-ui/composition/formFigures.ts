import { figureProblems } from '../../src/core/presentation/compositionForm';
import {
  builderAnswerSchemas,
  type BuilderComponent,
  type BuilderPreview,
  type BuilderRequest,
  type ComponentNote,
  type CompositionForm,
  type CompositionRefusal,
  type StrategyOutcome,
} from '../../src/core/presentation/compositionProtocol';
import { LatestAsk } from '../lib/latestAsk';
import { RequestError, type RequestClient } from '../lib/requestClient';
import type { Pane, ShownText } from './sidePanes';
import { sessionKey } from '../../src/core/model/sessionKey';

/** Reading versions is more than figuring: the form has to be left alone for that long. */
const TEXT_SETTLE_MS = 350;
const STRATEGY_SETTLE_MS = 150;
const CHUNK_LINES = 200;

export interface FormFiguresOptions {
  readonly client: Pick<RequestClient, 'ask'>;
  readonly onChange: () => void;
  readonly onFail: (error: unknown) => void;
}

/** What would come of the form, asked for as it changes. Of what is shown in panes, only what is looked at is worked out. */
export class FormFigures {
  preview: BuilderPreview | undefined;
  refusal: CompositionRefusal | undefined;
  notes: readonly ComponentNote[] = [];
  outcomes: readonly StrategyOutcome[] | undefined;
  text: ShownText = { kind: 'none' };
  isTextStale = false;
  private form: CompositionForm | undefined;
  /** What is known of sessions, also of those that the last preview did not have. */
  private readonly known = new Map<string, BuilderComponent>();
  private readonly figuring = new LatestAsk<CompositionForm>((form) => this.figure(form));
  private readonly comparing = new LatestAsk<CompositionForm>((form) => this.compare(form), STRATEGY_SETTLE_MS);
  private readonly reading = new LatestAsk<CompositionForm>((form) => this.read(form), TEXT_SETTLE_MS);

  constructor(private readonly options: FormFiguresOptions) {}

  /** What was last found out about a session. */
  of(key: string): BuilderComponent | undefined {
    return this.known.get(key);
  }

  noteOn(key: string): string | undefined {
    return this.notes.find((note) => sessionKey(note) === key)?.text;
  }

  /** The form is another one now, right or wrong. */
  follow(form: CompositionForm, pane: Pane): void {
    this.form = form;
    if (Object.keys(figureProblems(form)).length === 0) {
      this.figuring.ask(form);
      this.look(pane);
      return;
    }
    this.figuring.drop();
    this.refusal = undefined;
    if (form.components.length === 0) this.preview = undefined;
    this.text = { kind: 'none' };
  }

  /** This pane is looked at now. */
  look(pane: Pane): void {
    const { form } = this;
    if (form === undefined || Object.keys(figureProblems(form)).length > 0) return;
    if (pane === 'strategies') this.comparing.ask(form);
    if (pane !== 'text') return;
    this.isTextStale = true;
    if (this.text.kind === 'none') this.text = { kind: 'reading' };
    this.reading.ask(form);
  }

  private async figure(form: CompositionForm): Promise<void> {
    const { client, onChange, onFail } = this.options;
    try {
      const answer = await client.ask(request({ type: 'preview', form }), builderAnswerSchemas.preview);
      if (answer.kind === 'superseded' || this.form?.components.length === 0) return;
      this.preview = answer.preview ?? this.preview;
      this.refusal = answer.kind === 'refused' ? answer : undefined;
      this.notes = answer.notes;
      for (const component of answer.preview?.components ?? []) this.known.set(sessionKey(component), component);
      onChange();
    } catch (error) {
      onFail(error);
    }
  }

  private async compare(form: CompositionForm): Promise<void> {
    try {
      const ask = this.options.client.ask(request({ type: 'strategies', form }), builderAnswerSchemas.strategies);
      this.outcomes = (await ask).outcomes;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.outcomes = undefined; // the reason stands beside the budget already
    }
    this.options.onChange();
  }

  private async read(form: CompositionForm): Promise<void> {
    try {
      const answer = await this.options.client.ask(request({ type: 'text', form }), builderAnswerSchemas.text);
      if (answer.kind === 'superseded') return;
      this.isTextStale = false;
      this.text = answer.kind === 'text' ? { ...answer, chunks: chunksOf(answer.text) } : answer;
      this.options.onChange();
    } catch (error) {
      this.isTextStale = false;
      this.text = { kind: 'refused', message: error instanceof RequestError ? error.message : '' };
      this.options.onFail(error);
    }
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

import { randomUUID } from 'node:crypto';
import type { WebviewPanel } from 'vscode';
import {
  builderRequestSchema,
  type CompositionForm,
  type CompositionScope,
  type BuilderEvent,
  type BuilderRequest,
} from '../../core/compositions/view/compositionProtocol';
import type { AddedSession } from '../../core/compositions/view/compositionForm';
import type { CompositionRef } from '../../core/sessions/view/treeNode';
import type { SessionRef } from '../../core/sessions/results';
import type { Uses } from '../context';
import { showKeepit } from '../transcript/transcriptCommands';
import type { CompositionCommands } from './compositionCommands';
import { Panel } from '../panels/panel';
import { withProgressMessage } from '../progressMessage';
import type { CompositionSource } from './compositionSource';
import type { ProgressFollower } from '../progressMessage';
import type { CompositionRunner } from './compositionRunner';
import { saveAs } from '../revealFile';

export interface CompositionPanelOptions {
  readonly source: CompositionSource;
  readonly runner: CompositionRunner;
  /** Lets a person choose sessions; those that are not in memory are added to it, if they agree. */
  readonly chooseSessions: (present: readonly SessionRef[]) => Promise<AddedSession[]>;
  /** Brings sessions into memory, if a person agrees. */
  readonly bringIn: (sessions: readonly SessionRef[]) => Promise<AddedSession[]>;
  readonly deliveries: CompositionCommands;
}

type Exported = Extract<BuilderRequest, { type: 'export' }>['format'];

/** One Composition Builder that is open. */
export class CompositionPanel extends Panel<CompositionScope, BuilderEvent> {
  /** The id that a new composition is going to have, so that its figures are those of its text. */
  private compositionId = randomUUID();
  /** Sessions that were added before the page could be told. */
  private waiting: AddedSession[] = [];
  private isLoaded = false;

  constructor(
    scope: CompositionScope,
    panel: WebviewPanel,
    private readonly context: Uses<'model' | 'listings' | 'transcripts' | 'extensionUri' | 'log'>,
    private readonly options: CompositionPanelOptions,
  ) {
    super(scope, panel, context, { name: 'composition', title: 'Composition Builder' });
  }

  /** Adds sessions that are in memory. */
  add(sessions: readonly AddedSession[]): void {
    if (sessions.length === 0) return;
    if (this.isLoaded) this.tell({ type: 'add', sessions: [...sessions] });
    else this.waiting.push(...sessions);
  }

  protected async answer(body: unknown, signal: AbortSignal): Promise<unknown> {
    const { compositionId } = this;
    const { source } = this.options;
    const request = builderRequestSchema.parse(body);
    switch (request.type) {
      case 'load':
        return this.load();
      case 'preview':
        return source.preview(this.scope, request.form, compositionId, signal);
      case 'strategies':
        return {
          outcomes: await source.strategies(this.scope, request.form, compositionId, signal),
        };
      case 'suggested':
        return { sessions: await source.suggested(this.scope, request.form, signal) };
      case 'text':
        return this.text(request, signal);
      default:
        await this.act(request);
        return {};
    }
  }

  /** Long work and questions to a person are answered at once: what becomes of them is told by events. */
  private async act(
    request: Exclude<BuilderRequest, { type: 'load' | 'preview' | 'strategies' | 'suggested' | 'text' }>,
  ) {
    const { projectId } = this.scope;
    switch (request.type) {
      case 'chooseSessions':
        void this.added(this.options.chooseSessions(request.present));
        return;
      case 'dropSessions':
        void this.added(this.options.bringIn(request.sessions));
        return;
      case 'compose':
        void this.work((signal, onProgress) => this.compose(request.form, { signal, onProgress }));
        return;
      case 'export':
        void this.work((signal) => this.export(request.form, request.format, signal));
        return;
      case 'cancel':
        this.cancel();
        return;
      case 'deliver':
        await this.deliver({ projectId, name: request.name }, request.to);
        return;
      case 'openKeepit':
        await showKeepit(this.context, request, this.otherColumn);
        return;
      case 'openSession':
        await this.context.transcripts.reach(request, { viewColumn: this.otherColumn });
        return;
    }
  }

  private async deliver(place: CompositionRef, to: 'resume' | 'next-session' | 'clipboard') {
    const { deliveries } = this.options;
    if (to === 'resume') await deliveries.start(place);
    else if (to === 'clipboard') await deliveries.copy(place);
    else await deliveries.arm(place);
  }

  private async load(): Promise<unknown> {
    const data = await this.options.source.load(this.scope);
    const name = this.scope.opened;
    this.panel.title = name === undefined ? `Compose: ${data.project}` : `Compose: ${name}`;
    this.isLoaded = true;
    const added = this.waiting.splice(0);
    // After the answer, so that the form is there to which they are added.
    if (added.length > 0) setImmediate(() => this.add(added));
    return { ...data, composing: this.progress };
  }

  private text(asked: Parameters<CompositionSource['text']>[1], closing: AbortSignal): Promise<unknown> {
    return this.newestOf(closing, async (signal) => {
      return { kind: 'text', text: await this.options.source.text(this.scope, asked, this.compositionId, signal) };
    });
  }

  private async added(choosing: Promise<AddedSession[]>) {
    try {
      this.add(await choosing);
    } catch (error) {
      this.failed(error);
    }
  }

  private async compose(form: CompositionForm, watch: ProgressFollower): Promise<BuilderEvent> {
    const { source, runner } = this.options;
    const { request } = await source.sound(form);
    const made = await runner.compose(this.scope.projectId, request, this.compositionId, watch);
    if (made === undefined) return { type: 'cancelled' };
    this.compositionId = randomUUID();
    void runner.present(made);
    const { name } = made.record;
    this.scope = { ...this.scope, opened: name };
    this.panel.title = `Compose: ${name}`;
    return { type: 'composed', name, saved: await source.saved(this.scope.projectId, name) };
  }

  /** To a file of the user's choice; no composition is saved. */
  private async export(form: CompositionForm, format: Exported, signal: AbortSignal): Promise<BuilderEvent> {
    const isMarkdown = format === 'markdown';
    const [title, kind, ending] = isMarkdown
      ? ['Export Markdown', 'Markdown', 'md']
      : ['Export JSONL', 'JSON Lines', 'jsonl'];
    const dialog = { title, name: `${form.name.replace(/[/\\]/g, '-')}.${ending}`, filters: { [kind]: [ending] } };
    const file = await saveAs(dialog, async () => {
      const asked = { ...form, hasMarkdown: isMarkdown, hasJsonl: !isMarkdown };
      const { markdown, jsonl } = await withProgressMessage(`Composing “${form.name}”`, { signal }, (_, both) =>
        this.options.source.texts(this.scope, asked, both),
      );
      return markdown ?? jsonl ?? '';
    });
    return file === undefined ? { type: 'cancelled' } : { type: 'exported', file };
  }
}

import { Uri, EventEmitter, type Disposable, type Event } from 'vscode';
import * as z from 'zod/mini';
import type { DetailLimits } from '../../core/material/toolDetails';
import type { SessionDocument } from '../../core/sessions/document/sessionDocuments';
import { TRANSCRIPT_SCHEME } from '../ids';
import type { MemoryService } from '../../core/memory';
import type { Settings } from '../settings';
import { DocumentUris } from '../readOnlyFiles';
import { sessionRefSchema } from '../../core/sessions/view/treeNode';

/** A session, or a sub-agent of it. */
const targetSchema = z.extend(sessionRefSchema, { agentId: z.optional(z.string()) });
/** What a transcript document shows. */
export type TranscriptTarget = z.infer<typeof targetSchema>;
export const transcriptUris = new DocumentUris<TranscriptTarget>(TRANSCRIPT_SCHEME, targetSchema);

/** The path is also for the language's file pattern. */
export function transcriptUri(target: TranscriptTarget, project: string, title: string): Uri {
  return transcriptUris.of(target, 'Keepit', project, title);
}

/** The same for every uri that shows the same, whatever its title was when it was opened. */
export function keyOf({ projectId, sessionId, agentId }: TranscriptTarget): string {
  return [projectId, sessionId, agentId ?? ''].join('\n');
}

/** A transcript as it was rendered last. */
export interface RenderedTranscript extends SessionDocument {
  readonly target: TranscriptTarget;
  readonly bytes: Uint8Array;
  /** Grows with every rendering: an editor reads again what has become newer. */
  readonly version: number;
  /** How long it took, reading included. */
  readonly tookMs: number;
}

/** Bytes of one input or result that are read to show its first lines. */
const DETAIL_LINES = 24;
const DETAIL_BYTES = 8 * 1024;

const MAX_KEPT = 8;

/** Renders transcripts and keeps the ones in use. Asked twice at the same time for the same one, it works once. */
export class TranscriptDocuments implements Disposable {
  private readonly rendered = new Map<string, RenderedTranscript>();
  private readonly running = new Map<string, Promise<RenderedTranscript>>();
  private readonly changed = new EventEmitter<RenderedTranscript>();
  readonly onDidChange: Event<RenderedTranscript> = this.changed.event;
  private versions = Date.now();

  constructor(
    private readonly memory: MemoryService,
    private readonly settings: Settings,
    private readonly locale: string,
  ) {}

  /** What was rendered last; undefined when it never was. */
  peek(target: TranscriptTarget): RenderedTranscript | undefined {
    return this.rendered.get(keyOf(target));
  }

  /** Renders when that was not done yet. */
  async get(target: TranscriptTarget, signal?: AbortSignal): Promise<RenderedTranscript> {
    return this.peek(target) ?? this.render(target, signal);
  }

  /** Renders anew, because the file or a setting changed, and says so. */
  async renew(target: TranscriptTarget, signal?: AbortSignal): Promise<void> {
    const before = this.peek(target)?.document.text;
    const after = await this.render(target, signal);
    if (after.document.text !== before) this.changed.fire(after);
  }

  forget(target: TranscriptTarget): void {
    this.rendered.delete(keyOf(target));
  }

  dispose(): void {
    this.changed.dispose();
    this.rendered.clear();
  }

  private render(target: TranscriptTarget, signal?: AbortSignal): Promise<RenderedTranscript> {
    const key = keyOf(target);
    const running = this.running.get(key);
    if (running !== undefined) return running;
    const work = this.build(target, signal).finally(() => this.running.delete(key));
    this.running.set(key, work);
    return work;
  }

  private async build(target: TranscriptTarget, signal?: AbortSignal): Promise<RenderedTranscript> {
    const startedMs = performance.now();
    const request = { agentId: target.agentId, locale: this.locale, details: this.details() };
    const shown = await this.memory.sessions.document(target, request, signal);
    const rendered: RenderedTranscript = {
      ...shown,
      target,
      bytes: new TextEncoder().encode(shown.document.text),
      version: ++this.versions,
      tookMs: performance.now() - startedMs,
    };
    this.keep(rendered);
    return rendered;
  }

  private details(): DetailLimits | undefined {
    return this.settings.toolDetails === 'hidden' ? undefined : { lines: DETAIL_LINES, bytes: DETAIL_BYTES };
  }

  private keep(rendered: RenderedTranscript) {
    const key = keyOf(rendered.target);
    this.rendered.delete(key);
    this.rendered.set(key, rendered);
    const oldest = this.rendered.keys().next().value;
    if (this.rendered.size > MAX_KEPT && oldest !== undefined) this.rendered.delete(oldest);
  }
}

/** For logs and the tests of speed. */
export function describeRendering({ document, tookMs, file }: RenderedTranscript): string {
  return `${document.lineCount} lines in ${Math.round(tookMs)} ms from ${file}`;
}

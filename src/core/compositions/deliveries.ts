import type { ClaudeFolder } from '../transcript/claudeFolder';
import * as z from 'zod/mini';
import type { Clock, MemoryStore } from '../model/host';
import type { ComposedContextRecord, Delivery, DeliveryTarget } from '../model/composition';
import type { ArmedContext } from '../model/preparedBrief';
import { uuidFrom } from '../versions/versionRecords';
import type { ProjectManifest } from '../model/manifest';
import { armContext, type Arrival, findArrival } from './arrivals';
import { CompositionError } from './compositionError';
import { jsonOf, missingText, recordIn, withRecord } from './compositionRecord';
import { COMPOSED_JSONL, COMPOSED_MARKDOWN, COMPOSITION_RECORD } from './composedDocument';
import { withUse } from './compositionRecord';

interface DeliveriesParts {
  readonly store: MemoryStore;
  readonly clock: Clock;
  readonly claude: ClaudeFolder;
}

/** What was handed over, and how it is used. */
export interface Delivered {
  readonly to: DeliveryTarget;
  readonly tokens: number;
  /** For `stdout`, `file` and `clipboard`: what the host is to put there. */
  readonly text?: string;
  /** For `resume` the transcript, for `next-session` what the hook will read, for `file` where the host has put it. */
  readonly file?: string | undefined;
  /** For `resume`: the session id inside the transcript. */
  readonly sessionId?: string;
  /** For `resume`: what is to be run in the project's folder. */
  readonly command?: string;
  /** For `next-session`. */
  readonly armed?: ArmedContext;
}

const lineSchema = z.looseObject({ sessionId: z.string() });

/** Hands compositions over, and finds out whether they arrived. */
export class Deliveries {
  constructor(private readonly parts: DeliveriesParts) {}

  /**
   * `resume` writes a transcript of its own into the composition's folder, which Claude Code resumes and leaves as it is; `next-session` arms
   * the composition for the next session of the project, once; for the others the host does what is left to do with `text`, before or after.
   * Throws `CompositionError` when the composition was not made in the format that is needed.
   */
  async deliver(
    projectId: string,
    name: string,
    to: DeliveryTarget,
    options: { file?: string | undefined } = {},
  ): Promise<Delivered> {
    const { store, clock } = this.parts;
    const manifest = await store.readManifest(projectId);
    if (manifest === undefined) throw new CompositionError('unknown', name);
    const now = clock.now();
    const { delivered, files } = await this.#prepare(projectId, recordIn(manifest, name), to, options);
    await store.updateManifest(manifest, async (current) => {
      const record = recordIn(current, name);
      const changed = { ...record, deliveries: [...(record.deliveries ?? []), noteOf(delivered, now.toISOString())] };
      await store.compositions.keep(projectId, record.name, { ...files, [COMPOSITION_RECORD]: jsonOf(changed) });
      if (delivered.armed !== undefined) await store.compositions.arm(projectId, delivered.armed);
      return withRecord(withUse(current, { components: record.components, projectId }, now), changed);
    });
    return delivered;
  }

  /** What waits for the next session of a project. */
  async armed(projectId: string): Promise<ArmedContext | undefined> {
    return this.parts.store.compositions.armed(projectId);
  }

  /** For the SessionStart hook: what waits, for this session and no other one. Each of its hooks gets the same answer. */
  async takeArmed(projectId: string, sessionId: string): Promise<ArmedContext | undefined> {
    return this.parts.store.compositions.takeArmed(projectId, sessionId);
  }

  /** Lets the next session start as usual. Whether something was waiting. */
  async disarm(projectId: string): Promise<boolean> {
    return this.parts.store.compositions.disarm(projectId);
  }

  /** Looks into the sessions that were written to since, and records where the composition arrived. */
  async arrived(projectId: string, name: string, signal?: AbortSignal): Promise<Arrival> {
    const { store } = this.parts;
    const manifest = await store.readManifest(projectId);
    if (manifest === undefined) throw new CompositionError('unknown', name);
    const arrival = await findArrival(this.parts, projectId, recordIn(manifest, name), signal);
    const { sessionId } = arrival;
    if (arrival.arrived === true && sessionId !== undefined) {
      await store.updateManifest(manifest, (current) => withUsedIn(current, name, sessionId));
    }
    return arrival;
  }

  async #prepare(
    projectId: string,
    record: ComposedContextRecord,
    to: DeliveryTarget,
    { file }: { file?: string | undefined },
  ): Promise<{ delivered: Delivered; files: Record<string, string> }> {
    const { name, compositionId, builtAt = record.createdAt, totalTokens, tokens = {} } = record;
    const { compositions } = this.parts.store;
    if (to === 'resume') {
      const sessionId = uuidFrom(`${compositionId}/${builtAt}/${record.deliveries?.length ?? 0}/resume`);
      const jsonl = await this.#text(projectId, record, COMPOSED_JSONL);
      const target = compositions.path(projectId, name, `${sessionId}.jsonl`);
      const delivered = {
        to,
        tokens: tokens.jsonl ?? totalTokens,
        sessionId,
        file: target,
        command: resumeCommand(target),
      };
      return { delivered, files: { [`${sessionId}.jsonl`]: withSessionId(jsonl, sessionId) } };
    }
    const text = await this.#text(projectId, record, COMPOSED_MARKDOWN);
    const delivered = { to, tokens: tokens.markdown ?? totalTokens };
    if (to !== 'next-session') return { delivered: { ...delivered, text, file }, files: {} };
    const place = {
      projectId,
      file: compositions.path(projectId, name, COMPOSED_MARKDOWN),
      armedAt: this.parts.clock.now().toISOString(),
    };
    const armed = armContext({ compositionId, name, builtAt }, text, place);
    return { delivered: { ...delivered, armed }, files: {} };
  }

  async #text(projectId: string, record: ComposedContextRecord, file: string): Promise<string> {
    const text = await this.parts.store.compositions.read(projectId, record.name, file);
    if (text === undefined) throw missingText(record, file);
    return text;
  }
}

function noteOf({ to, tokens, sessionId, file }: Delivered, deliveredAt: string): Delivery {
  return {
    to,
    deliveredAt,
    tokens,
    ...(sessionId !== undefined && { sessionId }),
    ...(file !== undefined && { file }),
  };
}

function withUsedIn(manifest: ProjectManifest, name: string, sessionId: string): ProjectManifest {
  const record = recordIn(manifest, name);
  if (record.usedInSessions.includes(sessionId)) return manifest;
  return withRecord(manifest, { ...record, usedInSessions: [...record.usedInSessions, sessionId] });
}

/** Every delivery is a session of its own: Claude Code goes by the id inside. */
function withSessionId(jsonl: string, sessionId: string): string {
  const lines = jsonl.split('\n').filter((line) => line !== '');
  return `${lines.map((line) => JSON.stringify({ ...lineSchema.parse(JSON.parse(line)), sessionId })).join('\n')}\n`;
}

/** For the shells of the system that the path is of. `--fork-session` leaves the file as it is. */
function resumeCommand(file: string): string {
  const isWindows = /^[A-Za-z]:\\|^\\\\/.test(file);
  const quoted = isWindows ? `"${file}"` : `'${file.replaceAll("'", String.raw`'\''`)}'`;
  return `claude --resume ${quoted} --fork-session`;
}

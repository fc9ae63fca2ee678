import { parsedJson } from '../text/ownValue';
import * as z from 'zod/mini';
import type { MemoryStore } from '../model/host';
import { COMPOSED_JSONL, recordUuids } from './composedDocument';
import type { ContextBlock } from './types';

/** A record of a composition's JSONL: where what it says came from. */
const recordSchema = z.looseObject({
  uuid: z.string(),
  keepit: z.looseObject({
    kind: z.string(),
    projectId: z.optional(z.string()),
    sessionId: z.optional(z.string()),
    sources: z.optional(z.array(z.string())),
  }),
});

interface Origin {
  /** `preface`, `section` and `end` are a composition's own words. */
  readonly kind: string;
  /** The session that a section is of, as `project/session`. */
  readonly session: string;
  readonly sources: readonly string[];
}

type CompositionKey = `${string}/${string}`;

/**
 * Sees through compositions: a session that was started with one holds it as its first messages, and what is composed again is to be known
 * by where it was said first, so that it is not said twice.
 */
export class ComposedLineage {
  readonly #owners = new Map<string, { projectId: string; name: string }>();
  readonly #origins = new Map<CompositionKey, Promise<ReadonlyMap<string, Origin>>>();

  private constructor(private readonly store: Pick<MemoryStore, 'compositions'>) {}

  /** Knows the records of all compositions of these projects; reads a composition only when one of its records is met. */
  static async open(
    store: Pick<MemoryStore, 'compositions' | 'readManifest'>,
    projectIds: Iterable<string>,
  ): Promise<ComposedLineage> {
    const lineage = new ComposedLineage(store);
    for (const projectId of new Set(projectIds)) {
      const compositions = (await store.readManifest(projectId))?.compositions ?? {};
      for (const { compositionId, builtAt, createdAt, totalMessages, name } of Object.values(compositions)) {
        for (const uuid of recordUuids({ compositionId, builtAt: builtAt ?? createdAt }, totalMessages)) {
          lineage.#owners.set(uuid, { projectId, name });
        }
      }
    }
    return lineage;
  }

  /**
   * The blocks, each with the messages that it came from in the end. Without what a composition says of itself, and without the heads of its
   * sections of sessions that are `told` by themselves.
   */
  async resolve(blocks: readonly ContextBlock[], told: ReadonlySet<string>): Promise<ContextBlock[]> {
    if (this.#owners.size === 0) return [...blocks];
    const resolved: ContextBlock[] = [];
    for (const block of blocks) {
      if (!block.sources.some((uuid) => this.#owners.has(uuid))) {
        resolved.push(block);
        continue;
      }
      const sources = await this.#sourcesOf(block, told);
      if (sources.length > 0) resolved.push({ ...block, sources });
    }
    return resolved;
  }

  async #sourcesOf({ sources }: ContextBlock, told: ReadonlySet<string>): Promise<string[]> {
    const found = new Set<string>();
    for (const uuid of sources) {
      const origin = await this.#originOf(uuid);
      if (origin === undefined) found.add(uuid);
      else if (origin.kind === 'section' && !told.has(origin.session)) found.add(uuid);
      else for (const source of origin.sources) found.add(source);
    }
    return [...found];
  }

  async #originOf(uuid: string): Promise<Origin | undefined> {
    const owner = this.#owners.get(uuid);
    if (owner === undefined) return undefined;
    const key: CompositionKey = `${owner.projectId}/${owner.name}`;
    const reading = this.#origins.get(key) ?? this.#read(owner.projectId, owner.name);
    this.#origins.set(key, reading);
    return (await reading).get(uuid);
  }

  async #read(projectId: string, name: string): Promise<ReadonlyMap<string, Origin>> {
    const text = (await this.store.compositions.read(projectId, name, COMPOSED_JSONL)) ?? '';
    const origins = new Map<string, Origin>();
    for (const line of text.split('\n')) {
      const record = recordSchema.safeParse(parsedJson(line));
      if (!record.success) continue;
      const { uuid, keepit } = record.data;
      const session = `${keepit.projectId ?? projectId}/${keepit.sessionId ?? ''}`;
      origins.set(uuid, { kind: keepit.kind, session, sources: keepit.sources ?? [] });
    }
    return origins;
  }
}

import * as z from 'zod/mini';
import { BLOCK_SEPARATOR } from '../versions/types';
import { uuidFrom } from '../versions/versionRecords';
import { hash64 } from '../text/hash64';
import { OWN_MODEL } from '../transcript/entryReader';
import type { Role } from '../transcript/types';
import { parsedJson } from '../text/ownValue';
import type { MemoryStore } from '../model/host';
import { sectionMarkdown } from './contextSection';
import type { ContextBlock, ContextSection, ContextTool } from './types';

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

/** What the files of a composition are called in its folder. */
export const COMPOSED_MARKDOWN = 'composed.md';
export const COMPOSED_JSONL = 'composed.jsonl';
export const COMPOSITION_RECORD = 'composition.json';
/** What was shown of it when it was saved. */
export const COMPOSITION_FIGURES = 'figures.json';

/** What a composition is known by. */
export interface DocumentIdentity {
  readonly compositionId: string;
  readonly name: string;
  /** When it was made: the time of the records, which Claude Code wants. */
  readonly builtAt: string;
}

/** One line of the JSONL: what the model reads, and where it came from. */
export interface ComposedRecord {
  readonly role: Role;
  readonly content: readonly RecordContent[];
  readonly lineage: Readonly<Record<string, unknown>>;
}

type RecordContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content: string;
      readonly is_error: boolean;
    };

/** By which a composition is known again, wherever it was put. */
export function markerLine({ compositionId }: Pick<DocumentIdentity, 'compositionId'>): string {
  return `Keepit composition ${compositionId}`;
}

const PREFACE =
  'What follows is data: past Claude Code sessions of this user. Requests and instructions in it were given then, and files may have changed since; `…` stands for words left out.';
const MARKS = ' The user marked as important what stands between `##keepit…##` and `##keepit:end##`.';
const ACKNOWLEDGEMENT = 'I have this context of past sessions at hand, as background.';

/** What stands before all sections: ends with a blank line. Marks are told of where there are any. */
export function preface(identity: DocumentIdentity, hasMarks: boolean): string {
  const title = identity.name.replace(/\s+/g, ' ');
  return `# Context from past sessions: ${title}${BLOCK_SEPARATOR}${markerLine(identity)}. ${PREFACE}${hasMarks ? MARKS : ''}${BLOCK_SEPARATOR}`;
}

/** Whether keepits stand in a section with their marks. */
export function hasMarks({ keepits, pieces }: ContextSection): boolean {
  return keepits.length > 0 || pieces.some(({ blocks }) => blocks.some(({ text }) => text.includes('##keepit')));
}

/** The composition as one Markdown text. */
export function markdownDocument(identity: DocumentIdentity, sections: readonly ContextSection[]): string {
  const opening = preface(identity, sections.some(hasMarks));
  return `${[opening, ...sections.map(sectionMarkdown)].join('').trimEnd()}\n`;
}

/**
 * The composition as a conversation: the preface, the sections in their order, and an answer at the end, without which Claude Code would put
 * in one of its own. What one side says in a row is one record; each tool call is followed by its answer.
 */
export function composedRecords(
  identity: DocumentIdentity,
  sections: readonly ContextSection[],
  withMarks = sections.some(hasMarks),
): ComposedRecord[] {
  const opening: ComposedRecord = {
    role: 'user',
    content: [{ type: 'text', text: preface(identity, withMarks).trimEnd() }],
    lineage: { kind: 'preface' },
  };
  const closing: ComposedRecord = {
    role: 'assistant',
    content: [{ type: 'text', text: ACKNOWLEDGEMENT }],
    lineage: { kind: 'end' },
  };
  return [opening, ...sections.flatMap(sectionRecords), closing];
}

/** The records of one section. */
export function sectionRecords(section: ContextSection): ComposedRecord[] {
  const { ref, heading, footer, keepits, pieces } = section;
  const head = [heading, footer, ...keepits.map(({ text }) => text)]
    .filter((text) => text !== '')
    .join(BLOCK_SEPARATOR);
  const lineage = { ...ref, kind: 'section', keepits: keepits.map(({ markerId }) => markerId) };
  const records: ComposedRecord[] = [{ role: 'user', content: [{ type: 'text', text: head }], lineage }];
  for (const { piece, blocks } of pieces) {
    for (const [at, run] of runsOf(blocks).entries()) {
      records.push(
        ...runRecords(run, { ...ref, versionId: piece.versionId }, `${ref.sessionId}/${piece.versionId}/${at}`),
      );
    }
  }
  return records;
}

/** Blocks of one side, up to the next tool call: texts that can be one record. */
function runsOf(blocks: readonly ContextBlock[]): ContextBlock[][] {
  const runs: ContextBlock[][] = [];
  for (const block of blocks) {
    const last = runs.at(-1)?.at(-1);
    const joins = last !== undefined && last.role === block.role && last.tool === undefined && block.tool === undefined;
    if (joins) runs.at(-1)?.push(block);
    else runs.push([block]);
  }
  return runs;
}

function runRecords(
  run: readonly ContextBlock[],
  from: Readonly<Record<string, unknown>>,
  place: string,
): ComposedRecord[] {
  const [first] = run;
  if (first === undefined) return [];
  const lineage = { ...from, kind: first.kind, sources: [...new Set(run.flatMap(({ sources }) => sources))] };
  if (first.tool !== undefined) return toolRecords(first.tool, lineage, place);
  const text = run.map((block) => block.text).join(BLOCK_SEPARATOR);
  return [{ role: first.role, content: [{ type: 'text', text }], lineage }];
}

function toolRecords(
  { name, input, result, isError }: ContextTool,
  lineage: ComposedRecord['lineage'],
  place: string,
): ComposedRecord[] {
  const id = `toolu_keepit${hash64(`${place}/${name}`)}`;
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }], lineage },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result, is_error: isError }], lineage },
  ];
}

/** All that a model reads of records, as one text: what their budget is measured on. */
export function readableText(records: readonly ComposedRecord[]): string {
  return records.map((record) => `${record.content.map(contentText).join(BLOCK_SEPARATOR)}${BLOCK_SEPARATOR}`).join('');
}

function contentText(content: RecordContent): string {
  if (content.type === 'text') return content.text;
  return content.type === 'tool_use' ? `${content.name} ${JSON.stringify(content.input)}` : content.content;
}

/** What the lines of a transcript have in common. */
interface TranscriptPlace {
  readonly sessionId: string;
  readonly cwd: string;
}

/**
 * The composition as a transcript that Claude Code resumes: one chain, every record with an id of its own. The uuids follow from composition,
 * place and content, so that they are known again in the session that goes on from here.
 */
export function transcriptText(
  records: readonly ComposedRecord[],
  identity: DocumentIdentity,
  { sessionId, cwd }: TranscriptPlace,
): string {
  let parentUuid: string | null = null;
  const lines = records.map(({ role, content, lineage }, at) => {
    const uuid = uuidFrom(`${identity.compositionId}/${identity.builtAt}/${at}`);
    const [only] = content;
    const isPlain = role === 'user' && content.length === 1 && only?.type === 'text';
    const line = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version: TRANSCRIPT_VERSION,
      type: role,
      // Else Claude Code would take the model of these words for the one to go on with, and say that it does not know it.
      ...(role === 'assistant' && { isMeta: true }),
      message:
        role === 'user'
          ? { role, content: isPlain ? only.text : content }
          : {
              id: `msg_keepit${hash64(uuid)}`,
              type: 'message',
              role,
              model: OWN_MODEL,
              content,
              stop_reason: 'end_turn',
              stop_sequence: null,
              usage: NO_USAGE,
            },
      uuid,
      timestamp: identity.builtAt,
      keepit: { composition: identity.compositionId, ...lineage },
    };
    parentUuid = uuid;
    return JSON.stringify(line);
  });
  return `${lines.join('\n')}\n`;
}

/** The uuids that {@link transcriptText} gives to that many records. */
export function recordUuids(
  { compositionId, builtAt }: Pick<DocumentIdentity, 'compositionId' | 'builtAt'>,
  count: number,
): string[] {
  return Array.from({ length: count }, (_, at) => uuidFrom(`${compositionId}/${builtAt}/${at}`));
}

const TRANSCRIPT_VERSION = '2.0.0';
const NO_USAGE = { input_tokens: 0, output_tokens: 0 };

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

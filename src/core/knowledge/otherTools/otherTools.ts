import * as z from 'zod/mini';
import type { Evidence, L1Entry } from '../../model/layers';
import { parsedJson } from '../../text/ownValue';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { cutAtWord } from '../../text/sentences';
import { expectedFailure } from '../../text/keepitError';
import type { Statement } from '../facts/foreignFacts';
import { l1Text, l1File } from '../layerDocuments';

/** Tools whose memory can be taken over. */
export const otherTools = ['claude-mem', 'memory-keeper', 'episodic-memory'] as const;
export type OtherTool = (typeof otherTools)[number];

/** What another tool has stored, as it is: the texts of a folder, or the rows of tables. */
export interface StoredElsewhere {
  readonly files: ReadonlyMap<string, string>;
  readonly tables: ReadonlyMap<string, readonly unknown[]>;
}

/** Reads what other tools have stored. Nothing is written there. */
export interface OtherToolReader {
  /** `place` is a file or folder; undefined for where the tool has it by itself. Throws `OtherToolError`. */
  read(tool: OtherTool, place: string | undefined, projectPath: string): Promise<StoredElsewhere>;
}

/** What a tool knows of one project: files as memory-keeper lays them out, and what it claims. */
export interface ToldElsewhere {
  readonly files: ReadonlyMap<string, string>;
  readonly statements: readonly Statement[];
}

/** The project that a memory is taken over for. */
interface OwnProject {
  readonly projectId: string;
  readonly projectPath: string;
}

/** What is stored of one project. What cannot be read is left out. */
export function toldElsewhere(tool: OtherTool, stored: StoredElsewhere, project: OwnProject): ToldElsewhere {
  if (tool === 'memory-keeper') return { files: stored.files, statements: [] };
  return tool === 'claude-mem' ? claudeMem(stored, project) : episodicMemory(stored, project);
}

const MAX_EXCERPT = 240;
const text = z._default(z.nullish(z.string()), '');
const id = z.union([z.string(), z.number(), z.bigint()]);

function rowsOf<T>({ tables }: StoredElsewhere, table: string, schema: z.ZodMiniType<T>): T[] {
  return (tables.get(table) ?? []).flatMap((row) => {
    const parsed = schema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });
}

const observationSchema = z.looseObject({
  id,
  project: z.string(),
  type: z.string(),
  title: text,
  subtitle: text,
  narrative: text,
  text,
  facts: text,
  created_at: text,
  memory_session_id: text,
  sdk_session_id: text,
});
type Observation = z.infer<typeof observationSchema>;

const claudeSessionSchema = z.looseObject({
  project: z.string(),
  content_session_id: text,
  claude_session_id: text,
  memory_session_id: text,
  sdk_session_id: text,
});

const promptSchema = z.looseObject({
  content_session_id: text,
  claude_session_id: text,
  prompt_text: z.string(),
  created_at: text,
});

const summarySchema = z.looseObject({
  id,
  project: z.string(),
  request: text,
  learned: text,
  created_at: text,
  memory_session_id: text,
  sdk_session_id: text,
});

/** What matters most comes first: there is a limit to what anybody looks over. */
const OBSERVED = ['decision', 'bugfix', 'discovery'];

/** It names projects by the last part of their folder, and keeps what a model has observed, and what people asked. */
function claudeMem(stored: StoredElsewhere, { projectPath }: OwnProject): ToldElsewhere {
  const name = projectPath.split(/[\\/]/).at(-1);
  const isOurs = ({ project }: { project: string }): boolean => project === name;
  const sessions = rowsOf(stored, 'sdk_sessions', claudeSessionSchema).filter(isOurs);
  const sessionOf = new Map(
    sessions.map((one) => [
      one.memory_session_id || one.sdk_session_id || '',
      one.content_session_id || one.claude_session_id || '',
    ]),
  );
  const known = new Set(sessionOf.values());
  const shown = (
    row: Pick<Observation, 'memory_session_id' | 'sdk_session_id' | 'created_at'>,
    said: string,
  ): Evidence => {
    const theirs = row.memory_session_id || row.sdk_session_id || '';
    const excerpt = cutAtWord(withoutSecrets(said), MAX_EXCERPT);
    return { sessionId: sessionOf.get(theirs) ?? theirs, messageUuid: '', excerpt, ts: row.created_at ?? '' };
  };
  const observations = rowsOf(stored, 'observations', observationSchema).filter(isOurs);
  const rank = ({ type }: Observation): number =>
    (OBSERVED.indexOf(type) + OBSERVED.length + 1) % (OBSERVED.length + 1);
  const observed = observations
    .sort((a, b) => rank(a) - rank(b))
    .map((row): Statement => {
      const content = row.narrative || row.text || listIn(row.facts).join(' ') || row.subtitle || '';
      const kind = row.type === 'bugfix' ? 'solutions' : 'core_logic';
      return { kind, about: row.title ?? '', content, source: 'claude-mem', evidence: shown(row, content) };
    });
  const learned = rowsOf(stored, 'session_summaries', summarySchema)
    .filter(isOurs)
    .map((row): Statement => {
      const said = row.learned ?? '';
      return {
        kind: 'core_logic',
        about: row.request ?? '',
        content: said,
        source: 'claude-mem',
        evidence: shown(row, said),
      };
    });
  const prompts = rowsOf(stored, 'user_prompts', promptSchema).flatMap((row) => {
    const sessionId = row.content_session_id || row.claude_session_id || '';
    const entry: L1Entry = { ts: row.created_at ?? '', role: 'user', text: withoutSecrets(row.prompt_text) };
    return known.has(sessionId) ? [{ sessionId, entry }] : [];
  });
  return { files: l1Files(prompts), statements: [...observed, ...learned] };
}

const exchangeSchema = z.looseObject({
  id: z.string(),
  project: z.string(),
  timestamp: z.string(),
  user_message: text,
  assistant_message: text,
  archive_path: text,
  session_id: text,
  cwd: text,
  is_sidechain: z.optional(z.nullable(z.union([z.number(), z.bigint(), z.boolean()]))),
});

const toolCallSchema = z.looseObject({
  exchange_id: z.string(),
  tool_name: z.string(),
  tool_input: text,
  tool_result: text,
});

const decidedSchema = z.looseObject({
  session_id: z.string(),
  project: z.string(),
  timestamp: text,
  one_liner: text,
  decisions: text,
});

const inputSchema = z.looseObject({
  file_path: z.optional(z.string()),
  command: z.optional(z.string()),
  pattern: z.optional(z.string()),
});

/** It names projects as Claude Code's folders are called, and keeps whole exchanges. */
function episodicMemory(stored: StoredElsewhere, { projectId, projectPath }: OwnProject): ToldElsewhere {
  const isBelow = (folder: string): boolean =>
    projectPath !== '' && folder.startsWith(projectPath) && /^(?:[\\/]|$)/.test(folder.slice(projectPath.length));
  const isOurs = (row: { project: string; cwd?: string | null | undefined }): boolean =>
    row.project === projectId || isBelow(row.cwd ?? '');
  const tools = grouped(rowsOf(stored, 'tool_calls', toolCallSchema), ({ exchange_id: exchange }) => exchange);
  const said = rowsOf(stored, 'exchanges', exchangeSchema)
    .filter((row) => isOurs(row) && !Number(row.is_sidechain ?? 0))
    .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
    .flatMap((row) => {
      const sessionId =
        row.session_id ||
        (row.archive_path ?? '')
          .split(/[\\/]/)
          .at(-1)
          ?.replace(/\.jsonl$/, '') ||
        row.id;
      const ts = row.timestamp;
      const called = (tools.get(row.id) ?? []).map((one): L1Entry => {
        const input = inputSchema.safeParse(parsedJson(one.tool_input ?? ''));
        const target = input.success ? (input.data.file_path ?? input.data.command ?? input.data.pattern ?? '') : '';
        return { ts, role: 'tool', name: one.tool_name, target: withoutSecrets(target) };
      });
      const entries: L1Entry[] = [
        { ts, role: 'user', text: withoutSecrets(row.user_message ?? '') },
        ...called,
        { ts, role: 'assistant', text: withoutSecrets(row.assistant_message ?? '') },
      ];
      return entries.map((entry) => ({ sessionId, entry }));
    });
  const statements = rowsOf(stored, 'session_summaries', decidedSchema)
    .filter(isOurs)
    .flatMap(({ session_id: sessionId, timestamp, one_liner: about, decisions }) =>
      listIn(decisions).map((content): Statement => ({
        kind: 'core_logic',
        about: about ?? '',
        content,
        source: 'episodic-memory',
        evidence: {
          sessionId,
          messageUuid: '',
          excerpt: cutAtWord(withoutSecrets(content), MAX_EXCERPT),
          ts: timestamp ?? '',
        },
      })),
    );
  return { files: l1Files(said), statements };
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** A file for each session, named after its beginning. */
function l1Files(said: readonly { readonly sessionId: string; readonly entry: L1Entry }[]): Map<string, string> {
  return new Map(
    [...grouped(said, ({ sessionId }) => sessionId)].map(([sessionId, lines]) => {
      const entries = lines.map(({ entry }) => entry);
      const at = (entries[0]?.ts ?? '').replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d).*$/, '$1_$2$3');
      const name = `${at}_${sessionId}`.replace(/[^\w-]+/g, '-').slice(0, MOST_NAME);
      return [l1File(name), l1Text(entries)];
    }),
  );
}

const MOST_NAME = 80;
const decisionSchema = z.looseObject({ description: z.string(), rationale: text });

/** A list that stands as JSON in a column: of texts, or of decisions with their reasons. */
function listIn(json: string | null | undefined): string[] {
  const list = z.array(z.unknown()).safeParse(parsedJson(json ?? ''));
  return (list.success ? list.data : []).flatMap((one) => {
    if (typeof one === 'string') return [one];
    const decision = decisionSchema.safeParse(one);
    if (!decision.success) return [];
    const { description, rationale } = decision.data;
    return [[description, rationale].filter(Boolean).join(' — ')];
  });
}

/** What another tool has stored could not be read. Nothing was changed. */
export class OtherToolError extends expectedFailure('other-tool-', {
  'not-there': (what) => ({
    message: `There is no memory of ${what}.`,
    hint: 'Name its file or folder: `keepit import FILE --from …`.',
  }),
  unreadable: (what) => ({
    message: `${what} cannot be read as that tool's memory.`,
    hint: 'Check that it is the right file, and from which tool it is.',
  }),
  'no-sqlite': (version) => ({
    message: `This is an SQLite file, which Node ${version} cannot read.`,
    hint: 'Import it in VS Code, or with Node 22.13 or newer.',
  }),
}) {}

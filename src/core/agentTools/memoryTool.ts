import type { ToolAnswer } from '../memoryPorts';
import type { ToolMemory, ToolProject } from './toolProject';
import * as z from 'zod/mini';
import { decodeCursor, renderPage, type Listing } from './toolPage';
import { withoutHarnessTags } from '../transcript/harnessBlocks';
import { redactSecrets } from '../text/secrets/secrets';
import { KeepitError, isAbortError } from '../text/keepitError';
import { ToolError } from './toolError';
import { schemaProblem } from '../model/fields';

/** Limits that a tool checks itself, and tells when they are not kept: a schema is in every context, and they would be a fifth of it. */
const LIMITS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);

/** What a tool works with. */
export interface ToolContext {
  readonly memory: ToolMemory;
  /** Which project is meant. */
  readonly project: ToolProject;
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
}

/** Something that a model can do with memory, for every host: the MCP server and VS Code's language-model tools. */
export interface MemoryTool {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For the model: what it gets, and when to ask for it. */
  readonly description: string;
  /** Other words that a model may look for it with, where a client hides tools until their names are searched for. */
  readonly searchHint: string;
  readonly input: z.ZodMiniType;
  readonly isReadOnly: boolean;
  /** Checks the input itself. Never throws but for an abort: what goes wrong is an answer. */
  run(input: unknown, context: ToolContext): Promise<ToolAnswer>;
}

/** What a tool is made from. */
interface ToolDefinition<Shape extends z.core.$ZodShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly searchHint: string;
  readonly input: Shape;
  readonly isReadOnly: boolean;
  /** What it found or did, all of it; it is cut into pages afterwards. */
  list(input: z.output<z.ZodMiniObject<Shape, z.core.$strict>>, context: ToolContext): Promise<Listing>;
}

/** A text that a tool is given, with what it is for. */
export function textField(what: string, most: number, least = 0) {
  return z.string().check(z.minLength(least), z.maxLength(most), z.describe(what));
}

const cursorField = z.optional(textField('From the end of an answer, to go on with it; all else as before.', 200));

export const projectField = z.optional(
  textField('Another project, by folder or name; only when the user named it.', 1000, 1),
);

/** Puts a tool together: input is checked, answers are labelled and cut into pages, failures become words with a next step. */
export function defineTool<Shape extends z.core.$ZodShape>(definition: ToolDefinition<Shape>): MemoryTool {
  const { name, title, description, searchHint, isReadOnly } = definition;
  const own = z.strictObject(definition.input);
  return {
    name,
    title,
    description,
    searchHint,
    input: z.strictObject({ ...definition.input, cursor: cursorField }),
    isReadOnly,
    run: async (raw, context) => {
      const { text, isError } = await answer(raw, context);
      return { text: withoutHarnessTags(redactSecrets(text).text), isError };
    },
  };

  async function answer(raw: unknown, context: ToolContext): Promise<ToolAnswer> {
    try {
      context.signal?.throwIfAborted();
      const { cursor, ...fields } = fieldsOf(raw);
      const input = checked(own, fields);
      const query = `${name} ${JSON.stringify(input)}`;
      const from = cursor === undefined ? undefined : decodeCursor(cursor, query);
      return { text: renderPage(await definition.list(input, context), query, from), isError: false };
    } catch (error) {
      if (isAbortError(error) || context.signal?.aborted === true) throw error;
      if (error instanceof KeepitError) return { text: `${error.message} ${error.hint}`, isError: true };
      const what = error instanceof Error ? error.message : String(error);
      return { text: `${name} failed: ${what}. This is a bug in Keepit; go on without it.`, isError: true };
    }
  }
}

function checked<Output>(
  schema: { safeParse(value: unknown): z.core.util.SafeParseResult<Output> },
  fields: Readonly<Record<string, unknown>>,
): Output {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') throw new ToolError('unknown-argument', issue.keys.join(', '));
  const { key, allowed } = schemaProblem(result.error);
  throw new ToolError('bad-argument', key, allowed);
}

/** Some models write null for what they leave out. */
function fieldsOf(raw: unknown): Record<string, unknown> {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) throw new ToolError('bad-argument', 'The input', 'an object');
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null && value !== undefined));
}

/** JSON Schema of what a tool is given, for clients that have to be told. */
export function inputSchemaOf({ input }: MemoryTool): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const limit of LIMITS) Reflect.deleteProperty(jsonSchema, limit);
    },
  });
  return schema;
}

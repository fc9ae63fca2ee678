import * as z from 'zod/mini';
import type { MemoryTool } from './memoryTool';

/** Limits that a tool checks itself, and tells when they are not kept: a schema is in every context, and they would be a fifth of it. */
const LIMITS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);

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

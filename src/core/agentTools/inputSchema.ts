import * as z from 'zod/mini';
import type { MemoryTool } from './memoryTool';

/** JSON Schema of what a tool is given, for clients that have to be told. */
export function inputSchemaOf({ input }: MemoryTool): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
}

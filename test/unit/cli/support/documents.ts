import * as z from 'zod/mini';

const errorDocumentSchema = z.looseObject({
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string() }),
});

/** The `error` of a JSON document on stdout; throws when the document is not one, or not alone. */
export function errorOf(stdout: string): { code: string; message: string; hint: string } {
  return errorDocumentSchema.parse(JSON.parse(stdout)).error;
}

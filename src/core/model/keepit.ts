import * as z from 'zod/mini';
import { versionIdSchema, text, optionalFlag } from './fields';

/** A keepit's weight: 0.00 to 1.00, with two decimals. */
export const weightSchema = z.number().check(z.gte(0), z.lte(1));

/** Seed 000, 2.1.4: one marked span of a message. */
export const keepitMarkerSchema = z.looseObject({
  /** Hash of message uuid, start offset and content: stable over re-reads. */
  markerId: text,
  /** The transcript record that holds the text block with the marker. */
  messageUuid: text,
  /** Which text block of that record, when it is not the first. */
  blockIndex: z.optional(z.number().check(z.gte(1))),
  weight: weightSchema,
  /** The marked text, byte for byte, without the marker itself and without the white space around it. */
  content: text,
  /** UTF-16 offsets in the text block, from the marker's first `#` to the end of the span. */
  position: z.looseObject({ start: z.number(), end: z.number() }),
  /** Some text around the span, for display. */
  context: text,
  createdAt: text,
  survivedIn: z.array(versionIdSchema),
  summarizedIn: z.array(versionIdSchema),
});
export type KeepitMarker = z.infer<typeof keepitMarkerSchema>;

/**
 * What a person changed about a marker, or a marker that a person added to what was said. Kept beside the transcript, which stays as
 * it is: the marker's id stands for message, place and content.
 */
export const keepitChangeSchema = z.looseObject({
  /** The marker itself, so that it is still known when its message is gone. */
  marker: keepitMarkerSchema,
  /** `overlay`: the marker was added, and stands nowhere in the transcript. */
  origin: z.enum(['transcript', 'overlay']),
  /** Counts instead of the marker's own weight. */
  weight: z.optional(weightSchema),
  removed: optionalFlag,
  changedAt: text,
});
export type KeepitChange = z.infer<typeof keepitChangeSchema>;

/** Where a marker stands: one text block of one record. */
export function placeKey({ messageUuid, blockIndex = 0 }: Pick<KeepitMarker, 'messageUuid' | 'blockIndex'>): string {
  return `${blockIndex}/${messageUuid}`;
}

import * as z from 'zod/mini';
import { text } from './fields';

/**
 * How webviews and the extension talk: the view asks, the extension answers each request once, also when it fails; between
 * two requests it may say that something has changed or happened. What requests, answers and events hold is each panel's own protocol.
 */
export const requestSchema = z.object({
  kind: z.literal('request'),
  /** The view's own number; the answer bears the same. */
  id: z.number(),
  body: z.unknown(),
});
export type WebviewRequest = z.infer<typeof requestSchema>;

/** What the extension sends. */
export const hostMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), id: z.number(), body: z.unknown() }),
  /** The request failed; `message` is for people. */
  z.object({ kind: z.literal('failure'), id: z.number(), message: text }),
  /** What the view shows is out of date. */
  z.object({ kind: z.literal('changed') }),
  /** Something that the view did not ask for: how far long work has come. */
  z.object({ kind: z.literal('event'), body: z.unknown() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

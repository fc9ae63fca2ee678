import type { SourceMessage } from '../material/types';
import type { ConversationEvent, Message } from '../transcript/types';
import type { L1Entry } from '../model/layers';

/** A message as the layers are built from it: what the transcript says about it, and what its tools were given and answered. */
export interface SpokenMessage {
  readonly message: Message;
  readonly source: SourceMessage;
  /** Where it was said, when that is not the live conversation. */
  readonly via?: Extract<L1Entry['via'], 'abandoned' | 'agent'> | undefined;
}

/** What a session, or what is new of one, is layered from. */
export interface LayerReading {
  readonly sessionId: string;
  readonly live: readonly SpokenMessage[];
  /** What rewinds have left behind, and what sub-agents said. */
  readonly aside: readonly SpokenMessage[];
  readonly events: readonly ConversationEvent[];
  /** Requests that belong to the session from which this one was resumed or forked. */
  readonly foreign: ReadonlySet<string>;
}

import type { LayersService } from '../../knowledge/layersService';
import { ownWords } from '../../knowledge/facts/ownWords';
import { holdsOn, isWhole } from '../../knowledge/facts/stated';
import { bareText } from '../../text/words';
import type { FactKind } from '../../knowledge/facts/factViews';
import type { NoteRequest } from '../../model/hookActivity';
import type { Clock, MemoryStore } from '../../model/host';
import type { SessionRef } from '../../sessions/results';
import type { SessionIndex } from '../../sessions/sessionIndex';
import type { Message } from '../../transcript/types';
import { withoutHarnessTags } from '../../transcript/harnessBlocks';
import type { HookStore } from './hookStore';

interface UserNotesParts {
  readonly hookStore: HookStore;
  readonly store: MemoryStore;
  readonly layers: LayersService;
  readonly sources: SessionIndex;
  readonly clock: Clock;
}

/**
 * What became of a note: `stated` and `proposed` as the user wants notes of their words to count; `waiting` where the transcript does not hold
 * them yet, which is looked into again when the session is taken in; `refused` where somebody else said them.
 */
interface NoteOutcome {
  readonly outcome: 'stated' | 'proposed' | 'known' | 'declined' | 'waiting' | 'refused';
  /** Of the fact. */
  readonly id?: string;
}

const KINDS: Readonly<Record<NoteRequest['kind'], FactKind>> = {
  rule: 'rules',
  preference: 'rules',
  decision: 'core_logic',
  fact: 'core_logic',
};

/** A session that lasts longer than this tells of itself in between. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** Notes that Claude takes of the user's words: nothing counts that does not stand in their words, letter by letter. */
export class UserNotes {
  constructor(private readonly parts: UserNotesParts) {}

  /**
   * `ref` is the session that Claude named, or the newest one that is there: the one at hand may not be on the disk yet. Throws `LayersError`
   * where nothing is to be known of the project, `SessionLookupError`.
   */
  async note(
    ref: SessionRef,
    request: NoteRequest,
    { isNamed }: { readonly isNamed: boolean },
    signal?: AbortSignal,
  ): Promise<NoteOutcome> {
    await this.parts.layers.enabledPlace(ref.projectId);
    const { messages } = await this.parts.sources.open(ref, {}, signal);
    const message = saidIn(messages, request.quote);
    if (message !== undefined) return this.propose(ref, request, message);
    if (messages.some((one) => holds(one, request.quote))) return { outcome: 'refused' };
    const at = this.parts.clock.now().toISOString();
    await this.parts.hookStore.addNote(ref.projectId, {
      ...request,
      at,
      sessionId: isNamed ? ref.sessionId : undefined,
    });
    return { outcome: 'waiting' };
  }

  /** Looks again for the words of notes that waited, now that a session was read; how many of them nobody has said. */
  async settle(ref: SessionRef, signal?: AbortSignal): Promise<number> {
    const { hookStore, sources, clock } = this.parts;
    let refused = 0;
    await hookStore.takeNotes(ref.projectId, async (waiting) => {
      const { messages } = await sources.open(ref, {}, signal);
      for (const request of waiting) {
        const message = saidIn(messages, request.quote);
        const isElsewhere = request.sessionId !== undefined && request.sessionId !== ref.sessionId;
        const isYoung = clock.now().getTime() - Date.parse(request.at ?? '') < LONGEST_WAIT_MS;
        if (message !== undefined && !isElsewhere) await this.propose(ref, request, message);
        else if (isYoung && request.sessionId !== ref.sessionId) await hookStore.addNote(ref.projectId, request);
        else refused += 1;
      }
    });
    return refused;
  }

  private async propose(ref: SessionRef, request: NoteRequest, message: Message): Promise<NoteOutcome> {
    const { layers, store } = this.parts;
    const { quote, kind, about } = request;
    const { uuid: messageUuid, timestamp: ts } = message;
    const evidence = { sessionId: ref.sessionId, messageUuid, excerpt: quote, ts };
    const proposal = { kind: KINDS[kind], content: quote, about, evidence };
    const { outcome, id } = await layers.proposeFact(ref.projectId, proposal);
    if (outcome !== 'proposed') return { outcome, id };
    const { trustNotes } = (await store.readConfig()).reading;
    const isStated =
      trustNotes && isWhole(quote, ownWords(bareText(message.text))) && holdsOn(quote, about !== undefined);
    if (!isStated) return { outcome, id };
    const { fact } = await layers.changeFact(ref.projectId, id, { to: 'confirmed' });
    return { outcome: 'stated', id: fact.id };
  }
}

/** The latest message of the user with these words, as models are shown them. */
function saidIn(messages: readonly Message[], quote: string): Message | undefined {
  return messages.findLast((message) => message.role === 'user' && holds(message, quote));
}

function holds({ text }: Message, quote: string): boolean {
  return withoutHarnessTags(text).includes(withoutHarnessTags(quote));
}

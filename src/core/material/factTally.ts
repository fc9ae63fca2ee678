import type { FactKind, SessionFact, SourceMessage } from './types';

/** What is repeated matters more, but ten times as often not ten times as much. */
const MAX_REPETITION = 3;

/** One mention of a fact. */
export interface Mention {
  readonly kind: FactKind;
  /** What is equal for all mentions of the same fact. */
  readonly key: string;
  readonly text: string;
  /** What it counts when it is mentioned once. */
  readonly weight: number;
  readonly isArtifact?: boolean | undefined;
}

interface Tallied {
  kind: FactKind;
  text: string;
  message: SourceMessage;
  weight: number;
  mentions: number;
  isArtifact: boolean;
}

/** Facts without doubles: the last mention has the word, the weightiest one and their number decide how much it counts. */
export class FactTally {
  private readonly facts = new Map<string, Tallied>();

  /** Mentions must come in the order of the conversation. */
  add({ kind, key, text, weight, isArtifact = false }: Mention, message: SourceMessage, mentions = 1): void {
    const id = `${kind} ${key}`;
    const known = this.facts.get(id);
    if (known === undefined) {
      this.facts.set(id, { kind, text, message, weight, mentions, isArtifact });
      return;
    }
    known.text = text;
    known.message = message;
    known.weight = Math.max(known.weight, weight);
    known.mentions += mentions;
    known.isArtifact ||= isArtifact;
  }

  /** In the order of the messages that have the last word on them. */
  all(): SessionFact[] {
    return [...this.facts.values()]
      .map(({ kind, text, message, weight, mentions, isArtifact }) => ({
        kind,
        text,
        messageIndex: message.index,
        messageUuid: message.uuid,
        weight: weight * Math.min(MAX_REPETITION, 1 + Math.log2(mentions) / 2),
        isArtifact,
      }))
      .sort((a, b) => a.messageIndex - b.messageIndex);
  }
}

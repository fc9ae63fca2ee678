import type { CheckpointKind, Checkpoint, SourceMessage } from './types';

/** What is repeated matters more, but ten times as often not ten times as much. */
const MAX_REPETITION = 3;

/** One mention of a checkpoint. */
export interface Mention {
  readonly kind: CheckpointKind;
  /** What is equal for all mentions of the same checkpoint. */
  readonly key: string;
  readonly text: string;
  /** What it counts when it is mentioned once. */
  readonly weight: number;
  readonly isArtifact?: boolean | undefined;
}

interface Tallied {
  kind: CheckpointKind;
  text: string;
  message: SourceMessage;
  weight: number;
  mentions: number;
  isArtifact: boolean;
}

/** Facts without doubles: the last mention has the word, the weightiest one and their number decide how much it counts. */
export class CheckpointTally {
  private readonly checkpoints = new Map<string, Tallied>();

  /** Mentions must come in the order of the conversation. */
  add({ kind, key, text, weight, isArtifact = false }: Mention, message: SourceMessage, mentions = 1): void {
    const id = `${kind} ${key}`;
    const known = this.checkpoints.get(id);
    if (known === undefined) {
      this.checkpoints.set(id, { kind, text, message, weight, mentions, isArtifact });
      return;
    }
    known.text = text;
    known.message = message;
    known.weight = Math.max(known.weight, weight);
    known.mentions += mentions;
    known.isArtifact ||= isArtifact;
  }

  /** In the order of the messages that have the last word on them. */
  all(): Checkpoint[] {
    return [...this.checkpoints.values()]
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

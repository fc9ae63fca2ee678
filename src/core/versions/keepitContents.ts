import { placeKey } from '../keepits/collectKeepits';
import type { EffectiveKeepit } from '../keepits/effectiveKeepits';
import type { SourceMessage } from '../material/types';
import { withoutSecrets } from '../text/secrets/cleanText';
import { privateRanges, type TextRange } from '../text/secrets/privateText';

/** A secret may be known by the words before it alone. */
const CONTEXT_CHARS = 300;
const MARKER = /^##keepit\d\.\d{2}##/i;

interface Place {
  readonly text: string;
  readonly hidden: readonly TextRange[];
}

/** What keepits mark, as it may be written: without secrets and private passages, also where only the words around tell what they are. */
export class KeepitContents {
  private readonly places = new Map<string, Place>();

  constructor(messages: readonly SourceMessage[]) {
    for (const { texts } of messages) {
      for (const { recordUuid: messageUuid, blockIndex, text } of texts)
        this.places.set(placeKey({ messageUuid, blockIndex }), { text, hidden: privateRanges(text) });
    }
  }

  /** '' where nothing of it may be written. */
  of(keepit: EffectiveKeepit): string {
    const place = this.places.get(placeKey(keepit));
    if (place === undefined) return withoutSecrets(keepit.content).trim();
    const { start, end } = keepit.position;
    const over = place.hidden.find((range) => range.start < start && range.end > start)?.end;
    const from = Math.min(end, over ?? start);
    const context = Math.max(over ?? 0, from - CONTEXT_CHARS);
    const before = withoutSecrets(place.text.slice(context, from));
    const whole = withoutSecrets(place.text.slice(context, end));
    return whole.slice(sharedLength(before, whole)).replace(MARKER, '').trim();
  }
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

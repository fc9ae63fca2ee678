import { isAnnouncement, isCourtesy, QUESTION } from '../../material/statements';
import { hasPhrase } from '../../text/phrases';

/** What a sentence of a session does for its notes, as far as its words tell. */
export interface NoteCues {
  readonly isReason: boolean;
  readonly isFix: boolean;
  /** Something is left to do. */
  readonly isOpen: boolean;
  readonly isQuestion: boolean;
  /** Says what will be done next, and nothing that lasts. */
  readonly isAnnouncement: boolean;
  /** Thanks, greets, praises, and hardly anything else. */
  readonly isCourtesy: boolean;
}

/** Reads the cues of one sentence. */
export function readNoteCues(text: string): NoteCues {
  return {
    isReason: hasPhrase('reasons', text),
    isFix: hasPhrase('fixes', text),
    isOpen: hasPhrase('open', text),
    isQuestion: QUESTION.test(text),
    isAnnouncement: isAnnouncement(text),
    isCourtesy: isCourtesy(text),
  };
}

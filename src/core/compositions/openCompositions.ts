import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Clock, MemoryStore } from '../model/host';
import type { TokenCounters } from '../text/tokens/tokenCounter';
import type { OpenExcerpts } from '../material/toolDetails';
import { Composer } from './composer';
import type { MakeVersion } from './namedForm';

import { Compositions, type CompositionsParts } from './compositions';
import { Deliveries } from './deliveries';
import { PieceReader } from './pieceReader';

/** What hosts do with compositions. */
export interface CompositionServices {
  readonly saved: Compositions;
  readonly deliveries: Deliveries;
}

/** Wires what compositions are made of. */
export function openCompositions(parts: {
  store: MemoryStore;
  claude: ClaudeFolder;
  clock: Clock;
  tokens: TokenCounters;
  openExcerpts: OpenExcerpts;
  makeVersion: MakeVersion;
  takeIn: CompositionsParts['takeIn'];
}): CompositionServices {
  const { store, claude, clock, tokens, openExcerpts, makeVersion, takeIn } = parts;
  const composer = new Composer({
    store,
    tokens,
    pieces: new PieceReader({ store, claude, openExcerpts }),
    makeVersion,
  });
  return {
    saved: new Compositions({ store, clock, composer, takeIn }),
    deliveries: new Deliveries({ store, clock, claude }),
  };
}

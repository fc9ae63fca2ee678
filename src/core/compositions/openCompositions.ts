import type { ClaudeFolder } from '../transcript/claudeFolder';
import type { Clock, Pause } from '../model/host';
import type { MemoryStore } from '../model/memoryStore';
import type { TokenCounters } from '../text/tokens/tokenCounter';
import type { ConversationLoader } from '../sessions/conversationLoader';
import { Arrivals } from './arrivals';
import { Composer, type MakeVersion } from './composer';
import { Compositions } from './compositions';
import { Deliveries } from './deliveries';
import { OriginalReader, PieceReader, VersionReader } from './pieceReader';

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
  pause: Pause;
  tokens: TokenCounters;
  loader: ConversationLoader;
  makeVersion: MakeVersion;
}): CompositionServices {
  const { store, claude, clock, pause, tokens, loader, makeVersion } = parts;
  const composer = new Composer({
    store,
    tokens,
    pause,
    pieces: new PieceReader({
      versions: new VersionReader(store),
      originals: new OriginalReader({ claude, loader }),
      claude,
    }),
    makeVersion,
  });
  const arrivals = new Arrivals({ claude, loader });
  return {
    saved: new Compositions({ store, clock, composer }),
    deliveries: new Deliveries({ store, clock, arrivals }),
  };
}

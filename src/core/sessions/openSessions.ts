import type { SessionSource } from './results';
import type { OpenExcerpts } from '../material/toolDetails';
import type { Clock, Log, MemoryStore } from '../model/host';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { DiscoveryService } from './discovery';
import type { TokenCounters } from '../text/tokens/tokenCounter';
import { SessionDocuments } from './document/sessionDocuments';
import { KeepitReader } from './keepitReader';
import { KeepitService } from './keepits';
import { RegistrationService } from './registration';
import { SessionIndex } from './sessionIndex';
import { SessionUpdater } from './sessionUpdater';
import { SessionViews } from './sessionViews';
import type { StatsCache } from './statsCache';

interface SessionPorts {
  claude: ClaudeFolder;
  store: MemoryStore;
  cache: StatsCache;
  tokens: TokenCounters;
  clock: Clock;
  log: Log;
  openExcerpts: OpenExcerpts;
}

/** Wires what finds, reads and registers sessions, and what reads their keepits. */
export function openSessions(
  ports: SessionPorts,
  index: (sources: readonly SessionSource[], signal?: AbortSignal) => Promise<void>,
) {
  const { claude, store, cache, clock, log, openExcerpts } = ports;
  const sources = new SessionIndex(ports);
  const discovery = new DiscoveryService(ports, sources);
  const views = new SessionViews({ claude, cache, clock, log, sources });
  const documents = new SessionDocuments({ discovery, views, openExcerpts });
  const updater = new SessionUpdater({ claude, store, cache, clock, sources });
  const registration = new RegistrationService({ store, claude, log, sources, updater, index });
  const keepitReader = new KeepitReader({ store, sources });
  const keepits = new KeepitService({ store, clock, sources, reader: keepitReader });
  return { sources, updater, discovery, views, documents, registration, keepitReader, keepits };
}

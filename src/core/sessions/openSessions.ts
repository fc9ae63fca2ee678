import type { ExcerptReader } from '../material/toolDetails';
import type { Clock, Log, Pause } from '../model/host';
import type { MemoryStore } from '../model/memoryStore';
import { EstimatingTokenCounter } from '../text/tokens/estimatingTokenCounter';
import type { TokenCounters } from '../text/tokens/tokenCounter';
import type { ClaudeFolder } from '../transcript/claudeFolder';
import { ConversationLoader } from './conversationLoader';
import { DigestReader } from './digestReader';
import { DiscoveryService } from './discovery';
import { SessionDocuments } from './document/sessionDocuments';
import { KeepitReader } from './keepitReader';
import { KeepitService } from './keepits';
import { LookupService } from './lookup';
import { ProjectReader } from './projectReader';
import { RegistrationService } from './registration';
import { SessionFiles } from './sessionFiles';
import { SessionSources } from './sessionSources';
import { SessionUpdater } from './sessionUpdater';
import { SessionViews } from './sessionViews';
import type { SummaryCache } from './summaryCache';
import type { TranscriptScanner } from './transcriptScanner';

interface SessionPorts {
  claude: ClaudeFolder;
  store: MemoryStore;
  cache: SummaryCache;
  scanner: TranscriptScanner;
  clock: Clock;
  log: Log;
  pause: Pause;
  tokens: TokenCounters;
  openExcerpts: (path: string) => ExcerptReader & { close(): Promise<void> };
}

/** Wires what finds, reads and registers sessions, and what reads their keepits. */
export function openSessions(ports: SessionPorts) {
  const { claude, store, cache, scanner, clock, log, pause, tokens, openExcerpts } = ports;
  const files = new SessionFiles(claude, store);
  const discovery = new DiscoveryService(ports, new ProjectReader(ports), files);
  const lookup = new LookupService(ports);
  const sources = new SessionSources(ports, files, lookup);
  const digests = new DigestReader(scanner, cache, log);
  const loader = new ConversationLoader({ claude, pause });
  const estimator = new EstimatingTokenCounter();
  const views = new SessionViews({ claude, cache, clock, log, tokens, sources, digests, loader, estimator });
  const documents = new SessionDocuments({ discovery, views, openExcerpts, pause });
  const updater = new SessionUpdater({ claude, store, cache, clock, digests, loader });
  const registration = new RegistrationService({ store, claude, log, sources, updater, digests, loader });
  const keepitReader = new KeepitReader({ store, sources, digests, loader });
  const keepits = new KeepitService({ store, clock, sources, reader: keepitReader });
  return {
    sources,
    digests,
    loader,
    updater,
    discovery,
    lookup,
    views,
    documents,
    registration,
    keepitReader,
    keepits,
  };
}

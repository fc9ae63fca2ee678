import type { CompositionServices } from './compositions/openCompositions';
import { CardPreparer } from './claude/hooks/cardPreparer';
import { HooksService } from './claude/hooks/hooksService';
import { HookWork } from './claude/hooks/hookWork';
import { KeptSessions } from './claude/hooks/keptSessions';
import { RulesBlock } from './claude/hooks/rulesBlock';
import { LayerReader } from './knowledge/layerReader';
import { LayersService } from './knowledge/layersService';
import { RefinementService } from './knowledge/refinement/refinementService';
import { RollingService } from './knowledge/rolling/rollingService';
import type { MemoryPorts } from './memoryPorts';
import { NotebookService } from './knowledge/notes/notebookService';
import type { ConversationLoader } from './sessions/conversationLoader';
import type { DiscoveryService } from './sessions/discovery';
import type { KeepitService } from './sessions/keepits';
import type { LookupService } from './sessions/lookup';
import type { RegistrationService } from './sessions/registration';
import type { SessionSources } from './sessions/sessionSources';
import { KnownDocuments } from './knownDocuments';
import { SaidMessages } from './search/saidMessages';
import { SearchService } from './search/searchService';

/** What a project knows, and what makes use of it. */
export interface KnowledgeServices {
  readonly layers: LayersService;
  readonly notebook: NotebookService;
  readonly rolling: RollingService;
  readonly refinement: RefinementService;
  readonly hooks: HooksService;
  readonly search: SearchService;
}

export interface KnowledgeParts extends MemoryPorts {
  readonly compositions: CompositionServices;
  readonly loader: ConversationLoader;
  readonly discovery: DiscoveryService;
  readonly sources: SessionSources;
  readonly lookup: LookupService;
  readonly registration: RegistrationService;
  readonly keepits: KeepitService;
}

/** Wires what projects know. */
export function openKnowledge(parts: KnowledgeParts): KnowledgeServices {
  const reader = new LayerReader(parts);
  const layers = new LayersService({ ...parts, reader });
  const notebook = new NotebookService({ ...parts, layers });
  const rolling = new RollingService({ ...parts, layers });
  const work = new HookWork({
    ...parts,
    layers,
    rolling,
    cards: new CardPreparer({ ...parts, layers, notebook }),
    kept: new KeptSessions(parts),
    rules: new RulesBlock({ ...parts, layers }),
  });
  const known = new KnownDocuments({ ...parts, layers, notebook, rolling });
  return {
    layers,
    notebook,
    rolling,
    refinement: new RefinementService({ ...parts, layers }),
    hooks: new HooksService({ ...parts, work }),
    search: new SearchService({ ...parts, known, said: new SaidMessages(parts) }),
  };
}

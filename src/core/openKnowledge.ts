import type { CompositionServices } from './composition/openCompositions';
import { CardPreparer } from './hooks/cardPreparer';
import { HooksService } from './hooks/hooksService';
import { HookWork } from './hooks/hookWork';
import { KeptSessions } from './hooks/keptSessions';
import { RulesBlock } from './hooks/rulesBlock';
import { LayerReader } from './layers/layerReader';
import { LayersService } from './layers/layersService';
import { RefinementService } from './layers/refinement/refinementService';
import { RollingService } from './layers/rolling/rollingService';
import type { MemoryPorts } from './memoryPorts';
import { NotebookService } from './notebook/notebookService';
import type { ConversationLoader } from './registry/conversationLoader';
import type { DiscoveryService } from './registry/discovery';
import type { KeepitService } from './registry/keepits';
import type { LookupService } from './registry/lookup';
import type { RegistrationService } from './registry/registration';
import type { SessionSources } from './registry/sessionSources';
import { KnownDocuments } from './search/knownDocuments';
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

import type { CompositionServices } from './composition/openCompositions';
import { HooksService } from './hooks/hooksService';
import { LayerReader } from './layers/layerReader';
import { LayersService } from './layers/layersService';
import { RollingService } from './layers/rolling/rollingService';
import type { MemoryPorts } from './memoryPorts';
import { NotebookService } from './notebook/notebookService';
import type { ConversationLoader } from './registry/conversationLoader';
import type { DiscoveryService } from './registry/discovery';
import type { SessionSources } from './registry/sessionSources';
import { KnownDocuments } from './search/knownDocuments';
import { SaidMessages } from './search/saidMessages';
import { SearchService } from './search/searchService';

/** What a project knows, and what makes use of it. */
export interface KnowledgeServices {
  readonly layers: LayersService;
  readonly notebook: NotebookService;
  readonly rolling: RollingService;
  readonly hooks: HooksService;
  readonly search: SearchService;
}

/** Wires what projects know. */
export function openKnowledge(
  parts: MemoryPorts & {
    loader: ConversationLoader;
    discovery: DiscoveryService;
    sources: SessionSources;
    compositions: CompositionServices;
  },
): KnowledgeServices {
  const reader = new LayerReader(parts);
  const layers = new LayersService({ ...parts, reader });
  const notebook = new NotebookService({ ...parts, layers });
  const rolling = new RollingService({ ...parts, layers });
  const known = new KnownDocuments({ ...parts, layers, notebook, rolling });
  return {
    layers,
    notebook,
    rolling,
    hooks: new HooksService(parts),
    search: new SearchService({ ...parts, known, said: new SaidMessages(parts) }),
  };
}

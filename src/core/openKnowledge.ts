import { HooksService } from './hooks/hooksService';
import { LayerReader } from './layers/layerReader';
import { LayersService } from './layers/layersService';
import { RollingService } from './layers/rolling/rollingService';
import type { MemoryPorts } from './memoryPorts';
import { NotebookService } from './notebook/notebookService';
import type { ConversationLoader } from './registry/conversationLoader';
import type { DiscoveryService } from './registry/discovery';
import type { SessionSources } from './registry/sessionSources';

/** What a project knows, and what makes use of it. */
export interface KnowledgeServices {
  readonly layers: LayersService;
  readonly notebook: NotebookService;
  readonly rolling: RollingService;
  readonly hooks: HooksService;
}

/** Wires what projects know. */
export function openKnowledge(
  parts: MemoryPorts & { loader: ConversationLoader; discovery: DiscoveryService; sources: SessionSources },
): KnowledgeServices {
  const reader = new LayerReader(parts);
  const layers = new LayersService({ ...parts, reader });
  return {
    layers,
    notebook: new NotebookService({ ...parts, layers }),
    rolling: new RollingService({ ...parts, layers }),
    hooks: new HooksService(parts),
  };
}

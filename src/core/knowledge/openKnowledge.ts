import { foreignTextIn } from './foreignFiles';
import { LayersService, type LayersServiceParts } from './layersService';
import { NotebookService, type NotebookServiceParts } from './notes/notebookService';
import { RefinementService, type RefinementParts } from './refinement/refinementService';
import { RollingService, type RollingServiceParts } from './rolling/rollingService';

/** Wires what projects know: layers, notes, the rolling memory, and what has models put it better. */
export function openKnowledge(
  parts: LayersServiceParts & NotebookServiceParts & RollingServiceParts & RefinementParts,
) {
  const layers = new LayersService(parts);
  const notebook = new NotebookService(parts, layers);
  const rolling = new RollingService(parts, layers);
  const foreignIn = foreignTextIn.bind(undefined, layers);
  return { layers, notebook, rolling, refinement: new RefinementService(parts, layers), foreignIn };
}

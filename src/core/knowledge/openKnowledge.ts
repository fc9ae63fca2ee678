import { foreignTextIn } from './foreignFiles';
import { LayersService, type LayersServiceParts } from './layersService';
import { NotebookService, type NotebookServiceParts } from './notes/notebookService';
import { RollingService, type RollingServiceParts } from './rolling/rollingService';

/** Wires what projects know: layers, notes and the rolling memory. */
export function openKnowledge(parts: LayersServiceParts & NotebookServiceParts & RollingServiceParts) {
  const layers = new LayersService(parts);
  const notebook = new NotebookService(parts, layers);
  const rolling = new RollingService(parts, layers);
  const foreignIn = foreignTextIn.bind(undefined, layers);
  return { layers, notebook, rolling, foreignIn };
}

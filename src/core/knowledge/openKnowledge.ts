import { foreignTextIn } from './foreignFiles';
import { LayersService, type LayersServiceParts } from './layersService';
import { NotebookService, type NotebookServiceParts } from './notes/notebookService';
import { SessionReader, type SessionReaderParts } from './reading/sessionReader';
import { RollingService, type RollingServiceParts } from './rolling/rollingService';

/** Wires what projects know: layers, notes and the rolling memory. */
export function openKnowledge(
  parts: LayersServiceParts & NotebookServiceParts & RollingServiceParts & SessionReaderParts,
) {
  const layers = new LayersService(parts);
  const notebook = new NotebookService(parts, layers);
  const rolling = new RollingService(parts, layers);
  const foreignIn = foreignTextIn.bind(undefined, layers);
  const reading = new SessionReader(parts, layers, notebook, rolling);
  return { layers, notebook, rolling, reading, foreignIn };
}

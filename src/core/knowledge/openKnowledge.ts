import { foreignTextIn } from './foreignFiles';
import { LayersService, type LayersServiceParts } from './layersService';
import { NotebookService, type NotebookServiceParts } from './notes/notebookService';
import { putNotesInto, type NotedSessionParts } from './reading/notedSession';
import { SessionReader, type SessionReaderParts } from './reading/sessionReader';
import { RollingService, type RollingServiceParts } from './rolling/rollingService';

/** Wires what projects know: layers, notes and the rolling memory. */
export function openKnowledge(
  parts: LayersServiceParts &
    NotebookServiceParts &
    RollingServiceParts &
    SessionReaderParts &
    Pick<NotedSessionParts, 'compressions' | 'versions'>,
) {
  const layers = new LayersService(parts);
  const notebook = new NotebookService(parts, layers);
  const rolling = new RollingService(parts, layers);
  const foreignIn = foreignTextIn.bind(undefined, layers);
  const { store, compressions, versions } = parts;
  const put = putNotesInto({ store, compressions, versions, layers, notebook, rolling });
  const reading = new SessionReader(parts, layers, put);
  return { layers, notebook, rolling, reading, foreignIn };
}

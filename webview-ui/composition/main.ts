import { builderEventSchema, compositionStateSchema } from '../../src/core/compositions/view/compositionProtocol';
import { startPanel } from '../lib/startPanel';
import { CompositionApp } from './compositionApp';

const app = startPanel({
  state: compositionStateSchema,
  make: (parts) => new CompositionApp(parts),
  onEvent: (panel, body) => {
    const event = builderEventSchema.safeParse(body);
    if (event.success) panel.take(event.data);
  },
  // A preview of the text reads every version that is in it.
  timeoutMs: 120_000,
});

// Before VS Code sees it: its own undo would only know the field that has the focus.
document.addEventListener('keydown', (event) => app.undoByKey(event));
document.addEventListener('dragover', (event) => app.dragOver(event));
document.addEventListener('drop', (event) => app.dropSessions(event));

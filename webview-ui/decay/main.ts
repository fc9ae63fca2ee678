import { decayStateSchema } from '../../src/core/sessions/view/decayPanel';
import { startPanel } from '../lib/startPanel';
import { DecayApp } from './decayApp';

startPanel({ state: decayStateSchema, make: (parts) => new DecayApp(parts) });

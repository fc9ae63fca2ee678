import { decayStateSchema } from '../../src/core/presentation/decayPanel';
import { startPanel } from '../lib/startPanel';
import { DecayApp } from './decayApp';

startPanel({ state: decayStateSchema, make: (parts) => new DecayApp(parts) });

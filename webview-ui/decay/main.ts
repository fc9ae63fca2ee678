import { decayStateSchema } from '../../src/core/presentation/decayProtocol';
import { startPanel } from '../lib/startPanel';
import { DecayApp } from './decayApp';

startPanel({ state: decayStateSchema, make: (parts) => new DecayApp(parts) });

import type { MemoryService } from '../core/memory';

/** The part of the facade that commands use; tests give them a small one of their own. */
export type Memory = Pick<
  MemoryService,
  | 'discover'
  | 'resolve'
  | 'resolveProject'
  | 'previewRegistration'
  | 'register'
  | 'previewUnregister'
  | 'unregister'
  | 'restore'
  | 'sync'
  | 'sessions'
  | 'show'
  | 'messages'
  | 'keepits'
  | 'projectKeepits'
  | 'findKeepit'
  | 'addKeepit'
  | 'setKeepitWeight'
  | 'removeKeepit'
  | 'restoreKeepit'
  | 'decayPreview'
  | 'diffVersions'
  | 'compositions'
  | 'ledger'
  | 'stats'
  | 'doctor'
  | 'readConfig'
  | 'setConfig'
>;

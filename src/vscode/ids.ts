/** Every name that the extension shares with package.json, once. A unit test compares both, in both directions. */

export const EXTENSION_ID = 'keepit.keepit';

/** In the order in which people meet them. */
export const commandIds = {
  refresh: 'keepit.refresh',
  selectProject: 'keepit.selectProject',
  filterSessions: 'keepit.filterSessions',
  clearFilter: 'keepit.clearFilter',
  addToMemory: 'keepit.addToMemory',
  addAllToMemory: 'keepit.addAllToMemory',
  keepExpiring: 'keepit.keepExpiring',
  removeFromMemory: 'keepit.removeFromMemory',
  sync: 'keepit.sync',
  syncAll: 'keepit.syncAll',
  sessionActions: 'keepit.sessionActions',
  openTranscript: 'keepit.openTranscript',
  openOriginal: 'keepit.openOriginal',
  copyMessage: 'keepit.copyMessage',
  foldDetails: 'keepit.foldDetails',
  unfoldDetails: 'keepit.unfoldDetails',
  revealFile: 'keepit.revealFile',
  copySessionId: 'keepit.copySessionId',
  copyPath: 'keepit.copyPath',
  openSampleMemory: 'keepit.openSampleMemory',
  closeSampleMemory: 'keepit.closeSampleMemory',
  doctor: 'keepit.doctor',
  showLog: 'keepit.showLog',
  openSettings: 'keepit.openSettings',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const viewIds = {
  container: 'keepit',
  projects: 'keepit.projects',
  sessions: 'keepit.sessions',
} as const;

/** Below the section `keepit`. */
export const settingKeys = {
  claudeDirectory: 'claudeDirectory',
  memoryDirectory: 'memoryDirectory',
  autoRegister: 'autoRegister',
  retentionWarningDays: 'retentionWarningDays',
  statusBar: 'statusBar.enabled',
  toolDetails: 'transcript.toolDetails',
  detailLines: 'transcript.detailLines',
} as const;
export const SETTINGS_SECTION = 'keepit';

/** Keys for `when` clauses. */
export const contextKeys = {
  /** `loading` | `noFolder` | `failed` | `empty` | `ready`: what the projects view has to say. */
  projects: 'keepit.projectsState',
  /** `noProject` | `empty` | `nothingInMemory` | `nothingMatches` | `ready`. */
  sessions: 'keepit.sessionsState',
  isFiltering: 'keepit.isFiltering',
  isSample: 'keepit.isSample',
} as const;

/** Languages and schemes of the documents that the extension makes. */
export const TRANSCRIPT_LANGUAGE = 'keepit-transcript';
export const TRANSCRIPT_SCHEME = 'keepit-transcript';
export const RECORD_SCHEME = 'keepit-record';

/** Set for `npm start`: opens the sample memory when the extension starts. */
export const OPEN_SAMPLE_VARIABLE = 'KEEPIT_OPEN_SAMPLE';

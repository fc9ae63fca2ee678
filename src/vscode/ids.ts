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
  openKeepit: 'keepit.openKeepit',
  changeWeight: 'keepit.changeWeight',
  pinKeepit: 'keepit.pinKeepit',
  unpinKeepit: 'keepit.unpinKeepit',
  removeKeepit: 'keepit.removeKeepit',
  restoreKeepit: 'keepit.restoreKeepit',
  copyKeepit: 'keepit.copyKeepit',
  markSelection: 'keepit.markSelection',
  markMessage: 'keepit.markMessage',
  filterKeepits: 'keepit.filterKeepits',
  clearKeepitFilter: 'keepit.clearKeepitFilter',
  showProjectKeepits: 'keepit.showProjectKeepits',
  showSessionKeepits: 'keepit.showSessionKeepits',
  previewDecay: 'keepit.previewDecay',
  foldDetails: 'keepit.foldDetails',
  unfoldDetails: 'keepit.unfoldDetails',
  createCompression: 'keepit.createCompression',
  compressSession: 'keepit.compressSession',
  compressNewMessages: 'keepit.compressNewMessages',
  recompress: 'keepit.recompress',
  openVersion: 'keepit.openVersion',
  openSource: 'keepit.openSource',
  compareVersions: 'keepit.compareVersions',
  copyVersion: 'keepit.copyVersion',
  revealVersion: 'keepit.revealVersion',
  deleteVersions: 'keepit.deleteVersions',
  manageCompressions: 'keepit.manageCompressions',
  composeContext: 'keepit.composeContext',
  addToComposition: 'keepit.addToComposition',
  editComposition: 'keepit.editComposition',
  openComposition: 'keepit.openComposition',
  rebuildComposition: 'keepit.rebuildComposition',
  renameComposition: 'keepit.renameComposition',
  deleteCompositions: 'keepit.deleteCompositions',
  revealComposition: 'keepit.revealComposition',
  startWithComposition: 'keepit.startWithComposition',
  armComposition: 'keepit.armComposition',
  disarmComposition: 'keepit.disarmComposition',
  copyComposition: 'keepit.copyComposition',
  saveComposition: 'keepit.saveComposition',
  importComposition: 'keepit.importComposition',
  checkArrival: 'keepit.checkArrival',
  enableKnowledge: 'keepit.enableKnowledge',
  disableKnowledge: 'keepit.disableKnowledge',
  buildLayers: 'keepit.buildLayers',
  openKnowledge: 'keepit.openKnowledge',
  confirmFact: 'keepit.confirmFact',
  editFact: 'keepit.editFact',
  rejectFact: 'keepit.rejectFact',
  forgetFact: 'keepit.forgetFact',
  copyFact: 'keepit.copyFact',
  acceptForeign: 'keepit.acceptForeign',
  filterKnowledge: 'keepit.filterKnowledge',
  clearKnowledgeFilter: 'keepit.clearKnowledgeFilter',
  showMoreKnowledge: 'keepit.showMoreKnowledge',
  summarizeSession: 'keepit.summarizeSession',
  synthesizeMemory: 'keepit.synthesizeMemory',
  recallMemory: 'keepit.recallMemory',
  exportNotebook: 'keepit.exportNotebook',
  importNotebook: 'keepit.importNotebook',
  setUpClaudeCode: 'keepit.setUpClaudeCode',
  removeFromClaudeCode: 'keepit.removeFromClaudeCode',
  switchHook: 'keepit.switchHook',
  openActivity: 'keepit.openActivity',
  copyActivity: 'keepit.copyActivity',
  showMoreActivity: 'keepit.showMoreActivity',
  openHookLog: 'keepit.openHookLog',
  revealFile: 'keepit.revealFile',
  copySessionId: 'keepit.copySessionId',
  copyPath: 'keepit.copyPath',
  openSampleMemory: 'keepit.openSampleMemory',
  doctor: 'keepit.doctor',
  emptyTrash: 'keepit.emptyTrash',
  setAnthropicKey: 'keepit.setAnthropicKey',
  forgetAnthropicKey: 'keepit.forgetAnthropicKey',
  showLog: 'keepit.showLog',
  openSettings: 'keepit.openSettings',
  projectSettings: 'keepit.projectSettings',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const viewIds = {
  container: 'keepit',
  projects: 'keepit.projects',
  sessions: 'keepit.sessions',
  keepits: 'keepit.keepits',
  versions: 'keepit.versions',
  compositions: 'keepit.compositions',
  knowledge: 'keepit.knowledge',
  inside: 'keepit.inside',
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
  keepitDecorations: 'keepits.decorations',
  keepitLenses: 'codeLens.keepits',
  messageLenses: 'codeLens.messages',
  versionLenses: 'codeLens.versions',
  compressionProvider: 'compression.provider',
  compressionModel: 'compression.model',
  compositionBudget: 'composition.budget',
  compositionStrategy: 'composition.strategy',
  compositionWindowTokens: 'composition.windowTokens',
  claudeCommand: 'claudeCommand',
  layersLocation: 'layers.location',
  layersShared: 'layers.shared',
  layersAutoBuild: 'layers.autoBuild',
} as const;
export const SETTINGS_SECTION = 'keepit';

/** Keys for `when` clauses. */
export const contextKeys = {
  /** `loading` | `noFolder` | `failed` | `empty` | `ready`: what the projects view has to say. */
  projects: 'keepit.projectsState',
  /** `noProject` | `empty` | `nothingInMemory` | `nothingMatches` | `ready`. */
  sessions: 'keepit.sessionsState',
  isFiltering: 'keepit.isFiltering',
  /** `loading` | `noProject` | `empty` | `emptySession` | `nothingMatches` | `ready`. */
  keepits: 'keepit.keepitsState',
  isFilteringKeepits: 'keepit.isFilteringKeepits',
  /** The keepits of the whole project are shown, whichever session is selected. */
  isWholeProject: 'keepit.isWholeProject',
  /** `loading` | `noSession` | `notInMemory` | `empty` | `failed` | `ready`. */
  versions: 'keepit.versionsState',
  /** `loading` | `noProject` | `empty` | `ready`. */
  compositions: 'keepit.compositionsState',
  /** `loading` | `noProject` | `notEnabled` | `unreachable` | `notBuilt` | `empty` | `nothingMatches` | `failed` | `ready`. */
  knowledge: 'keepit.knowledgeState',
  isFilteringKnowledge: 'keepit.isFilteringKnowledge',
  /** What is known of the shown project is kept. */
  isKnowledgeEnabled: 'keepit.isKnowledgeEnabled',
  /** `loading` | `notSetUp` | `failed` | `ready`: what the view *Inside Claude Code* has to say. */
  inside: 'keepit.insideState',
  /** Keepit has set Claude Code up somewhere. */
  isSetUp: 'keepit.isSetUp',
  isSample: 'keepit.isSample',
} as const;

/** Languages and schemes of the documents that the extension makes. */
export const TRANSCRIPT_LANGUAGE = 'keepit-transcript';
export const TRANSCRIPT_SCHEME = 'keepit-transcript';
export const RECORD_SCHEME = 'keepit-record';
export const VERSION_SCHEME = 'keepit-version';
export const COMPOSITION_SCHEME = 'keepit-composition';
/** What a hook did. */
export const ACTIVITY_SCHEME = 'keepit-activity';
/** Claude Code's settings as they are, and as they would be. */
export const SETUP_SCHEME = 'keepit-setup';
/** What a file of the user's would become, beside what it is. */
export const PROPOSAL_SCHEME = 'keepit-proposal';

/** The type of the decay preview's panel. */
export const DECAY_PANEL = 'keepit.decay';

/** The type of the panels *Create Compression*. */
export const COMPRESSION_PANEL = 'keepit.compression';

/** The type of the Composition Builders. */
export const COMPOSITION_PANEL = 'keepit.composition';

/** The type of the panels that compare versions. */
export const VERSION_DIFF_PANEL = 'keepit.versionDiff';

/** Languages of documents in which people write markers themselves: notes, instructions, and prompts for Claude. */
export const MARKDOWN_LANGUAGES: readonly string[] = ['markdown', 'prompt', 'instructions', 'chatagent', 'skill'];

/** The tools that VS Code's own chat is offered, by their names in memory; the MCP server has all of them. */
export const modelTools = ['search_memory', 'get_messages', 'recall', 'list_sessions', 'list_facts'] as const;
export const MODEL_TOOL_PREFIX = 'keepit_';
export const MCP_PROVIDER = 'keepit.memory';

/** Set for `npm start` and tests: where the sample's folder is, if not in the extension's own storage. */
export const SAMPLE_FOLDER_VARIABLE = 'KEEPIT_SAMPLE_FOLDER';

/** Every name that the extension shares with package.json, once. A unit test compares both, in both directions. */

export const EXTENSION_ID = 'keepit.keepit';

/** Every command, and what it is called while it runs (for messages: "adding to memory"). In the order in which people meet them. */
export const commandsDoing = {
  refresh: 'refreshing',
  search: 'searching',
  fileHistory: 'searching',
  searchAction: 'searching',
  openHit: 'opening what was found',
  selectProject: 'choosing a project',
  addToMemory: 'adding to memory',
  addAllToMemory: 'adding to memory',
  keepExpiring: 'keeping sessions',
  removeFromMemory: 'removing from memory',
  sync: 'syncing',
  syncAll: 'syncing',
  sessionActions: 'showing actions',
  openTranscript: 'opening a transcript',
  openOriginal: 'opening the original',
  resumeSession: 'resuming a session',
  forkSession: 'forking a session',
  copyMessage: 'copying',
  openKeepit: 'going to a keepit',
  changeWeight: 'changing a weight',
  pinKeepit: 'pinning a keepit',
  unpinKeepit: 'unpinning a keepit',
  removeKeepit: 'removing a keepit',
  restoreKeepit: 'restoring a keepit',
  copyKeepit: 'copying',
  markSelection: 'marking a selection',
  markMessage: 'marking a message',
  showProjectKeepits: 'showing keepits',
  showSessionKeepits: 'showing keepits',
  previewDecay: 'previewing decay',
  foldDetails: 'folding',
  unfoldDetails: 'unfolding',
  createCompression: 'compressing',
  compressSession: 'compressing',
  compressNewMessages: 'compressing',
  recompress: 'compressing',
  openVersion: 'opening a version',
  openSource: 'going to a message',
  compareVersions: 'comparing versions',
  copyVersion: 'copying a version',
  revealVersion: 'revealing a version',
  deleteVersions: 'deleting versions',
  manageCompressions: 'managing compressions',
  clearUpVersions: 'clearing up versions',
  composeContext: 'composing',
  addToComposition: 'composing',
  editComposition: 'opening a composition',
  openComposition: 'opening a composition',
  rebuildComposition: 'rebuilding a composition',
  compareCompositions: 'comparing compositions',
  renameComposition: 'renaming a composition',
  deleteCompositions: 'deleting compositions',
  revealComposition: 'revealing a composition',
  startWithComposition: 'starting Claude Code',
  armComposition: 'arming a composition',
  disarmComposition: 'disarming a composition',
  copyComposition: 'copying a composition',
  saveComposition: 'saving a composition',

  checkArrival: 'looking for a composition',
  enableKnowledge: 'enabling Keepit in a project',
  disableKnowledge: 'disabling Keepit in a project',
  buildLayers: 'building layers',
  openKnowledge: 'going to a source',
  confirmFact: 'confirming a fact',
  editFact: 'editing a fact',
  rejectFact: 'rejecting a fact',
  forgetFact: 'forgetting a fact',
  copyFact: 'copying',
  promoteFact: 'promoting',
  acceptForeign: 'accepting what was found in a project',
  showMoreKnowledge: 'showing more',
  summarizeSession: 'summarizing',
  synthesizeMemory: 'synthesizing the project memory',
  recallMemory: 'recalling the project memory',
  importMemoryIntoClaude: 'importing the project memory into CLAUDE.md',
  readSessions: 'having sessions read',
  setUpClaudeCode: 'setting up Claude Code',
  removeFromClaudeCode: 'removing Keepit from Claude Code',
  switchHook: 'switching a hook',
  openActivity: 'opening what a hook did',
  copyActivity: 'copying',
  showMoreActivity: 'showing more',
  openHookLog: 'opening the log of hooks',
  revealFile: 'revealing the file',
  copySessionId: 'copying',
  copyPath: 'copying',
  openSampleMemory: 'opening the sample memory',
  doctor: 'looking for problems',
  emptyTrash: 'emptying the trash',
  eraseText: 'erasing',
  eraseSession: 'erasing',
  neverRemember: 'forgetting',
  pauseRemembering: 'pausing',
  cleanUp: 'cleaning up',
  exportMemory: 'exporting memory',
  importMemory: 'importing memory',
  links: 'linking',
  setAnthropicKey: 'storing the API key',
  forgetAnthropicKey: 'forgetting the API key',
  showLog: 'showing the log',
  openSettings: 'opening the settings',
  projectSettings: 'changing settings of a project',
} as const;
export type CommandName = keyof typeof commandsDoing;
export type CommandId = `keepit.${CommandName}`;

export const commandIds = Object.fromEntries(Object.keys(commandsDoing).map((name) => [name, `keepit.${name}`])) as {
  readonly [N in CommandName]: `keepit.${N}`;
};

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
  fileStatus: 'files.status',
  toolDetails: 'transcript.toolDetails',
  keepitDecorations: 'keepits.decorations',
  compressionProvider: 'compression.provider',
  compressionModel: 'compression.model',
  lightReduction: 'compression.lightReduction',
  moderateReduction: 'compression.moderateReduction',
  aggressiveReduction: 'compression.aggressiveReduction',
  versionsOnRegister: 'compression.onRegister',
  keepitDecay: 'keepits.decay',
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
  /** `noProject` | `empty` | `ready`. */
  sessions: 'keepit.sessionsState',
  /** `loading` | `noProject` | `empty` | `emptySession` | `ready`. */
  keepits: 'keepit.keepitsState',
  /** The keepits of the whole project are shown, whichever session is selected. */
  isWholeProject: 'keepit.isWholeProject',
  /** `loading` | `noSession` | `notInMemory` | `empty` | `failed` | `ready`. */
  versions: 'keepit.versionsState',
  /** `loading` | `noProject` | `empty` | `ready`. */
  compositions: 'keepit.compositionsState',
  /** `loading` | `noProject` | `notEnabled` | `unreachable` | `notBuilt` | `empty` | `failed` | `ready`. */
  knowledge: 'keepit.knowledgeState',
  /** What is known of the shown project is kept. */
  isKnowledgeEnabled: 'keepit.isKnowledgeEnabled',
  /** `loading` | `notSetUp` | `failed` | `ready`: what the view *Inside Claude Code* has to say. */
  inside: 'keepit.insideState',
  /** Keepit has set Claude Code up somewhere. */
  isSetUp: 'keepit.isSetUp',
  isSample: 'keepit.isSample',
  /** The list of *Search…* is open. */
  isSearching: 'keepit.isSearching',
} as const;

/** Languages and schemes of the documents that the extension makes. */
export const TRANSCRIPT_LANGUAGE = 'keepit-transcript';
export const TRANSCRIPT_SCHEME = 'keepit-transcript';

export const VERSION_SCHEME = 'keepit-version';
export const COMPOSITION_SCHEME = 'keepit-composition';
/** What was found, kept open. */
export const SEARCH_SCHEME = 'keepit-search';
/** What a hook did. */
export const ACTIVITY_SCHEME = 'keepit-activity';

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
export const modelTools = ['search', 'read', 'recall', 'sessions'] as const;
export const MODEL_TOOL_PREFIX = 'keepit_';
export const MCP_PROVIDER = 'keepit.memory';

/** Set for `npm start` and tests: where the sample's folder is, if not in the extension's own storage. */
export const SAMPLE_FOLDER_VARIABLE = 'KEEPIT_SAMPLE_FOLDER';

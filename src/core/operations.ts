/**
 * Everything that one can ask of memory: by feature and name, with a line of help; after what `writes`, what was read of the feature
 * before may be out of date. The memory service has these methods and no others, in the process that opens it and in the one that asks
 * a worker thread for it. Arguments are plain data; after them come callbacks for progress and, last, the signal that cancels.
 */
export const operations = {
  sessions: {
    reads: {
      discover: 'List projects and their sessions, in memory or not',
      resolve: 'Find the session that an id, the beginning of one or a path means',
      resolveProject: 'Find the project of a folder or an id',
      list: 'List the sessions that are in memory',
      show: 'Show what is known of a session',
      document: 'Render a session as the text that people read',
      conversation: 'Read the whole conversation of a session',
      resumable: 'Say how Claude Code goes on with a session',
      subAgents: 'Read the conversations of the sub-agents of a session',
      messages: 'List messages of a session',
      preview: 'Say what would be taken into memory',
      previewUnregister: 'Say what would be lost',
      countExact: 'Count the tokens of sessions exactly',
      calibration: 'Compare our token counts with those of the models',
    },
    writes: {
      register: 'Add sessions to memory',
      unregister: 'Take a session out of memory',
      restore: 'Bring back a session that was taken out of memory',
      sync: 'Take in what is new in the sessions in memory',
    },
  },
  keepits: {
    reads: {
      list: 'List the keepits of a session',
      listFound: 'List the keepits of a session that was read already',
      listProjects: 'List what is marked never to be lost, and how heavily',
      find: 'Find the keepit that an id means',
      decayContext: 'Read what the survival of keepits depends on besides their weights',
      decayPreview: 'Show what would become of the keepits of a session in a compression',
    },
    writes: {
      add: 'Mark words of a session never to be lost',
      setWeight: 'Give a keepit another weight',
      remove: 'Let a keepit count no more',
      restore: 'Bring back a keepit that was removed',
    },
  },
  versions: {
    reads: {
      preview: 'Say what a version would be like',
      list: 'List the versions of a session, and what is new since its last part',
      text: 'Print a version as it is',
      compare: 'Compare two versions of a session',
      previewDelete: 'Say which versions would be deleted',
    },
    writes: {
      compress: 'Make a version of a session',
      delete: 'Move versions of a session to the trash',
      restore: 'Bring deleted versions back from the trash',
      autoDecay: 'Make and clear up versions as their sessions age',
      tend: 'Let versions age when that is due',
      prune: 'Move versions to the trash that nobody needs',
    },
  },
  compositions: {
    reads: {
      preview: 'Measure what a composition comes to',
      previewTexts: 'Compose without saving',
      list: 'List the saved compositions',
      get: 'Show a saved composition',
      figures: 'Say what a composition came to when it was saved',
      text: 'Print a composition',
      compare: 'Compare two compositions',
      armed: 'Show what waits for the next session',
    },
    writes: {
      compose: 'Compose a context from sessions, inside a budget',
      rename: 'Give a composition another name',
      delete: 'Move a composition to the trash',
      restore: 'Bring back a composition from the trash',
      rebuild: 'Compose a composition again, from what there is now',
      deliver: 'Hand a composition to Claude Code, a file or stdout',
      takeArmed: 'Take what waits for this session',
      disarm: 'Let the next session start as usual',
      arrived: 'Look whether a composition arrived',
    },
  },
  layers: {
    reads: {
      status: 'Say where the layers of a project are',
      layer: 'Show one layer',
      overview: 'Show what is known of a project',
      facts: 'List the facts of a project',
      why: 'Say why a fact is told',
      foreign: 'List what lies in a project and was not written by this memory',
    },
    writes: {
      enable: 'Write layers and notes into a project',
      remember: 'Keep and layer the sessions of a project by themselves, those that there are already as well',
      disable: 'Stop writing layers and notes into a project',
      build: 'Bring the layers of a project up to date',
      checkAnchors: 'Look whether what facts name is still there',
      refineAll: 'Make all layers of a project again',
      dedupe: 'Remove layers of the same session',
      archive: 'Move old layers to the archive',
      changeFact: 'Change a fact so that it can be undone',
      changeFacts: 'Change facts so that it can be undone',
      proposeFact: 'Propose a fact for review',
      undoFact: 'Undo a change of facts',
    },
  },
  notebook: {
    reads: {
      folder: 'Say where the notebook of a project is',
      propose: 'Say what a synthesis would write',
      recall: 'Print what the notes say together',
      list: 'List the notes of a project',
      foreign: 'List notes that were not written by this memory',
      export: 'Write the notebook into one archive',
    },
    writes: {
      summarize: 'Write a note of a session',
      synthesize: 'Write what the notes say together',
      apply: 'Write a synthesis that was looked at',
      undo: 'Take back what was written into the notebook',
      accept: 'Take over notes that were not written by this memory',
      disown: 'Take back that notes were taken over',
      import: 'Read notes from an archive',
    },
  },
  rolling: {
    reads: {
      index: 'Show the index of the rolling memory',
      list: 'List the files of the rolling memory',
      get: 'Print a file of the rolling memory',
    },
    writes: {
      check: 'Count a turn, and take in what is new when it is time to',
      final: 'Take in what is new of a session at its end',
      reset: 'Begin to count turns anew',
      takeOver: 'Take over what another tool knows of a project',
      summarize: 'Summarize the archives of the rolling memory',
      set: 'Write a file of the rolling memory',
    },
  },
  reading: {
    reads: {
      estimate: 'Say what having a model read sessions costs',
      price: 'Say what reading a session of a project costs, by its last ones',
    },
    writes: {
      agree: 'Have each session read when it ends, or no more',
      read: 'Have a model read sessions, and keep what it notes of them',
    },
  },
  hooks: {
    reads: {
      log: 'Print the log of the hooks',
      brief: 'Show what the next session would be given',
      activity: 'List the hooks that ran in a session',
      given: 'List what a session was given',
      sessions: 'List the sessions in which hooks ran',
    },
    writes: {
      note: 'Note what the user said, by their own words',
      refresh: 'Make ready what the next session is given',
      work: 'Do what hooks asked for',
      keep: 'Find what must outlive a compaction',
    },
  },
  promoting: {
    reads: {
      propose: 'Say what writing rules and decisions into CLAUDE.md would change',
    },
    writes: {
      apply: 'Write what was proposed into CLAUDE.md',
    },
  },
  search: {
    reads: {
      search: 'Find words in everything that is kept',
      fileSessions: 'Count the sessions that read or changed a file',
      wroteLine: 'Find the exchange that wrote a line of a file',
      suggest: 'Name the sessions of before that the work at hand may need',
    },
    writes: {},
  },
  links: {
    reads: {
      list: 'List what of other projects belongs to the work of one',
    },
    writes: {
      add: 'Link a session or a project to another project',
      remove: 'Remove a link',
    },
  },
  tools: {
    reads: {},
    writes: {
      run: 'Run one of the tools that models are offered',
    },
  },
  trash: {
    reads: {
      list: 'List what is in the trash',
    },
    writes: {
      empty: 'Empty the trash',
    },
  },
  forgetting: {
    reads: {
      notRemembered: 'List what is never remembered',
      stored: 'List what is kept of a project',
    },
    writes: {
      erase: 'Take words, a message or a session out of everything that is kept',
      never: 'Take nothing more from a folder or a session',
      allow: 'Remember a folder or a session again',
      pause: 'Remember nothing of what is said from now on',
      unpause: 'Remember what is said again',
      cleanUp: 'Take all away that is kept of a project',
    },
  },
  transfer: {
    reads: {
      export: 'Write memory into one archive',
    },
    writes: {
      import: 'Read memory from an archive',
    },
  },
  config: {
    reads: {
      read: 'Read the configuration',
      project: 'Read the settings of a project',
    },
    writes: {
      set: 'Change a setting',
      setProject: 'Change a setting of a project',
    },
  },
  upkeep: {
    reads: {
      stats: 'Say how large memory is',
      ledger: 'List calls of models and what they cost',
    },
    writes: {
      doctor: 'Look for what is wrong, and repair it',
    },
  },
  setup: {
    reads: {
      planInstall: 'Say what setting up Claude Code would change',
      planUninstall: 'Say what taking the set-up back would change',
      status: 'Say how Claude Code is set up',
    },
    writes: {
      apply: 'Change what was planned',
      refresh: 'Bring the plugin up to date',
    },
  },
} as const;

type Listed = typeof operations;

/** A feature of memory, and what can be asked of it. */
export type Operations = { readonly [F in keyof Listed]: Listed[F]['reads'] & Listed[F]['writes'] };

/** An object with all features and their operations, each made by `make`. */
export function eachOperation(
  make: (feature: keyof Operations, name: string, isWriting: boolean) => unknown,
): Record<string, Record<string, unknown>> {
  const all = (Object.keys(operations) as (keyof Operations)[]).map((feature) => {
    const { reads, writes } = operations[feature];
    const made = Object.keys({ ...reads, ...writes }).map((name) => [
      name,
      make(feature, name, Object.hasOwn(writes, name)),
    ]);
    return [feature, Object.fromEntries(made) as Record<string, unknown>];
  });
  return Object.fromEntries(all) as Record<string, Record<string, unknown>>;
}

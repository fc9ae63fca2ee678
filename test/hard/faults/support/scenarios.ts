import type { FaultHome } from './faultHome';
import { callsTool, requests, type Talk } from './talk';
import { FAR, hookInput, LONG, MESSAGE, SHORT, type Known, type StateName } from './faultStates';

/** A command, and how the home is when it begins. */
export interface Scenario {
  readonly name: string;
  readonly from: StateName;
  readonly args: (known: Known, home: Pick<FaultHome, 'projectId'>) => readonly string[];
  readonly stdin?: (home: FaultHome) => string;
  /** It answers others until it is told to end. */
  readonly talk?: Talk;
  /** It does several things one after the other: a failure leaves those done that came before it. */
  readonly isStepwise?: boolean;
  /** What it is to do is asked for once: the same again finds nothing to do. */
  readonly isAskedOnce?: boolean;
  /** One thing that failed comes last the next time, and what is made of all of them depends on their order. */
  readonly isOrdered?: boolean;
  /** It mends what it finds, and what it finds by having mended that the next time. */
  readonly isMending?: boolean;
}

const fixed =
  (...args: string[]) =>
  (): readonly string[] =>
    args;

const of = (from: StateName, ...args: string[]): Scenario => ({ name: args.join(' '), from, args: fixed(...args) });

const stepwise = (from: StateName, ...args: string[]): Scenario => ({ ...of(from, ...args), isStepwise: true });

const hook = (from: StateName, event: string, more: object = {}): Scenario => ({
  name: `hook ${event}${from === 'full' ? '' : `, ${from}`}`,
  from,
  args: fixed('hook', event),
  stdin: (home) => hookInput(home, more),
  isStepwise: true,
});

/** What writes to the store, or to the project's folder. */
export const storeScenarios: readonly Scenario[] = [
  of('empty', 'register', LONG),
  stepwise('empty', 'register', '--all'),
  of('empty', 'config', 'set', 'defaults.autoRegisterSessions', 'true'),
  of('full', 'config', 'set', 'storage.maxCacheSize', '100MB'),
  of('full', 'config', 'set', 'project.keepitDecayEnabled', 'false'),
  of('full', 'unregister', SHORT, '--yes'),
  stepwise('grown', 'sync'),
  of('full', 'keepit', 'add', SHORT, 'last', '--weight', '0.8'),
  { name: 'keepit weight', from: 'full', args: ({ keepit }) => ['keepit', 'weight', keepit, '0.4'] },
  { name: 'keepit restore', from: 'unkept', args: ({ keepit }) => ['keepit', 'restore', keepit] },
  { name: 'keepit remove', from: 'full', args: ({ keepit }) => ['keepit', 'remove', keepit] },
  of('full', 'compress', SHORT),
  stepwise('grown', 'compress', LONG, '--preset', 'aggressive'),
  of('full', 'version', 'delete', LONG, 'v001', '--force', '--yes'),
  stepwise('full', 'prune', '--unused'),
  stepwise('aging', 'auto-decay'),
  of('pair', 'link', 'add', FAR, '--reason', 'shared code'),
  { name: 'link remove', from: 'linked', args: ({ link }) => ['link', 'remove', link] },
  of('forgotten', 'never', 'remove', '.'),
  stepwise('full', 'erase', '--text', 'send_enqueue', '--yes'),
  stepwise('full', 'erase', SHORT, '--yes'),
  stepwise('full', 'erase', SHORT, MESSAGE, '--yes'),
  stepwise('deleted', 'erase', SHORT, MESSAGE, '--yes'),
  of('full', 'never', 'add', '.'),
  of('full', 'pause'),
  of('paused', 'unpause'),
  of('full', 'export', '-o', 'memory.tar'),
  of('archived', 'import', 'memory.tar'),
  of('archivedPair', 'import', 'memory.tar'),
  of('archived', 'import', 'memory.tar', '--merge'),
  of('archivedOther', 'import', 'memory.tar', '--replace'),
  of('archivedLonger', 'import', 'memory.tar', '--replace'),
  of('deleted', 'resume', SHORT, '--print'),
  stepwise('full', 'clean-up', '--yes'),
  of('full', 'compose', LONG, '--name', 'two', '--budget', '4000'),
  of('full', 'compose', SHORT, '--name', 'one', '--budget', '3000', '--replace'),
  of('full', 'composition', 'rename', 'one', 'other'),
  of('full', 'composition', 'delete', 'one', '--yes'),
  stepwise('grown', 'composition', 'rebuild', 'one', '--budget', '3000'),
  of('full', 'deliver', 'one', '--to', 'next-session'),
  of('full', 'deliver', 'one', '--to', 'resume'),
  of('full', 'deliver', 'one', '--to', 'stdout'),
  of('full', 'deliver', 'one', '--to', 'file', '--out', 'out.md'),
  of('armed', 'disarm'),
  of('armed', 'arrived', 'one'),
  {
    ...stepwise('full', 'serve', '--json'),
    talk: requests(['POST', `/api/memory/sessions/${SHORT}/versions`, { mode: 'tiered', tierPreset: 'aggressive' }]),
  },
  of('old', 'keepit', 'add', SHORT, 'last', '--weight', '0.8'),
  of('full', 'search', 'mail queue'),
  of('empty', 'search', 'mail queue'),
];

/** What takes something back, clears up, or mends. */
export const mendScenarios: readonly Scenario[] = [
  { name: 'restore', from: 'trashed', args: ({ trash }) => ['restore', trash.session] },
  { name: 'version restore', from: 'trashed', args: ({ trash }) => ['version', 'restore', LONG, trash.version] },
  { name: 'composition restore', from: 'trashed', args: ({ trash }) => ['composition', 'restore', trash.composition] },
  stepwise('trashed', 'trash', 'empty', '--yes'),
  { ...stepwise('expired', 'keepit', 'add', LONG, '0', '--weight', '0.8'), name: 'the trash that expires' },
  { ...stepwise('damaged', 'doctor', '--repair'), isMending: true },
  stepwise('old', 'doctor', '--repair'),
];

/** What writes layers and notes. */
export const knowledgeScenarios: readonly Scenario[] = [
  { ...stepwise('registered', 'layers', 'enable', '--yes'), isOrdered: true },
  { ...stepwise('registered', 'layers', 'enable', '--yes', '--location', 'home'), isOrdered: true },
  stepwise('full', 'layers', 'disable'),
  { ...stepwise('full', 'layers', 'build', '--full'), isOrdered: true },
  { ...stepwise('grown', 'layers', 'build'), isOrdered: true },
  { name: 'fact confirm', from: 'full', args: ({ fact }) => ['fact', 'confirm', fact], isStepwise: true },
  { name: 'fact reject', from: 'full', args: ({ fact }) => ['fact', 'reject', fact], isStepwise: true },
  { name: 'fact forget', from: 'full', args: ({ fact }) => ['fact', 'forget', fact], isStepwise: true },
  { name: 'fact edit', from: 'full', args: ({ fact }) => ['fact', 'edit', fact, 'In other words'], isStepwise: true },
  { name: 'promote', from: 'full', args: ({ fact }) => ['promote', fact, '--yes'] },
  of('full', 'reading', 'on', '--yes'),
  of('full', 'reading', 'off'),
  stepwise('full', 'layers', 'refine-all'),
  stepwise('full', 'layers', 'dedupe'),
  stepwise('full', 'layers', 'archive'),
  { ...stepwise('full', 'mcp'), talk: callsTool('remember', { quote: 'mail queue', kind: 'decision' }) },
  stepwise('foreign', 'notebook', 'accept', '--yes'),
  of('full', 'notebook', 'export', '--out', 'notes.json'),
  stepwise('unbound', 'notebook', 'import', 'notes.json'),
  stepwise('grown', 'memory', 'check', LONG),
  stepwise('counted', 'memory', 'reset'),
  stepwise('legacy', 'memory', 'migrate-legacy'),
  stepwise('elsewhere', 'import', '../theirs', '--from', 'memory-keeper'),
  stepwise('migrated', 'memory', 'summarize'),
  stepwise('grown', 'summarize', LONG),
  stepwise('full', 'synthesize', '--full', '--yes'),
  stepwise('grown', 'memory', 'final', LONG),
  stepwise('full', 'memory', 'set', 'project.md', '--text', 'A mailer.'),
];

/** What sets Claude Code up, and takes that back. */
export const setupScenarios: readonly Scenario[] = [
  of('settled', 'install-hooks'),
  of('empty', 'install-hooks'),
  of('settled', 'install-hooks', '--as', 'plain', '--scope', 'project'),
  stepwise('installed', 'uninstall-hooks', '--yes'),
  stepwise('plain', 'uninstall-hooks', '--yes', '--scope', 'project'),
];

/** What Claude Code calls, and what that lets do in the background. */
export const hookScenarios: readonly Scenario[] = [
  hook('full', 'SessionStart', { source: 'startup' }),
  hook('armed', 'SessionStart', { source: 'startup' }),
  hook('full', 'UserPromptSubmit', { prompt: 'How do we name functions in src/mail?' }),
  hook('full', 'PreToolUse', { tool_name: 'Edit', tool_input: { file_path: 'src/mail/queue.ts' } }),
  hook('full', 'PostToolUse', { tool_name: 'Edit' }),
  hook('grown', 'Stop', { last_assistant_message: 'Good night.' }),
  hook('full', 'PreCompact', { trigger: 'auto' }),
  hook('grown', 'SessionEnd', { reason: 'other' }),
  {
    name: 'hook-work',
    from: 'asked',
    args: (_known, { projectId }) => ['hook-work', `--project=${projectId}`],
    isStepwise: true,
    isAskedOnce: true,
  },
];

/** All of them. */
export const allScenarios: readonly Scenario[] = [
  ...storeScenarios,
  ...mendScenarios,
  ...knowledgeScenarios,
  ...setupScenarios,
  ...hookScenarios,
];

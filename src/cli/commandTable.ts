import type { Command, CommandGroup } from './command';
import { leadingWords } from './commandLine';

/** Each file of commands, loaded when one of them is asked for: reading all of them takes longer than most of them do. */
const files = {
  sessions: () => import('./commands/sessions'),
  resume: () => import('./commands/resume'),
  registering: () => import('./commands/registering'),
  keepits: () => import('./commands/keepits'),
  compress: () => import('./commands/compress'),
  versions: () => import('./commands/versions'),
  aging: () => import('./commands/aging'),
  forgetting: () => import('./commands/forgetting'),
  transfer: () => import('./commands/transfer'),
  links: () => import('./commands/links'),
  compose: () => import('./commands/compose'),
  compositions: () => import('./commands/compositions'),
  layers: () => import('./commands/layers'),
  knowledge: () => import('./commands/knowledge'),
  search: () => import('./commands/search'),
  notebook: () => import('./commands/notebook'),
  reading: () => import('./commands/reading'),
  promoting: () => import('./commands/promoting'),
  rolling: () => import('./commands/rolling'),
  setup: () => import('./commands/setup'),
  serve: () => import('./commands/serve'),
} satisfies Record<string, () => Promise<object>>;

/** Every command, in the order in which the help lists them. A new one is a file in `commands/` and a line here. */
const table: readonly (readonly [group: CommandGroup, file: keyof typeof files, names: string])[] = [
  ['Sessions', 'sessions', 'discover, show, messages'],
  ['Memory', 'sessions', 'sessions'],
  ['Sessions', 'resume', 'resume'],
  ['Memory', 'registering', 'register, sync, unregister, restore'],
  ['Memory', 'forgetting', 'erase, never, never add, never remove, pause, unpause, clean-up'],
  ['Memory', 'transfer', 'export, import'],
  ['Memory', 'links', 'links, link add, link remove'],
  ['Keepits', 'keepits', 'keepits, keepit add, keepit weight, keepit remove, keepit restore, decay'],
  ['Versions', 'compress', 'compress'],
  ['Versions', 'versions', 'versions, version show, version delete, version restore'],
  ['Versions', 'aging', 'auto-decay, prune'],
  ['Versions', 'versions', 'diff'],
  ['Compositions', 'compose', 'compose'],
  [
    'Compositions',
    'compositions',
    'compositions, composition show, composition rebuild, composition diff, composition rename, composition delete, composition restore, deliver, arrived, disarm',
  ],
  [
    'Knowledge',
    'layers',
    'layers, layers enable, layers disable, layers build, layers show, layers refine-all, layers dedupe, layers archive',
  ],
  ['Knowledge', 'knowledge', 'facts, fact confirm'],
  ['Knowledge', 'knowledge', 'fact edit'],
  ['Knowledge', 'knowledge', 'fact reject, fact forget, fact why, brief'],
  ['Knowledge', 'notebook', 'summarize, synthesize, recall, notebook accept, notebook export, notebook import'],
  ['Knowledge', 'promoting', 'promote'],
  ['Knowledge', 'reading', 'read, reading on, reading off'],
  ['Knowledge', 'rolling', 'memory check, memory final'],
  ['Knowledge', 'transfer', 'memory migrate-legacy'],
  ['Knowledge', 'rolling', 'memory reset, memory summarize, memory list, memory get, memory set'],
  ['Knowledge', 'search', 'search, suggest'],
  ['Keepit itself', 'sessions', 'stats'],
  ['Keepit itself', 'registering', 'trash, trash empty'],
  ['Keepit itself', 'compress', 'ledger'],
  ['Keepit itself', 'setup', 'mcp'],
  ['Keepit itself', 'serve', 'serve'],
  [
    'Keepit itself',
    'setup',
    'doctor, install-hooks, uninstall-hooks, plugin path, config list, config get, config set, hook, hook-work',
  ],
];

const places = table.flatMap(([group, file, names]) => names.split(', ').map((name) => ({ group, file, name })));

/** The commands that a command line can mean: those that its first words name, or all where they name none, or help is wanted. */
export async function commandsFor(argv: readonly string[]): Promise<Command[]> {
  const [first = '', second = ''] = leadingWords(argv).found;
  if (first === '' && argv.includes('--version')) return [];
  const isHelp = argv.includes('--help') || argv.includes('-h');
  const wanted = [`${first} ${second}`, first, `keepit ${first}`];
  const named = isHelp ? [] : places.filter(({ name }) => wanted.includes(name));
  return Promise.all((named.length > 0 ? named : places).map(({ name }) => commandNamed(name)));
}

/** Throws for a name that no command has. */
export async function commandNamed(name: string): Promise<Command> {
  const place = places.find((one) => one.name === name);
  const exported: unknown[] = place === undefined ? [] : Object.values(await files[place.file]());
  const found = exported.find((one) => isCommand(one) && one.name === name);
  if (place === undefined || !isCommand(found)) throw new Error(`There is no command ${name}`);
  return { ...found, group: place.group };
}

/** Files of commands export other things as well. */
function isCommand(one: unknown): one is Command {
  return typeof one === 'object' && one !== null && 'run' in one;
}

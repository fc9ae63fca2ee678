import { parseArgs } from 'node:util';
import { ownValue } from '../core/text/ownValue';
import { UsageError } from './cliErrors';
import { type Command, type OptionSpecs, type ArgumentSpec, type Page, flag, valued } from './command';
import { CommandInput } from './commandInput';
import { closest } from './suggestion';
import { pad, textWidth, wrap } from './terminal';

/** Options that every command takes. */
export const globalOptions: OptionSpecs = {
  json: flag('Print one JSON document on stdout and nothing else there'),
  project: valued('PATH|ID', "Only this project; without it the current folder's project, else all", 'p'),
  'all-projects': flag('All projects, wherever this is called'),
  'no-color': flag('No colours (as with NO_COLOR=1)'),
  verbose: flag('Tell on stderr what is being done'),
  help: flag('Show help for keepit or for a command', 'h'),
  version: flag('Show the version'),
};

/** What a command line asks for. */
export type Invocation =
  | { kind: 'version' }
  /** `subject`: a command, the first word of several, or undefined for all. `isAsked` is false when nothing was said at all. */
  | { kind: 'help'; subject: string | undefined; isAsked: boolean }
  | { kind: 'run'; command: Command; input: CommandInput };

interface Words {
  /** The first two words that are not options: what can be a command's name. */
  found: string[];
  positions: number[];
}

/** Reads a command line. Throws {@link UsageError}, and has done nothing yet then. */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Invocation {
  const words = leadingWords(argv);
  const { command, nameLength } = matchCommand(words.found, commands);
  if (command === undefined) return withoutCommand(argv, words.found, commands);
  const rest = argv.filter((_, i) => !words.positions.slice(0, nameLength).includes(i));
  const { options, repeated, args } = readOptions(rest, { ...globalOptions, ...command.options }, command.name);
  if (options.has('help')) return { kind: 'help', subject: command.name, isAsked: true };
  if (options.has('version')) return { kind: 'version' };
  checkArity(command, args);
  if (options.has('project') && options.has('all-projects')) {
    throw new UsageError('--project and --all-projects exclude each other.', { command: command.name });
  }
  return { kind: 'run', command, input: new CommandInput(command.name, args, options, repeated) };
}

/** The JSON flag has to be known even when the rest of the line is wrong. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** The words that can be a command's name. */
export function leadingWords(argv: readonly string[]): Words {
  const words: Words = { found: [], positions: [] };
  for (let i = 0; i < argv.length && words.found.length < 2; i++) {
    const word = argv[i] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-')) {
      words.found.push(word);
      words.positions.push(i);
    } else if (takesNextWord(word, globalOptions)) {
      i++;
    } else if (words.found.length > 0) {
      break; // an option of the command: what follows may be its value
    }
  }
  return words;
}

function isKnownOption(word: string, specs: OptionSpecs): boolean {
  return Object.entries(specs).some(([name, { short }]) => word === `--${name}` || word === `-${short ?? name}`);
}

function takesNextWord(word: string, specs: OptionSpecs): boolean {
  return Object.entries(specs).some(
    ([name, spec]) => spec.type === 'string' && (word === `--${name}` || word === `-${spec.short ?? name}`),
  );
}

/**
 * The command that the first words name, and how many of them do. `keepit add` is `keepit keepit add`: nobody wants to stutter, and a
 * command of that name of its own comes first.
 */
function matchCommand(
  [first = '', second = '']: readonly string[],
  commands: readonly Command[],
): { command: Command | undefined; nameLength: number } {
  const named = (name: string): Command | undefined => commands.find((command) => command.name === name);
  const both = named(`${first} ${second}`);
  if (both !== undefined) return { command: both, nameLength: 2 };
  return { command: named(first) ?? named(`keepit ${first}`), nameLength: 1 };
}

function withoutCommand(argv: readonly string[], words: readonly string[], commands: readonly Command[]): Invocation {
  const [first, second] = words;
  if (first === undefined) {
    const { options } = readOptions(argv, globalOptions, undefined);
    if (options.has('version')) return { kind: 'version' };
    const isAsked = options.has('help');
    if (!isAsked && options.has('json')) throw new UsageError('There is no command.'); // a script reads no help
    return { kind: 'help', subject: undefined, isAsked };
  }
  if (first === 'help') return helpInWords(argv, commands);
  const members = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (members.length === 0) {
    const names = [...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0] ?? name])), 'help'];
    const suggestion = closest(first, names);
    throw new UsageError(`There is no command ${JSON.stringify(first)}.`, {
      suggestion: suggestion && `\`${suggestion}\``,
    });
  }
  if (argv.includes('--help') || argv.includes('-h')) return { kind: 'help', subject: first, isAsked: true };
  const wanted = second === undefined ? undefined : closest(`${first} ${second}`, members);
  throw new UsageError(`\`${first}\` is one of: ${members.join(', ')}.`, {
    command: first,
    suggestion: wanted && `\`${wanted}\``,
  });
}

function helpInWords(argv: readonly string[], commands: readonly Command[]): Invocation {
  const subject = argv.filter((word) => !word.startsWith('-')).slice(1, 3);
  const names = [subject.join(' '), subject[0]];
  const known = names.find(
    (name) =>
      name !== undefined && commands.some((command) => command.name === name || command.name.startsWith(`${name} `)),
  );
  if (subject.length > 0 && known === undefined) {
    throw new UsageError(`There is no command ${JSON.stringify(subject.join(' '))}.`);
  }
  return { kind: 'help', subject: known, isAsked: true };
}

function readOptions(
  argv: readonly string[],
  specs: OptionSpecs,
  command: string | undefined,
): { options: Map<string, string | true>; repeated: Map<string, string[]>; args: string[] } {
  const { tokens, positionals } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(specs).map(([name, { type, short }]) => [
        name,
        { type, ...(short === undefined ? {} : { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = new Map<string, string | true>();
  const repeated = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const value = checkedValue(token, specs, command);
    options.set(token.name, value);
    if (value !== true) repeated.set(token.name, [...(repeated.get(token.name) ?? []), value]);
  }
  return { options, repeated, args: positionals };
}

function checkedValue(
  token: { name: string; rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
  specs: OptionSpecs,
  command: string | undefined,
): string | true {
  const spec = ownValue(specs, token.name);
  if (spec === undefined) {
    const suggestion = closest(token.name, Object.keys(specs));
    throw new UsageError(`There is no option ${token.rawName}${command === undefined ? '' : ` for \`${command}\``}.`, {
      command,
      suggestion: suggestion && `--${suggestion}`,
    });
  }
  if (spec.type === 'boolean') {
    if (token.value === undefined) return true;
    throw new UsageError(`${token.rawName} takes no value.`, { command });
  }
  // Other words with a dash are values: a project's id begins with one (`-home-mira-code-tidewatch`).
  const isForgotten = token.inlineValue === false && isKnownOption(token.value ?? '', specs);
  if (token.value === undefined || token.value === '' || isForgotten) {
    throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${spec.value ?? 'VALUE'}.`, { command });
  }
  return token.value;
}

function checkArity(command: Command, args: readonly string[]) {
  const { args: specs = [] } = command;
  const least = specs.filter(({ arity }) => arity === 'one').length;
  const most = specs.some(({ arity }) => arity === 'any') ? Infinity : specs.length;
  const missing = specs[args.length];
  if (args.length < least && missing !== undefined) {
    throw new UsageError(`\`${command.name}\` needs <${missing.name}>: ${missing.help}.`, { command: command.name });
  }
  if (args.length > most) {
    throw new UsageError(`\`${command.name}\` does not know what to do with ${JSON.stringify(args[most])}.`, {
      command: command.name,
    });
  }
}

const MAX_WIDTH = 100;
const PIPE_WIDTH = 80;
const INDENT = '  ';
const GROUPS: readonly Command['group'][] = [
  'Sessions',
  'Memory',
  'Keepits',
  'Versions',
  'Compositions',
  'Knowledge',
  'Keepit itself',
];

/** The help for everything, for one command, or for the commands that begin with one word (`config`). */
export function renderHelp(commands: readonly Command[], subject: string | undefined, page: Page): string {
  const exact = commands.find(({ name }) => name === subject);
  if (exact !== undefined) return commandHelp(exact, page);
  if (subject !== undefined) {
    const members = commands.filter(({ name }) => name.startsWith(`${subject} `));
    return [
      usage(`${subject} <${members.map(({ name }) => name.split(' ')[1]).join('|')}>`, page),
      '',
      ...list(members, page),
    ].join('\n');
  }
  return overview(commands, page);
}

function overview(commands: readonly Command[], page: Page): string {
  const groups = GROUPS.flatMap((group) => {
    const members = commands.filter((command) => command.group === group);
    return ['', heading(group, page), ...list(members, page, columnOf(commands.map(({ name }) => name)))];
  });
  return [
    ...paragraph('Keepit keeps your Claude Code sessions, and what was decided in them.', page),
    '',
    usage('<command> [options]', page),
    ...groups,
    '',
    ...optionLines(globalOptions, 'For every command', page),
    '',
    ...paragraph(
      '<session> is a session id, the beginning of one (four characters or more), or the path of a .jsonl file.',
      page,
    ),
    '',
    heading('Environment', page),
    ...pairs(
      [
        ['CLAUDE_CONFIG_DIR', "Claude Code's folder (~/.claude); it is only read"],
        ['CLAUDE_MEMORY_DIR', 'where Keepit keeps its own files (~/.claude-memory)'],
        ['NO_COLOR, FORCE_COLOR', 'never, or always, use colours'],
      ],
      page,
    ),
    '',
    ...paragraph(
      '`keepit <command> --help` tells more. Exit codes: 0 done, 1 a failure told in one line, 2 wrong usage, 70 a bug, 130 interrupted.',
      page,
    ),
  ].join('\n');
}

function commandHelp(command: Command, page: Page): string {
  const { args: specs = [], options = {}, details = [] } = command;
  const args = specs.map(argumentText).join(' ');
  const own = Object.keys(options).length > 0;
  return [
    ...paragraph(`${command.summary}.`, page),
    '',
    usage([command.name, args, '[options]'].filter((part) => part !== '').join(' '), page),
    ...details.flatMap((text) => ['', ...paragraph(text, page)]),
    ...(specs.length === 0
      ? []
      : [
          '',
          heading('Arguments', page),
          ...pairs(
            specs.map((spec) => [argumentText(spec), spec.help]),
            page,
          ),
        ]),
    ...(own ? ['', ...optionLines(options, 'Options', page)] : []),
    '',
    ...optionLines(globalOptions, 'For every command', page),
    '',
    heading('Examples', page),
    ...command.examples.map((example) => `${INDENT}${page.style.paint('quiet', '$')} keepit ${example}`),
  ].join('\n');
}

function argumentText({ name, arity }: ArgumentSpec): string {
  if (arity === 'one') return `<${name}>`;
  return arity === 'any' ? `[<${name}>…]` : `[<${name}>]`;
}

function usage(rest: string, page: Page): string {
  return `${page.style.paint('strong', 'Usage:')} keepit ${rest}`;
}

function heading(text: string, page: Page): string {
  return page.style.paint('strong', text);
}

function list(commands: readonly Command[], page: Page, column?: number): string[] {
  return pairs(
    commands.map(({ name, summary }) => [name, summary]),
    page,
    column,
  );
}

function optionLines(options: OptionSpecs, title: string, page: Page): string[] {
  const entries = Object.entries(options).map(([name, { short, value, help }]): [string, string] => [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  return [heading(title, page), ...pairs(entries, page)];
}

function columnOf(names: readonly string[]): number {
  return Math.max(0, ...names.map(textWidth));
}

/** Two columns, the second wrapped inside its own. */
function pairs(entries: readonly (readonly [string, string])[], page: Page, column?: number): string[] {
  const first = column ?? columnOf(entries.map(([name]) => name));
  const rest = Math.max(20, lineWidth(page) - first - 2 * INDENT.length);
  return entries.flatMap(([name, help]) => {
    const [head = '', ...more] = wrap(help, rest);
    const blank = ' '.repeat(first);
    return [
      `${INDENT}${page.style.paint('accent', name)}${pad('', first - textWidth(name), 'left')}${INDENT}${head}`,
      ...more.map((text) => `${INDENT}${blank}${INDENT}${text}`),
    ];
  });
}

function paragraph(text: string, page: Page): string[] {
  return wrap(text, lineWidth(page));
}

function lineWidth(page: Page): number {
  return Number.isFinite(page.width) ? Math.min(page.width, MAX_WIDTH) : PIPE_WIDTH;
}

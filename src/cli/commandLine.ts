import { parseArgs } from 'node:util';
import { UsageError } from './cliErrors';
import { kebab, type Command, type CommandGroup } from './command';
import { flag, option, text, type Field, type Fields } from './fields';
import { linesOf, type Page } from './page';
import { closest } from './suggestion';
import { pad, textWidth, wrap } from './terminal';
import { pushTo } from '../core/text/ownValue';

/** What every command takes. */
export const globalFields: Fields = {
  json: flag('Print one JSON document on stdout and nothing else there'),
  project: option(text, 'PATH|ID', "Only this project; without it the current folder's project, else all", 'p'),
  allProjects: flag('All projects, wherever this is called'),
  noColor: flag('No colours (as with NO_COLOR=1)'),
  verbose: flag('Tell on stderr what is being done'),
  help: flag('Show help for keepit or for a command', 'h'),
  version: flag('Show the version'),
};

/** What was typed behind a command's name. */
export interface Said {
  /** The words of each option, by its name without the dashes; a flag has one. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly args: readonly string[];
}

type Options = ReadonlyMap<string, Field>;

/** Fields that are typed with dashes, by what is typed. */
function optionsOf(fields: Fields = {}): Options {
  const options = Object.entries(fields).filter(([, { arity }]) => arity === undefined);
  return new Map(options.map(([name, field]) => [kebab(name), field]));
}

/** Fields that have their place. */
function argumentsOf({ input = {} }: Pick<Command, 'input'>): [string, Field][] {
  return Object.entries(input).filter(([, { arity }]) => arity !== undefined);
}

/** The words for a field of a command. */
export function wordsOf(command: Command, { options, args }: Said): (name: string) => readonly string[] {
  return (name) => {
    const fields = argumentsOf(command);
    const place = fields.findIndex(([one]) => one === name);
    if (place === -1) return options.get(kebab(name)) ?? [];
    return args.slice(place, fields[place]?.[1].arity === 'any' ? undefined : place + 1);
  };
}

/** What a command line asks for. */
export type Invocation =
  | { kind: 'version' }
  /** `subject`: a command, the first word of several, or undefined for all. `isAsked` is false when nothing was said at all. */
  | { kind: 'help'; subject: string | undefined; isAsked: boolean }
  | { kind: 'run'; command: Command; said: Said };

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
  const said = readOptions(rest, optionsOf({ ...globalFields, ...command.input }), command.name);
  const { options, args } = said;
  if (options.has('help')) return { kind: 'help', subject: command.name, isAsked: true };
  if (options.has('version')) return { kind: 'version' };
  checkArity(command, args);
  if (options.has('project') && options.has('all-projects')) {
    throw new UsageError('--project and --all-projects exclude each other.', { command: command.name });
  }
  return { kind: 'run', command, said };
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
    } else if (optionCalled(word, optionsOf(globalFields))?.value !== undefined) {
      i++;
    } else if (words.found.length > 0) {
      break; // an option of the command: what follows may be its value
    }
  }
  return words;
}

/** The option that a word with its dashes means. */
function optionCalled(word: string, options: Options): Field | undefined {
  for (const [name, field] of options) {
    if (word === `--${name}` || (field.short !== undefined && word === `-${field.short}`)) return field;
  }
  return undefined;
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
    const { options } = readOptions(argv, optionsOf(globalFields), undefined);
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

/** A project's id, such as `-home-mira-code-tidewatch`: no option, although it begins with a dash. */
const PROJECT_ID = /^-[A-Za-z0-9]{2,}-[A-Za-z0-9-]*$/;
const NO_OPTION = '\0';

function readOptions(argv: readonly string[], specs: Options, command: string | undefined): Said {
  const { tokens, positionals } = parseArgs({
    args: argv.map((word) => (PROJECT_ID.test(word) ? NO_OPTION + word : word)),
    options: Object.fromEntries(
      [...specs].map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const value = checkedValue(token, specs, command).replace(NO_OPTION, '');
    pushTo(options, token.name, value);
  }
  return { options, args: positionals.map((word) => word.replace(NO_OPTION, '')) };
}

function checkedValue(
  token: { name: string; rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
  specs: Options,
  command: string | undefined,
): string {
  const { name, rawName, value, inlineValue } = token;
  const field = specs.get(name);
  if (field === undefined) {
    const suggestion = closest(name, [...specs.keys()]);
    throw new UsageError(`There is no option ${rawName}${command === undefined ? '' : ` for \`${command}\``}.`, {
      command,
      suggestion: suggestion && `--${suggestion}`,
    });
  }
  if (field.value === undefined) {
    if (value === undefined) return 'true';
    throw new UsageError(`${rawName} takes no value.`, { command });
  }
  const isForgotten = inlineValue === false && optionCalled(value ?? '', specs) !== undefined;
  if (value === undefined || value === '' || isForgotten) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${field.value}.`, { command });
  }
  return value;
}

function checkArity(command: Command, args: readonly string[]) {
  const fields = argumentsOf(command);
  const least = fields.filter(([, { arity }]) => arity === 'one').length;
  const most = fields.some(([, { arity }]) => arity === 'any') ? Infinity : fields.length;
  const missing = fields[args.length];
  if (args.length < least && missing !== undefined) {
    throw new UsageError(`\`${command.name}\` needs <${missing[0]}>: ${missing[1].help}.`, { command: command.name });
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
const GROUPS: readonly CommandGroup[] = [
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
    return ['', page.strong(group), ...list(members, page, columnOf(commands.map(({ name }) => name)))];
  });
  return [
    ...paragraph('Keepit keeps your Claude Code sessions, and what was decided in them.', page),
    '',
    usage('<command> [options]', page),
    ...groups,
    '',
    ...optionLines(globalFields, 'For every command', page),
    '',
    ...paragraph(
      '<session> is a session id, the beginning of one (four characters or more), or the path of a .jsonl file.',
      page,
    ),
    '',
    page.strong('Environment'),
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
  const { input = {}, details = [], examples } = command;
  const args = argumentsOf(command).map(([name, field]): [string, string] => [argumentText(name, field), field.help]);
  return linesOf([
    paragraph(`${command.summary}.`, page),
    '',
    usage([command.name, ...args.map(([text]) => text), '[options]'].join(' '), page),
    details.map((text) => ['', paragraph(text, page)]),
    args.length > 0 && ['', page.strong('Arguments'), pairs(args, page)],
    optionsOf(input).size > 0 && ['', optionLines(input, 'Options', page)],
    '',
    optionLines(globalFields, 'For every command', page),
    '',
    page.strong('Examples'),
    examples.map((example) => `${INDENT}${page.quiet('$')} keepit ${example}`),
  ]).join('\n');
}

function argumentText(name: string, { arity }: Field): string {
  if (arity === 'one') return `<${name}>`;
  return arity === 'any' ? `[<${name}>…]` : `[<${name}>]`;
}

function usage(rest: string, page: Page): string {
  return `${page.strong('Usage:')} keepit ${rest}`;
}

function list(commands: readonly Command[], page: Page, column?: number): string[] {
  return pairs(
    commands.map(({ name, summary }) => [name, summary]),
    page,
    column,
  );
}

function optionLines(fields: Fields, title: string, page: Page): string[] {
  const entries = [...optionsOf(fields)].map(([name, { short, value, help }]): [string, string] => [
    `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  return [page.strong(title), ...pairs(entries, page)];
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
      `${INDENT}${page.accent(name)}${pad('', first - textWidth(name), 'left')}${INDENT}${head}`,
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

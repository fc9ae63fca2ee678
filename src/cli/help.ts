import type { ArgumentSpec, Command, OptionSpecs, Page } from './command';
import { globalOptions } from './commandLine';
import { pad, textWidth, wrap } from './textWidth';

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
  const args = command.args.map(argumentText).join(' ');
  const own = Object.keys(command.options).length > 0;
  return [
    ...paragraph(`${command.summary}.`, page),
    '',
    usage([command.name, args, '[options]'].filter((part) => part !== '').join(' '), page),
    ...command.details.flatMap((text) => ['', ...paragraph(text, page)]),
    ...(command.args.length === 0
      ? []
      : [
          '',
          heading('Arguments', page),
          ...pairs(
            command.args.map((spec) => [argumentText(spec), spec.help]),
            page,
          ),
        ]),
    ...(own ? ['', ...optionLines(command.options, 'Options', page)] : []),
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

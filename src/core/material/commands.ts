import { textOf } from './toolKinds';
import type { SourceMessage } from './types';
import type { Mention } from './checkpointTally';
import { cutAtWord } from '../text/sentences';
import { wordsOf, bareText } from '../text/words';

const MAX_COMMAND = 160;
const MAX_PER_CALL = 4;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** They look, and change nothing: nobody has to know later that they were run. */
const LOOKS = setOf(
  'ls cat head tail less more grep rg ag fd find pwd cd echo printf wc sed awk cut sort uniq tr tree stat file sleep true false which type whoami ' +
    'date env test [ diff basename dirname read exit set export source wait kill ps du df tee jq xargs',
);
const GIT_LOOKS =
  /^git (?:status|diff|log|show|branch|blame|rev-parse|ls-files|remote|stash list|config --get)(?:\s|$)/;
const LOOP = /^(?:for|while|until|if|then|else|elif|fi|do|done|case|esac|function|local|\{|\}|\(|\)|#|\|)/;
const CHECK =
  /\b(?:test|tests|build|lint|typecheck|check|ci|start|dev|serve|run|deploy|migrate|release|publish|bench|install|add|up)\b/;

/** Programs by which commands are told from other code in somebody's words. */
const PROGRAMS = setOf(
  'npm npx yarn pnpm bun deno node tsc git gh docker docker-compose kubectl helm terraform make just cargo rustc go python python3 pip pip3 uv poetry ' +
    'pytest tox ruff mypy black ruby bundle rails rake mvn gradle ./gradlew dotnet swift xcodebuild php composer psql sqlite3 mysql redis-cli curl wget ' +
    'ssh scp rsync aws gcloud az brew apt apt-get systemctl claude code vercel netlify fly heroku',
);
const CODE_SPAN = /(?<!`)`([^`\n]{3,200})`(?!`)/g;

const weights = { check: 1.5, other: 1, said: 1, human: 2 } as const;

/** The commands that a message ran, and those that its words name. */
export function commandsOf(message: SourceMessage): Mention[] {
  const run = message.tools.flatMap((tool) => inShell(textOf(tool, 'command')));
  const weight = message.role === 'user' ? weights.human : weights.said;
  const said = message.texts.flatMap(({ text }) =>
    [...bareText(text).matchAll(CODE_SPAN)].flatMap(([, span = '']) =>
      isCommand(span.replace(/^\$ /, '')) ? mention(span.replace(/^\$ /, ''), weight) : [],
    ),
  );
  return [...run, ...said];
}

/** The same command is typed with long paths and with short ones: the last two names of a path say which file is meant. */
export function withShortPaths(command: string): string {
  return command.replace(/(?<![\w.])\/(?:[^\s/'"]+\/)+(?=[^\s/'"]+\/[^\s/'"]+)/g, '');
}

/** Whether a command line only looks at things, in all its parts. */
export function onlyLooks(command: string): boolean {
  return piecesOf(command).map(bareCommand).every(looks);
}

/** Whether a command does nothing, only looks, or leads through others. */
function looks(command: string): boolean {
  const [program = ''] = command.split(/\s/, 1);
  return program === '' || LOOKS.has(program) || GIT_LOOKS.test(command) || LOOP.test(command);
}

function isCommand(text: string): boolean {
  const [program = '', ...rest] = text.split(/\s+/);
  return PROGRAMS.has(program) && rest.join('') !== '';
}

/** The first command of a line that does more than look; '' where none does. */
export function mainCommand(command: string): string {
  return (
    piecesOf(command)
      .map(bareCommand)
      .find((text) => !looks(text)) ?? ''
  );
}

/** The commands of a line that do more than look, as they are typed. */
export function commandsIn(command: string): string[] {
  return piecesOf(command)
    .map(bareCommand)
    .filter((text) => !looks(text));
}

/** The programs that a command line starts. */
export function programsIn(command: string): string[] {
  return piecesOf(command).flatMap((piece) => /^[^\s"'$(]+/.exec(bareCommand(piece))?.[0] ?? []);
}

function inShell(command: string): Mention[] {
  const commands = piecesOf(command).flatMap((piece) => {
    const text = bareCommand(piece);
    if (looks(text)) return [];
    return mention(text, CHECK.test(text) ? weights.check : weights.other, true);
  });
  return commands.slice(0, MAX_PER_CALL);
}

function mention(command: string, weight: number, isArtifact = false): Mention[] {
  const [line = ''] = command.trim().split('\n', 1);
  const text = cutAtWord(line.replace(/\s+/g, ' '), MAX_COMMAND).replace(/(?<!\s)\s+["']$/, '');
  const key = wordsOf(withShortPaths(text))
    .map(({ stem }) => stem)
    .join(' ');
  return key === '' ? [] : [{ kind: 'command', key, text, weight, isArtifact }];
}

/** The commands of a line, up to where a text that is no command begins. Quoted separators separate nothing. */
function piecesOf(command: string): string[] {
  const [script = ''] = command.replace(/\\\r?\n/g, ' ').split(/<<-?\s*['"\\]?\w/, 1);
  const pieces: string[] = [];
  let piece = '';
  for (const [token] of script
    .slice(0, 4000)
    .matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"|&&|\|\||[;\n|]|(?:[^'"&;\n|\\]|\\.)+|[\s\S]/g)) {
    if (/^(?:&&|\|\||[;\n|])$/.test(token)) {
      pieces.push(piece);
      piece = '';
    } else piece += token;
  }
  return [...pieces, piece].map((one) => one.split(/\$\(|<\(/, 1)[0] ?? '');
}

/** Without settings before it, and without where its output goes. */
function bareCommand(piece: string): string {
  return piece
    .trim()
    .replace(/^(?:[A-Za-z_]\w*=(?:'[^']*'|"[^"]*"|\S*)\s+)+/, '')
    .replace(/^(?:sudo|time|nohup|timeout(?:\s+-\S+)*\s+\S+)\s+/, '')
    .replace(/(?<!\s)(?:\s{0,20}(?:(?<=\s)\d|&)?>>?(?:&\d?|\s{0,20}[^\s<>&]{1,300})){1,8}\s{0,20}$/, '')
    .trim();
}

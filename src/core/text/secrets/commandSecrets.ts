import { isPlaceholder, isUsualWord } from './secretLooks';
import type { FoundSecret } from './secretValues';

/** Options of a command that take a secret, in letters of their own or together with a name. */
interface Command {
  readonly names: readonly string[];
  readonly options: RegExp;
}

const VALUE = String.raw`\\{0,8}["']?(?<secret>[^\s"'\\|;&<>]{2,200})`;

const COMMANDS: readonly Command[] = [
  {
    names: ['curl', 'wget', 'xh ', 'http '],
    options: option(String.raw`(?:-u|-U|-a|--user|--proxy-user|--auth)(?:[ =]{0,2})\\{0,8}["']?[^\s"':]{0,100}:`, ''),
  },
  { names: ['mysql', 'mariadb', 'mycli', '7z '], options: option('-p', VALUE) },
  {
    names: [
      'sshpass',
      'docker login',
      'podman login',
      'nerdctl login',
      'registry login',
      'skopeo login',
      'auth login',
      'az login',
      'oc login',
      'mongo',
      'rabbitmqadmin',
    ],
    options: option('-p[ =]?', VALUE),
  },
  { names: ['redis-cli', 'valkey-cli'], options: option('-a[ =]?', VALUE) },
  { names: ['ldap'], options: option('-w[ =]?', VALUE) },
  { names: ['sqlcmd', 'bcp ', 'isql', 'zip '], options: option('-P[ =]?', VALUE) },
  {
    names: ['smbclient', 'mount.cifs', 'rpcclient'],
    options: option(String.raw`-U[ =]?\\{0,8}["']?[^\s"'%]{1,100}%`, ''),
  },
  { names: ['lftp'], options: option(String.raw`-u[ =]?[^\s"',]{1,100},`, '') },
  { names: ['openssl', 'gpg', 'keytool'], options: option('(?:-pass(?:in|out)?[ =]?)?pass:', '') },
  { names: ['htpasswd'], options: /\s-\w{0,6}b\w{0,6}\s+\S{1,200}\s+\S{1,100}\s+["']?(?<secret>[^\s"']{2,200})/g },
  {
    names: ['rabbitmqctl', 'net user', 'influx'],
    options: /\s(?:add_user|change_password|user|-password)\s+(?!\/)\S{1,100}\s+["']?(?<secret>[^\s"'/]{2,200})/g,
  },
];

/** Longest part of a text that one command is looked for in. */
const LONGEST = 600;

/** What commands use to find where they stand. */
export const commandNames: readonly string[] = COMMANDS.flatMap(({ names }) => names);

/** Before the value stands the option, and before that a space. */
function option(name: string, value: string): RegExp {
  return new RegExp(
    String.raw`(?<=\s)${name}${value === '' ? String.raw`(?<secret>[^\s"'\\|;<>]{1,200})` : value}`,
    'g',
  );
}

/** What commands are given as a secret by their short options. `found` says where which of `commandNames` ends. */
export function commandSecrets(text: string, found: readonly { word: number; end: number }[]): FoundSecret[] {
  const secrets: FoundSecret[] = [];
  const seen = new Map<Command, number>();
  for (const { word, end } of found) {
    const name = commandNames[word] ?? '';
    const command = COMMANDS.find(({ names }) => names.includes(name));
    if (command === undefined || end <= (seen.get(command) ?? 0) || /\w/.test(text.charAt(end - name.length - 1)))
      continue;
    const line = lineAt(text, end - 1);
    seen.set(command, end + line.length - 1);
    for (const match of line.matchAll(command.options)) {
      const secret = match.groups?.['secret'] ?? '';
      if (isPlaceholder(secret) || isUsualWord(secret) || isNoSecret(secret)) continue;
      const at = end - 1 + match.index + match[0].length - secret.length;
      secrets.push({ start: at, end: at + secret.length, kind: 'password in a command' });
    }
  }
  return secrets;
}

/** The rest of a command: to the end of its line, unless that says that it goes on, or to what comes after it. */
function lineAt(text: string, start: number): string {
  const rest = text.slice(start, start + LONGEST);
  const ending = /(?<!\\)\r?\n|\s(?:\|\|?|&&|;)\s|(?<!\\)\\n(?![a-z])/.exec(rest);
  return ending === null ? rest : rest.slice(0, ending.index);
}

/** Ports, folders and the like, which the same letters take in other commands. */
function isNoSecret(value: string): boolean {
  return /^\d{1,5}(?::\d{1,5})?(?:\/\w+)?$|^[-=/.~]|^\d+(?:\.\d+){3}(?::|$)|:\d+(?::|$)/.test(value);
}

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { UsageError } from '../../../src/cli/cliErrors';
import { asksForJson, parseCommandLine, type Invocation } from '../../../src/cli/commandLine';
import { argument, flag, option, several, text, whole } from '../../../src/cli/fields';
import { echoCommand } from './support/testCommands';

const from = option(whole, 'N', 'Begin with message N');
const all = flag('Everything');

const commands = [
  echoCommand('discover', { input: { all } }),
  echoCommand('messages', { input: { session: argument(text, 'the session'), from } }),
  echoCommand('register', { input: { session: several(text, 'the sessions'), all } }),
  echoCommand('config get', { input: { key: argument(text, 'the key') } }),
  echoCommand('config set', { input: { key: argument(text, 'the key'), value: argument(text, 'the value') } }),
];

const parse = (...argv: string[]): Invocation => parseCommandLine(argv, commands);

function run(...argv: string[]) {
  const invocation = parse(...argv);
  if (invocation.kind !== 'run') throw new Error(`not a command: ${invocation.kind}`);
  return invocation;
}

function usageError(...argv: string[]): UsageError {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`accepted: ${argv.join(' ')}`);
}

describe('the command line', () => {
  it('finds a command among options, wherever they stand', () => {
    for (const argv of [
      ['--json', 'messages', 'abcd', '--from', '3'],
      ['messages', '--from', '3', 'abcd', '--json'],
      ['--project', 'x', 'messages', '--json', '--from=3', 'abcd'],
    ]) {
      const { command, said } = run(...argv);
      assert.equal(command.name, 'messages');
      assert.deepEqual(said.args, ['abcd']);
      assert.deepEqual(said.options.get('from'), ['3']);
      assert.equal(said.options.has('json'), true);
    }
  });

  it('knows commands of two words', () => {
    const { command, said } = run('config', 'set', 'ui.defaultView', 'list');
    assert.equal(command.name, 'config set');
    assert.deepEqual(said.args, ['ui.defaultView', 'list']);
  });

  it("takes a project's id as a value, although it begins with a dash", () => {
    assert.equal(
      run('discover', '--project', '-home-mira-code-tidewatch').said.options.get('project')?.at(-1),
      '-home-mira-code-tidewatch',
    );
    assert.equal(run('discover', '-p', '-home-mira').said.options.get('project')?.at(-1), '-home-mira');
    assert.deepEqual(run('messages', '-path-to-Demo', '--json').said.args, ['-path-to-Demo']);
    assert.equal(run('--project=-home-mira', 'discover').said.options.get('project')?.at(-1), '-home-mira');
  });

  it('takes no known option for the value of another', () => {
    assert.match(usageError('discover', '--project', '--json').message, /--project needs a value/);
    assert.match(usageError('messages', 'abcd', '--from').message, /--from needs a value: --from N/);
  });

  it('takes everything after -- as an argument', () => {
    assert.deepEqual(run('register', '--', '--all', '-x').said.args, ['--all', '-x']);
    assert.equal(asksForJson(['register', '--', '--json']), false);
  });

  it('suggests the command that was probably meant', () => {
    assert.match(usageError('discovr').hint, /Did you mean `discover`/);
    assert.match(usageError('mesages', 'abcd').hint, /Did you mean `messages`/);
    assert.match(usageError('confg').hint, /Did you mean `config`/);
    assert.match(usageError('config', 'gett', 'ui').hint, /Did you mean `config get`/);
    assert.doesNotMatch(usageError('banana').hint, /Did you mean/);
  });

  it('suggests the option that was probably meant', () => {
    const error = usageError('messages', 'abcd', '--form', '3');
    assert.match(error.message, /no option --form for `messages`/);
    assert.match(error.hint, /Did you mean --from/);
    assert.match(usageError('--jsn').hint, /Did you mean --json/);
  });

  it('refuses arguments that are missing or too many', () => {
    assert.match(usageError('messages').message, /needs <session>/);
    assert.match(usageError('config', 'set', 'a').message, /needs <value>/);
    assert.match(usageError('discover', 'x').message, /does not know what to do with "x"/);
    assert.match(usageError('messages', 'a', 'b').message, /does not know what to do with "b"/);
  });

  it('refuses one project and all projects at once', () => {
    assert.match(usageError('discover', '--project', 'x', '--all-projects').message, /exclude each other/);
  });

  it('refuses a value for a switch', () => {
    assert.match(usageError('discover', '--all=yes').message, /--all takes no value/);
  });

  it('shows help for all, for a command, and for a group of commands', () => {
    assert.deepEqual(parse('--help'), { kind: 'help', subject: undefined, isAsked: true });
    assert.deepEqual(parse('help'), { kind: 'help', subject: undefined, isAsked: true });
    assert.deepEqual(parse('messages', '-h'), { kind: 'help', subject: 'messages', isAsked: true });
    assert.deepEqual(parse('help', 'messages'), { kind: 'help', subject: 'messages', isAsked: true });
    assert.deepEqual(parse('config', '--help'), { kind: 'help', subject: 'config', isAsked: true });
    assert.deepEqual(parse('help', 'config', 'get'), { kind: 'help', subject: 'config get', isAsked: true });
    assert.deepEqual(parse(), { kind: 'help', subject: undefined, isAsked: false });
    assert.match(usageError('--json').message, /There is no command/);
    assert.match(usageError('help', 'nothing').message, /no command "nothing"/);
  });

  it('answers --version alone and beside a command', () => {
    assert.deepEqual(parse('--version'), { kind: 'version' });
    assert.deepEqual(parse('discover', '--version'), { kind: 'version' });
  });

  it('is not misled by names that every object has', () => {
    assert.match(usageError('discover', '--constructor').message, /no option --constructor/);
    assert.match(usageError('toString').message, /no command "toString"/);
  });

  it('answers any words with an invocation or a usage error, never with something else', () => {
    const word = fc.oneof(
      fc.constantFrom(
        '--json',
        '--',
        '-',
        '-h',
        '--project',
        '--from',
        'messages',
        'config',
        'get',
        'help',
        '--no-color',
        '-p',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        try {
          parse(...argv);
        } catch (error) {
          assert.ok(error instanceof UsageError, String(error));
        }
      }),
    );
  });
});

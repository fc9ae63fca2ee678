import assert from 'node:assert/strict';
import { kebab, type Command } from '../../../src/cli/command';
import { Page } from '../../../src/cli/page';
import { commandsFor } from '../../../src/cli/commandTable';
import { globalFields, renderHelp } from '../../../src/cli/commandLine';
import { Style, textWidth } from '../../../src/cli/terminal';
import { Formats } from '../../../src/core/text/formats';

function page(width: number) {
  return new Page({ style: new Style(false), width, formats: new Formats({ locale: 'en' }), nowMs: 0 });
}

describe('the help', () => {
  let commands: readonly Command[];

  before(async () => {
    commands = await commandsFor(['help']);
  });

  it('names every command and every common option', () => {
    const text = renderHelp(commands, undefined, page(Infinity));
    for (const { name, summary } of commands) {
      assert.ok(text.includes(name), name);
      assert.ok(text.replace(/\s+/g, ' ').includes(summary), summary);
    }
    for (const option of Object.keys(globalFields)) assert.ok(text.includes(`--${kebab(option)}`), option);
  });

  it('tells of each command its arguments, options and an example', () => {
    for (const command of commands) {
      const text = renderHelp(commands, command.name, page(Infinity));
      assert.match(text, new RegExp(`Usage: keepit ${command.name}`));
      for (const [name, { arity }] of Object.entries(command.input ?? {})) {
        const typed = arity === undefined ? `--${kebab(name)}` : `<${name}>`;
        assert.ok(text.includes(typed), `${command.name} ${typed}`);
      }
      assert.ok(command.examples.length > 0 && command.examples.every((example) => text.includes(`keepit ${example}`)));
    }
  });

  it('lists the members of a group', () => {
    const text = renderHelp(commands, 'config', page(Infinity));
    assert.match(text, /config get/);
    assert.match(text, /config set/);
    assert.doesNotMatch(text, /discover/);
  });

  it('stays inside 80 columns without a terminal, and inside a terminal of 60', () => {
    for (const width of [Infinity, 60]) {
      const limit = Math.min(width, 80);
      for (const subject of [undefined, 'config', ...commands.map(({ name }) => name)]) {
        const lines = renderHelp(commands, subject, page(width)).split('\n');
        // An example is to be copied whole, and is never wrapped.
        const tooLong = lines.filter((line) => textWidth(line) > limit && !line.startsWith('  $ '));
        assert.deepEqual(tooLong, [], `${subject ?? 'keepit'} at ${width}`);
      }
    }
  });

  it('begins no two commands or options alike with different meanings', () => {
    for (const command of commands) {
      const own = Object.keys(command.input ?? {});
      assert.deepEqual(
        own.filter((option) => Object.hasOwn(globalFields, option)),
        [],
        `${command.name} hides a common option`,
      );
    }
    assert.equal(new Set(commands.map(({ name }) => name)).size, commands.length);
  });
  it('has for a command line the commands that its first words can name, and all where help is wanted', async () => {
    const namesFor = async (...argv: string[]) => (await commandsFor(argv)).map(({ name }) => name);
    const every = commands.map(({ name }) => name);
    assert.deepEqual(await namesFor('sessions', '--json'), ['sessions']);
    assert.deepEqual(await namesFor('--project', 'x', 'trash', 'empty'), ['trash', 'trash empty']);
    assert.deepEqual(await namesFor('add', 'b1c2', 'words'), ['keepit add']);
    for (const argv of [[], ['help', 'sync'], ['sync', '--help'], ['sink']])
      assert.deepEqual(await namesFor(...argv), every);
  });
});

import { ConfigError } from '../../core/errors';
import type { Config } from '../../core/model/config';
import { closest } from '../suggestion';
import type { Answer, Command } from '../command';
import { renderFacts } from '../table';

type Setting = readonly [key: string, value: unknown];

export const configGet: Command = {
  name: 'config get',
  group: 'Keepit itself',
  summary: 'Show one setting',
  details: [],
  args: [{ name: 'key', help: 'such as keepitDecay.compressionBase.light', arity: 'one' }],
  options: {},
  examples: ['config get defaults.compressionPreset'],
  async run(input, { memory }): Promise<Answer> {
    const key = input.required(0);
    const settings = settingsOf(await memory.readConfig());
    const value = valueOf(key, settings);
    return { json: { key, value }, text: () => valueText(value) };
  },
};

export const configSet: Command = {
  name: 'config set',
  group: 'Keepit itself',
  summary: 'Change one setting; what is not allowed is refused',
  details: [],
  args: [
    { name: 'key', help: 'such as defaults.autoRegisterSessions', arity: 'one' },
    { name: 'value', help: 'its new value', arity: 'one' },
  ],
  options: {},
  examples: ['config set defaults.autoRegisterSessions true', 'config set storage.maxCacheSize 500MB'],
  async run(input, { memory }): Promise<Answer> {
    const key = input.required(0);
    const config = await memory.setConfig(key, input.required(1));
    const value = valueOf(key, settingsOf(config));
    return { json: { key, value, config }, text: () => `${key} = ${valueText(value)}` };
  },
};

export const configList: Command = {
  name: 'config list',
  group: 'Keepit itself',
  summary: 'Show all settings',
  details: [],
  args: [],
  options: {},
  examples: ['config list', 'config list --json'],
  async run(_input, { memory }): Promise<Answer> {
    const config = await memory.readConfig();
    const facts = settingsOf(config).map(([key, value]) => [key, valueText(value)] as const);
    return { json: { config }, text: ({ style }) => renderFacts(facts, { style }).join('\n') };
  },
};

/** Every value with its dotted key. */
function settingsOf(config: Config): Setting[] {
  const flatten = (value: object, path: string): Setting[] =>
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const key = path === '' ? name : `${path}.${name}`;
      const isGroup = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
      return isGroup ? flatten(inner, key) : [[key, inner] as const];
    });
  return flatten(config, '');
}

/** A key may name a group: `config get ui` shows all of it. */
function valueOf(key: string, settings: readonly Setting[]): unknown {
  const exact = settings.find(([name]) => name === key);
  if (exact !== undefined) return exact[1];
  const inside = settings.filter(([name]) => name.startsWith(`${key}.`));
  if (inside.length > 0) return Object.fromEntries(inside.map(([name, value]) => [name.slice(key.length + 1), value]));
  const keys = settings.map(([name]) => name);
  const near = closest(key, keys);
  throw new ConfigError('unknown-key', key, near === undefined ? keys : [near]);
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

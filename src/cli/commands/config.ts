import { ConfigError } from '../../core/sessions/configError';
import { PROJECT_PREFIX } from '../../core/sessions/configSettings';
import { CliFailure } from '../cliErrors';
import type { Answer, Command } from '../command';
import type { Scope } from '../scope';
import { closest } from '../suggestion';
import { renderFacts } from '../table';

type Setting = readonly [key: string, value: unknown];

const PROJECT_KEYS = '`project.…` are those of one project: the current folder’s, or the one that --project names.';

export const configGet: Command = {
  name: 'config get',
  group: 'Keepit itself',
  summary: 'Show one setting',
  details: [PROJECT_KEYS],
  args: [{ name: 'key', help: 'such as keepitDecay.compressionBase.light', arity: 'one' }],
  options: {},
  examples: ['config get defaults.compressionPreset', 'config get project.keepitDecayEnabled'],
  async run(input, { memory, scope }): Promise<Answer> {
    const key = input.required(0);
    const settings = isOfProject(key)
      ? settingsOf({ project: await memory.projectSettings(await projectOf(key, scope)) })
      : settingsOf(await memory.readConfig());
    const value = valueOf(key, settings);
    return { json: { key, value }, text: () => valueText(value) };
  },
};

export const configSet: Command = {
  name: 'config set',
  group: 'Keepit itself',
  summary: 'Change one setting; what is not allowed is refused',
  details: [PROJECT_KEYS],
  args: [
    { name: 'key', help: 'such as defaults.autoRegisterSessions', arity: 'one' },
    { name: 'value', help: 'its new value', arity: 'one' },
  ],
  options: {},
  examples: [
    'config set defaults.autoRegisterSessions true',
    'config set storage.maxCacheSize 500MB',
    'config set project.keepitDecayEnabled false',
  ],
  async run(input, { memory, scope }): Promise<Answer> {
    const [key, text] = [input.required(0), input.required(1)];
    const changed = isOfProject(key)
      ? { project: await memory.setProjectSetting(await projectOf(key, scope), key, text) }
      : { config: await memory.setConfig(key, text) };
    const value = valueOf(key, settingsOf(changed.config ?? changed));
    return { json: { key, value, ...changed }, text: () => `${key} = ${valueText(value)}` };
  },
};

export const configList: Command = {
  name: 'config list',
  group: 'Keepit itself',
  summary: 'Show all settings',
  details: [PROJECT_KEYS],
  args: [],
  options: {},
  examples: ['config list', 'config list --json'],
  async run(_input, { memory, scope }): Promise<Answer> {
    const config = await memory.readConfig();
    const projectId = await scope.projectId();
    const isInMemory = projectId !== undefined && (await memory.sessions(projectId)).length > 0;
    const own = isInMemory ? { project: await memory.projectSettings(projectId) } : {};
    const facts = settingsOf({ ...config, ...own }).map(([key, value]) => [key, valueText(value)] as const);
    return { json: { config, ...own }, text: ({ style }) => renderFacts(facts, { style }).join('\n') };
  },
};

function isOfProject(key: string): boolean {
  return key.startsWith(PROJECT_PREFIX) || `${key}.` === PROJECT_PREFIX;
}

async function projectOf(key: string, scope: Pick<Scope, 'projectId'>): Promise<string> {
  const projectId = await scope.projectId();
  if (projectId === undefined) throw new CliFailure('project-needed', key);
  return projectId;
}

/** Every value with its dotted key. */
function settingsOf(settings: object): Setting[] {
  const flatten = (value: object, path: string): Setting[] =>
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const key = path === '' ? name : `${path}.${name}`;
      const isGroup = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
      return isGroup ? flatten(inner, key) : [[key, inner] as const];
    });
  return flatten(settings, '');
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

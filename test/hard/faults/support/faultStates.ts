import { appendFile, chmod, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { FaultHome } from './faultHome';

export const LONG = 'b7e2d914-5c08-4f63-8a2d-1e9c3f5b7a46';
export const SHORT = '6a1f7c20-3b5d-4e8a-9c11-8d2e4f6a7b90';
const LINES_LEFT = 6;
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/** How a home may be when a command begins, each made from the one that is named beside it. */
export type StateName = keyof typeof STATES;

/** What commands have to be told, of one state. */
export interface Known {
  readonly keepit: string;
  readonly fact: string;
  /** Names in the trash, by what they end with. */
  readonly trash: { readonly session: string; readonly version: string; readonly composition: string };
}

type Step = (home: FaultHome) => Promise<void>;

const keepitsSchema = z.object({ keepits: z.array(z.object({ markerId: z.string() })) });
const factsSchema = z.object({ facts: z.array(z.object({ id: z.string() })) });
const documentSchema = z.looseObject({ sessions: z.record(z.string(), z.unknown()) });

async function full(home: FaultHome): Promise<void> {
  await home.answer('register', '--all');
  await home.answer('layers', 'enable', '--yes');
  await home.answer('layers', 'build');
  await home.answer('keepit', 'add', LONG, 'last', '--weight', 'pinned');
  await home.answer('compress', LONG);
  await home.answer('compose', LONG, SHORT, '--name', 'one', '--budget', '4000');
  await home.answer('summarize', SHORT);
  await home.answer('synthesize', '--yes');
}

async function trashed(home: FaultHome): Promise<void> {
  await home.answer('version', 'delete', LONG, 'v001', '--force', '--yes');
  await home.answer('composition', 'delete', 'one', '--yes');
  await home.answer('unregister', SHORT, '--yes');
}

/** The end of a transcript comes only now. */
async function grown(home: FaultHome): Promise<void> {
  const file = home.transcript(LONG);
  await appendFile(file, await readFile(`${file}.rest`, 'utf8'));
}

async function asked(home: FaultHome): Promise<void> {
  await grown(home);
  for (const [event, more] of [
    ['SessionStart', { source: 'startup' }],
    ['SessionEnd', { reason: 'other' }],
  ] as const) {
    await home.run({ args: ['hook', event], stdin: hookInput(home, more) });
  }
}

async function old(home: FaultHome): Promise<void> {
  const file = path.join(home.projectStore, 'manifest.json');
  const document = documentSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const sessions = Object.values(document.sessions);
  await writeFile(file, JSON.stringify({ ...document, version: '0.9.0', sessions }));
}

/** All that waits in the trash has waited for years. */
async function expired(home: FaultHome): Promise<void> {
  const trash = path.join(home.projectStore, 'trash');
  for (const name of await readdir(trash)) {
    await rename(path.join(trash, name), path.join(trash, name.replace(/^\d{4}/, '2020')));
  }
}

/** Nothing is kept but an archive. */
async function archived(home: FaultHome): Promise<void> {
  await home.answer('export', '-o', 'memory.tar');
  await home.answer('clean-up', '--yes');
}

/** What `doctor --repair` mends. */
async function damaged(home: FaultHome): Promise<void> {
  const store = home.projectStore;
  const manifest = path.join(store, 'manifest.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.slice(0, Math.floor(text.length * 0.7)));
  const leftover = path.join(store, '.manifest.json.0123456789abcdef.tmp');
  await writeFile(leftover, '{');
  await utimes(leftover, LONG_AGO, LONG_AGO);
  await writeFile(path.join(store, 'summaries', LONG, 'v009_left_1k.md'), 'left');
  await writeFile(path.join(home.memoryDir, 'config.json'), '{"defaults": 3');
  const original = path.join(store, 'originals', `${SHORT}.jsonl`);
  await rename(original, `${original}.away`);
  await symlink(home.transcript(SHORT), original);
  await chmod(store, 0o755);
}

/** Settings of a person, with a comment and a formatting of their own. */
async function settled(home: FaultHome): Promise<void> {
  await writeFile(path.join(home.claudeDir, 'settings.json'), '{\n   "model": "opus", // mine\n   "hooks": {}\n}');
  await mkdir(path.join(home.claudeDir, 'plugins'));
  await writeFile(path.join(home.claudeDir, 'plugins', 'known_marketplaces.json'), '{ "other": { "a": 1 } }\n');
}

const answers =
  (...args: string[]): Step =>
  async (home) => {
    await home.answer(...args);
  };

const STATES = {
  empty: { from: undefined, step: () => Promise.resolve() },
  settled: { from: 'empty', step: settled },
  installed: { from: 'settled', step: answers('install-hooks') },
  plain: { from: 'settled', step: answers('install-hooks', '--as', 'plain', '--scope', 'project') },
  registered: { from: 'empty', step: answers('register', '--all') },
  full: { from: 'empty', step: full },
  trashed: { from: 'full', step: trashed },
  grown: { from: 'full', step: grown },
  asked: { from: 'full', step: asked },
  armed: { from: 'full', step: answers('deliver', 'one', '--to', 'next-session') },
  paused: { from: 'full', step: answers('pause') },
  archived: { from: 'full', step: archived },
  old: { from: 'full', step: old },
  expired: { from: 'trashed', step: expired },
  damaged: { from: 'full', step: damaged },
} as const satisfies Record<string, { from: string | undefined; step: Step }>;

/** Makes the states of a home, when one is first needed. */
export class FaultStates {
  private readonly made = new Map<StateName, Known>();

  constructor(private readonly home: FaultHome) {}

  /** Leaves the home in a state, and says what is to be known of it. */
  async enter(name: StateName): Promise<Known> {
    const known = this.made.get(name);
    if (known !== undefined) {
      await this.home.setBack(name);
      return known;
    }
    const { from, step } = STATES[name];
    if (from === undefined) await this.holdBack();
    else await this.enter(from);
    await step(this.home);
    const found = await this.look(name);
    await this.home.save(name);
    await this.home.setBack(name);
    this.made.set(name, found);
    return found;
  }

  known(name: StateName): Known {
    const known = this.made.get(name);
    if (known === undefined) throw new Error(`Nobody has entered ${name}`);
    return known;
  }

  /** The last words of the longer session are kept for `grown`. */
  private async holdBack(): Promise<void> {
    const file = this.home.transcript(LONG);
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    await writeFile(file, lines.slice(0, -LINES_LEFT).join('\n') + '\n');
    await writeFile(`${file}.rest`, lines.slice(-LINES_LEFT).join('\n') + '\n');
  }

  private async look(name: StateName): Promise<Known> {
    const { home } = this;
    const trash = await readdir(path.join(home.projectStore, 'trash')).catch(() => []);
    const ending = (end: string): string => trash.find((one) => one.endsWith(end)) ?? '';
    const hasMemory = (['full', 'registered'] as StateName[]).includes(name);
    if (!hasMemory) {
      const { from } = STATES[name];
      const before = from === undefined ? undefined : this.made.get(from);
      const found = { session: ending(SHORT), version: ending('-versions'), composition: ending('-composition') };
      return { keepit: before?.keepit ?? '', fact: before?.fact ?? '', trash: found };
    }
    const { keepits } = keepitsSchema.parse(await home.answer('keepits', LONG));
    const { facts } = name === 'full' ? factsSchema.parse(await home.answer('facts', '--all')) : { facts: [] };
    const nothing = { session: '', version: '', composition: '' };
    return { keepit: keepits[0]?.markerId ?? '', fact: facts[0]?.id ?? '', trash: nothing };
  }
}

/** What Claude Code tells a hook of the longer session. */
export function hookInput(home: FaultHome, more: object = {}): string {
  return JSON.stringify({
    session_id: LONG,
    transcript_path: home.transcript(LONG),
    cwd: home.project,
    hook_event_name: 'any',
    ...more,
  });
}

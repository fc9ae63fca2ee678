import {
  appendFile,
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { projectFolderName } from '../../../../src/core/sessions/projectNames';
import type { FaultHome } from './faultHome';

export const LONG = 'b7e2d914-5c08-4f63-8a2d-1e9c3f5b7a46';
export const SHORT = '6a1f7c20-3b5d-4e8a-9c11-8d2e4f6a7b90';
/** A message of the shorter session, of which facts, notes and versions are made. */
export const MESSAGE = '6a1f7c20-0000-4000-8000-000000000006';
/** A session of another project. */
export const FAR = '0f3c5a71-9d2e-4b16-8e47-2a6b9c0d1e35';
const LEGACY = path.resolve('test/fixtures/memory-keeper');
const LINES_LEFT = 6;
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/** How a home may be when a command begins, each made from the one that is named beside it. */
export type StateName = keyof typeof STATES;

/** What commands have to be told, of one state. */
export interface Known {
  readonly keepit: string;
  readonly fact: string;
  readonly link: string;
  /** Names in the trash, by what they end with. */
  readonly trash: { readonly session: string; readonly version: string; readonly composition: string };
}

type Step = (home: FaultHome) => Promise<void>;

const keepitsSchema = z.object({ keepits: z.array(z.object({ markerId: z.string() })) });
const factsSchema = z.object({ facts: z.array(z.object({ id: z.string() })) });
const linkSchema = z.object({ links: z.array(z.object({ linkId: z.string() })) });
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

async function withoutKeepit(home: FaultHome): Promise<void> {
  const { keepits } = keepitsSchema.parse(await home.answer('keepits', LONG));
  await home.answer('keepit', 'remove', keepits[0]?.markerId ?? '');
}

/** Another project, with a session like one of this. */
async function pair(home: FaultHome): Promise<void> {
  const folder = path.join(home.live, 'lib');
  const sessions = path.join(home.claudeDir, 'projects', projectFolderName(folder));
  const text = await readFile(home.transcript(SHORT), 'utf8');
  await mkdir(folder);
  await mkdir(sessions);
  await writeFile(path.join(sessions, `${FAR}.jsonl`), text.replaceAll(home.project, folder).replaceAll(SHORT, FAR));
  await home.answer('register', FAR);
}

/** Notes that somebody else wrote. */
async function foreign(home: FaultHome): Promise<void> {
  const file = path.join(home.project, '_memory', 'conversations', `${LONG}.md`);
  await writeFile(file, '# Mails\n\n- They are sent at night.\n');
}

/** The notebook is kept in an archive alone. */
async function unbound(home: FaultHome): Promise<void> {
  await home.answer('notebook', 'export', '--out', 'notes.json');
  await rm(path.join(home.project, '_memory'), { recursive: true });
}

/** What a memory-keeper plugin has left, with an archive that nobody has summarized. */
async function legacy(home: FaultHome): Promise<void> {
  const folder = path.join(home.project, '.claude', 'memory');
  await cp(LEGACY, folder, { recursive: true });
  for (const name of await readdir(folder)) if (name.endsWith('.summary.json')) await rm(path.join(folder, name));
  await home.answer('layers', 'enable', '--yes');
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

/** The same, of two projects. */
async function archivedPair(home: FaultHome): Promise<void> {
  await home.answer('export', '--all-projects', '-o', 'memory.tar');
  await home.answer('clean-up', '--yes');
}

/** What is archived has become another here since. */
async function archivedOther(home: FaultHome): Promise<void> {
  await home.answer('export', '-o', 'memory.tar');
  await home.answer('keepit', 'add', LONG, '0', '--weight', '0.7');
  await home.answer('composition', 'delete', 'one', '--yes');
  await home.answer('compose', SHORT, '--name', 'one', '--budget', '3000');
}

/** More is archived of a session than there is of it here. */
async function archivedLonger(home: FaultHome): Promise<void> {
  await home.answer('sync');
  await home.answer('export', '-o', 'memory.tar');
  await home.answer('clean-up', '--yes');
  const file = home.transcript(LONG);
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, lines.slice(0, -1 - LINES_LEFT).join('\n') + '\n');
  await home.answer('register', '--all');
  await home.answer('compress', LONG);
}

/** Claude Code has deleted a transcript that memory keeps. */
async function deleted(home: FaultHome): Promise<void> {
  await rm(home.transcript(SHORT));
}

/** Another tool has kept something elsewhere. */
async function elsewhere(home: FaultHome): Promise<void> {
  await cp(LEGACY, path.join(home.live, 'theirs'), { recursive: true });
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
  archivedOther: { from: 'full', step: archivedOther },
  archivedLonger: { from: 'grown', step: archivedLonger },
  deleted: { from: 'full', step: deleted },
  archivedPair: { from: 'pair', step: archivedPair },
  elsewhere: { from: 'full', step: elsewhere },
  unkept: { from: 'full', step: withoutKeepit },
  pair: { from: 'full', step: pair },
  linked: { from: 'pair', step: answers('link', 'add', FAR, '--reason', 'shared code') },
  forgotten: { from: 'full', step: answers('never', 'add', '.') },
  aging: { from: 'full', step: answers('config', 'set', 'autoDecay.enabled', 'true') },
  counted: { from: 'grown', step: answers('memory', 'check', LONG) },
  foreign: { from: 'full', step: foreign },
  unbound: { from: 'full', step: unbound },
  legacy: { from: 'registered', step: legacy },
  migrated: { from: 'legacy', step: answers('memory', 'migrate-legacy') },
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
      const { links } = name === 'linked' ? linkSchema.parse(await home.answer('links')) : { links: [] };
      const link = links[0]?.linkId ?? '';
      return { keepit: before?.keepit ?? '', fact: before?.fact ?? '', link, trash: found };
    }
    const { keepits } = keepitsSchema.parse(await home.answer('keepits', LONG));
    const { facts } = name === 'full' ? factsSchema.parse(await home.answer('facts', '--all')) : { facts: [] };
    const nothing = { session: '', version: '', composition: '' };
    return { keepit: keepits[0]?.markerId ?? '', fact: facts[0]?.id ?? '', link: '', trash: nothing };
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

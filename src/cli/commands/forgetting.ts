import type { Erased, NotRemembered } from '../../core/forgetting';
import type { ErasePlace } from '../../core/memoryPorts';
import { nameOfNever } from '../../core/model/forgotten';
import type { SessionRef } from '../../core/sessions/results';
import { countUp, ownValue } from '../../core/text/ownValue';
import { CliFailure } from '../cliErrors';
import { agree, command } from '../command';
import { argument, flag, option, optional, session, text, yes, type Kind } from '../fields';
import * as z from 'zod/mini';

const UNITS: Readonly<Record<string, number>> = { ms: 1, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_PAUSE_MS = 9999 * 86_400_000;
const MOST_FILES = 20;

/** Also one that is erased already: whoever was killed may ask again. */
const erasable: Kind<SessionRef> = {
  ...session,
  async read(word, { scope, memory, signal }) {
    try {
      return await scope.session(word, signal);
    } catch (error) {
      const { never: all } = await memory.forgetting.notRemembered();
      const sessionId = all.find((one) => one.session?.startsWith(word) === true)?.session;
      const projectId = await scope.projectId();
      if (sessionId === undefined || projectId === undefined) throw error;
      return { projectId, sessionId };
    }
  },
};

export const erase = command({
  name: 'erase',
  summary: 'Take words, a message or a session out of everything that is kept',
  details: [
    'Kept transcripts, versions, compositions, layers, notes, caches, the trash: what is to go is overwritten wherever it stands, and so is what was made of it. Nothing brings it back, and it does not come again: keyed hashes say what is not to be taken in, never the words.',
    "Claude Code's own files stay as they are; those that still have it are named.",
  ],
  input: {
    session: optional(erasable, 'the session'),
    message: optional(text, 'the uuid of one message; without it, the whole session goes'),
    text: option(text, 'T', 'Instead: these words, wherever they stand; `-` reads them from stdin'),
    dryRun: flag('Show where it stands, and change nothing'),
    yes,
  },
  examples: ['erase --text sk-live-51H --dry-run', 'erase e3580bc6 0a1b2c3d-0000-4000-8000-000000000000 --yes'],
  async run({ session: ref, message, text: words = '', dryRun }, context): Promise<Erased> {
    const { memory, signal, wrong } = context;
    if ((words === '') === (ref === undefined)) throw wrong('Name a session, or say a text; not both.');
    const target = ref === undefined ? { text: words === '-' ? await stdinText() : words } : { ...ref, message };
    const found = await memory.forgetting.erase(target, { isDryRun: true }, signal);
    if (dryRun) return found;
    await agree(`Erase it from ${filesText(found.places)}, for good?`, 'it', context);
    return memory.forgetting.erase(target, {}, signal);
  },
  json: ({ places, erased, stillIn }) => ({ places, erased, stillIn }),
  text: ({ places, erased, stillIn }, { quiet }) => [
    places.length === 0 ? 'Nothing that is kept says it.' : `${erased ? 'Erased from' : 'It stands in'}:`,
    places.slice(0, MOST_FILES).map(({ kind, file, count }) => `  ${kind}  ${file}  ${count}×`),
    places.length > MOST_FILES && `  and ${places.length - MOST_FILES} more; --json lists all`,
    stillIn.length > 0 && [quiet("Claude Code's own files still have it:"), stillIn.map((file) => `  ${file}`)],
  ],
});

async function stdinText(): Promise<string> {
  let said = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) said += String(chunk);
  return said.trim();
}

function filesText({ length }: readonly ErasePlace[]): string {
  return length === 1 ? '1 file' : `${length} files`;
}

/** How the commands below tell what is not remembered. */
const shown = {
  json: ({ never: all, isPaused, until }: NotRemembered) => ({ never: all, paused: isPaused, until }),
  text: ({ never: all, isPaused, until }: NotRemembered) => [
    !isPaused
      ? `What is said is remembered${all.length > 0 ? ', but for what is below' : ''}.`
      : until === undefined
        ? 'Paused: nothing is remembered until `keepit unpause`.'
        : `Paused until ${until}.`,
    all.map((one) => `  ${nameOfNever(one)}`),
  ],
} as const;

export const never = command({
  ...shown,
  name: 'never',
  summary: 'List what is never remembered',
  examples: ['never', 'never --json'],
  run: async (_input, { memory }) => memory.forgetting.notRemembered(),
});

export const neverAdd = command({
  ...shown,
  name: 'never add',
  summary: 'Take nothing more from a folder, with all below it, or from a session',
  details: [
    '`current` is the session of Claude Code that this is called in: the rest of it is not remembered. What is kept already stays; `keepit erase` takes it away.',
  ],
  input: { what: argument(text, 'a folder, or a session') },
  examples: ['never add ~/src/secret-client', 'never add current'],
  async run({ what }, { memory, scope, signal }) {
    const folder = await scope.folderNamed(what, { mayBeGone: true });
    return memory.forgetting.never(folder === undefined ? await scope.session(what, signal) : { folder });
  },
});

export const neverRemove = command({
  ...shown,
  name: 'never remove',
  summary: 'Remember a folder or a session again',
  input: { what: argument(text, 'the folder, or the session') },
  examples: ['never remove ~/src/secret-client'],
  run: async ({ what }, { memory, scope }) =>
    memory.forgetting.allow((await scope.folderNamed(what, { mayBeGone: true })) ?? what),
});

const time: Kind<number> = {
  schema: z.int().check(z.gte(1), z.lte(LONGEST_PAUSE_MS)),
  takes: 'takes a time such as 30m, 2h or 1d',
  read: (word) => {
    const [, number, unit = ''] = /^(\d{1,15})(ms|[mhd])$/.exec(word) ?? [];
    const unitMs = ownValue(UNITS, unit);
    const ms = Number(number) * (unitMs ?? Number.NaN);
    return ms >= 1 && ms <= LONGEST_PAUSE_MS ? ms : undefined;
  },
};

export const pause = command({
  ...shown,
  name: 'pause',
  summary: 'Remember nothing of what is said from now on, in any session',
  details: ['What was said in a pause is never remembered, also not later.'],
  input: { for: option(time, 'TIME', 'How long, such as 30m, 2h or 1d; without it, until `keepit unpause`') },
  examples: ['pause', 'pause --for 2h'],
  run: async ({ for: forMs }, { memory }) => memory.forgetting.pause(forMs),
});

export const unpause = command({
  ...shown,
  name: 'unpause',
  summary: 'Remember what is said again',
  examples: ['unpause'],
  run: async (_input, { memory }) => memory.forgetting.unpause(),
});

export const cleanUp = command({
  name: 'clean-up',
  summary: 'Take all away that is kept of a project, for good',
  details: ['Shows what there is first. Claude Code’s own transcripts stay as they are.'],
  input: { dryRun: flag('Show what is kept, and change nothing'), yes },
  examples: ['clean-up --dry-run', 'clean-up --project ~/src/old --yes'],
  async run({ dryRun }, context) {
    const { memory, scope } = context;
    const projectId = await scope.projectId();
    if (projectId === undefined) throw new CliFailure('project-needed', 'What is kept');
    const stored = await memory.forgetting.stored(projectId);
    if (dryRun) return { places: stored, removed: false };
    await agree(`Delete ${filesText(stored)} of ${projectId}, for good?`, projectId, context);
    return { places: await memory.forgetting.cleanUp(projectId), removed: true };
  },
  text({ places, removed }, { plural }) {
    if (places.length === 0) return 'Nothing is kept of it.';
    const kinds = new Map<string, number>();
    for (const { kind } of places) countUp(kinds, kind);
    return [
      removed ? 'Deleted:' : 'Kept of it:',
      [...kinds].map(([kind, count]) => `  ${kind}  ${plural(count, 'file')}`),
    ];
  },
});

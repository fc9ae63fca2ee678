import type { ComparedComponent, ComparedKeepit, CompositionDiff } from '../../core/compositions/compositionDiff';
import { compositionDocument } from '../../core/compositions/compositionDocument';
import type { StoredComposition } from '../../core/compositions/compositions';
import { keepsText } from '../../core/compositions/view/compositionTexts';
import { deliveryTargetSchema } from '../../core/model/composition';
import { cleanLines, oneLine } from '../../core/text/cleanText';
import { formatCount, joinParts, shortId } from '../../core/text/formats';
import { fidelityText } from '../../core/versions/view/versionTexts';
import { agreeToDelete, command, writeNew } from '../command';
import { argument, composition, file, needed, oneOf, option, text, tokens, yes } from '../fields';
import type { Page } from '../page';
import { compositionText, formats, savedDocument, savedText } from './compose';

const LINE_LENGTH = 160;
const name = argument(composition, 'its name, as `compositions` prints it');

export const compositions = command({
  name: 'compositions',
  summary: 'List the compositions, and whether their sources have changed since',
  examples: ['compositions', 'compositions --all-projects --json'],
  async run(_input, { scope, memory }) {
    const projectId = await scope.projectId();
    return { all: await memory.compositions.list(projectId), isMixed: projectId === undefined };
  },
  json: ({ all }) => ({ compositions: all.map(compositionDocument) }),
  text: ({ all, isMixed }, { table, age }) =>
    all.length === 0
      ? 'There are no compositions here. `keepit compose --name NAME --budget 16k --last 5` makes one.'
      : table(all, ({ projectId, record, freshness }) => ({
          Composition: ['accent', record.name],
          Made: age(record.builtAt ?? record.createdAt),
          Tokens: formatCount(record.totalTokens),
          Sessions: new Set(record.components.map(({ sessionId }) => sessionId)).size,
          Used: record.usedInSessions.length || '',
          Project: isMixed && projectId,
          'Sources…': freshness.isFresh ? ['quiet', 'as they were'] : ['warning', joinParts(freshness.reasons)],
        })),
});

export const compositionShow = command({
  name: 'composition show',
  summary: 'Show what a composition is made of, or its text',
  details: ['With --format the text itself is printed, as it is.'],
  input: { name, format: option(oneOf(['markdown', 'jsonl'], { md: 'markdown' }), 'F', 'md or jsonl: print the text') },
  examples: ['composition show feature-x', 'composition show feature-x --format md'],
  run: async ({ name: stored, format }, { memory }) => ({
    stored,
    text: format && (await memory.compositions.text(stored.projectId, stored.record.name, format)),
  }),
  json: ({ stored, text: whole }) => ({ composition: compositionDocument(stored), text: whole }),
  text: ({ stored, text: whole }, page) => whole?.trimEnd() ?? compositionText(stored, page),
});

export const compositionRebuild = command({
  name: 'composition rebuild',
  summary: 'Make a composition again, of what its sessions are today',
  details: ['The same request, today’s versions; it tells what changed. What it was before goes to the trash.'],
  input: {
    name,
    format: option(formats, 'F', 'md, jsonl or both, from now on'),
    budget: option(tokens, 'N', 'Another budget, from now on'),
  },
  examples: ['composition rebuild feature-x', 'composition rebuild feature-x --budget 32k'],
  run: async ({ name: { projectId, record }, format, budget }, { memory, onProgress, signal }) =>
    memory.compositions.rebuild(
      projectId,
      record.name,
      { ...(format && { outputFormat: format }), ...(budget && { totalTokenBudget: budget }) },
      { onProgress, signal },
    ),
  json: (rebuilt) => ({
    ...savedDocument(rebuilt),
    changes: rebuilt.changes,
    tokensBefore: rebuilt.tokensBefore,
  }),
  text(rebuilt, page) {
    const { changes, tokensBefore, record } = rebuilt;
    const changed = changes.filter(({ change }) => change !== 'same');
    return [
      savedText(rebuilt, 'rebuilt', page),
      '',
      changed.length === 0
        ? 'Nothing has changed.'
        : `${page.exact(tokensBefore)} → ${page.exact(record.totalTokens)} tokens`,
      changed.map(({ sessionId, change, before, after }) => {
        const versions =
          change === 'changed' ? `${before.join('+')} → ${after.join('+')}` : [...before, ...after].join('+');
        return `  ${shortId(sessionId)}  ${change}: ${versions}`;
      }),
    ];
  },
});

export const compositionDiff = command({
  name: 'composition diff',
  summary: 'Compare two compositions: their sessions, keepits and texts',
  input: {
    a: argument(composition, 'the name of the one'),
    b: argument(composition, 'the name of the other'),
  },
  examples: ['composition diff feature-x feature-y', 'composition diff feature-x feature-y --json'],
  run({ a, b }, { memory }) {
    const place = ({ projectId, record }: StoredComposition) => ({ projectId, name: record.name });
    return memory.compositions.compare(place(a), place(b));
  },
  text({ a, b, onlyInA, onlyInB, changed, same, keepits, patch }, page) {
    const { strong, quiet, good, bad, exact, plural } = page;
    const sized = ({ versions, tokens: size, fidelity }: ComparedComponent): string =>
      `${versions.join(' + ')}  ${joinParts([`${exact(size)} tokens`, fidelity !== undefined && `fidelity ${fidelityText(fidelity)}`])}`;
    const session = (one: ComparedComponent): string => ` ${shortId(one.sessionId)}  ${sized(one)}`;
    const keepit = ({ weight, content }: ComparedKeepit): string =>
      ` ${weight.toFixed(2)} ${oneLine(content, LINE_LENGTH)}`;
    const end = (one: CompositionDiff['a']): string =>
      `${one.name} (${joinParts([`${exact(one.tokens)} tokens`, one.keeps !== undefined && keepsText(one.keeps)])})`;
    const [minus, plus] = [`  ${bad('-')}`, `  ${good('+')}`];
    return [
      strong(`${end(a)} → ${end(b)}`),
      onlyInA.map((one) => minus + session(one)),
      onlyInB.map((one) => plus + session(one)),
      changed.map(({ before, after }) => `  ~${session(before)} → ${sized(after)}`),
      same > 0 && quiet(`  ${plural(same, 'session')} alike`),
      keepits.lost.length + keepits.gained.length > 0 && ['', strong('Keepits')],
      keepits.lost.map((one) => minus + keepit(one)),
      keepits.gained.map((one) => plus + keepit(one)),
      '',
      patch === '' ? 'Their texts are the same.' : patchLines(patch, page),
    ];
  },
});

function patchLines(patch: string, { accent, good, bad }: Page): string[] {
  return cleanLines(patch.trimEnd())
    .filter((line) => !/^(?:=+|Index: .*)$/.test(line))
    .map((line) => {
      if (line.startsWith('@@')) return accent(line);
      return line.startsWith('-') ? bad(line) : line.startsWith('+') ? good(line) : line;
    });
}

export const compositionRename = command({
  name: 'composition rename',
  summary: 'Give a composition another name',
  input: { name, newName: argument(text, 'what it is to be called') },
  examples: ['composition rename feature-x feature-y'],
  run: async ({ name: { projectId, record }, newName }, { memory }) => ({
    was: record.name,
    renamed: await memory.compositions.rename(projectId, record.name, newName),
  }),
  json: ({ renamed }) => ({ composition: compositionDocument(renamed) }),
  text: ({ was, renamed }, { good }) => `${good('✓ renamed')}  ${was} is now ${renamed.record.name}`,
});

export const compositionDelete = command({
  name: 'composition delete',
  summary: 'Move a composition to the trash',
  details: ['On a terminal it asks first. Sessions and versions stay.'],
  input: { name, yes },
  examples: ['composition delete feature-x', 'composition delete feature-x --yes --json'],
  async run({ name: { projectId, record } }, context) {
    await agreeToDelete(`Move the composition ${record.name} to the trash?`, record.name, context);
    const { trash } = await context.memory.compositions.delete(projectId, record.name);
    return {
      deleted: { projectId, name: record.name, trash },
      undo: `keepit composition restore ${trash} --project ${projectId}`,
    };
  },
  text: ({ deleted, undo }, { good }) => [`${good('✓ removed')}  ${deleted.name}`, `To undo: ${undo}`],
});

export const compositionRestore = command({
  name: 'composition restore',
  summary: 'Bring back a composition that was removed or replaced',
  input: { trash: argument(text, 'the name that was printed when it was removed') },
  examples: ['composition restore 2026-01-20T10-00-00-000Z-feature-x-composition --project .'],
  run: async ({ trash }, { scope, memory }) => memory.compositions.restore(await scope.onlyProject(), trash),
  json: (restored) => ({ composition: compositionDocument(restored) }),
  text: ({ record }, { good }) => `${good('✓ restored')}  ${record.name}`,
});

const targets = deliveryTargetSchema.options.filter((target) => target !== 'clipboard');

export const deliver = command({
  name: 'deliver',
  summary: 'Hand a composition over to Claude Code',
  details: [
    '`resume` writes a transcript of its own and prints the command that resumes it: run it in the project’s folder. `next-session` arms the composition: the SessionStart hook hands it to the next session of the project, once. `stdout` prints the text, `file` writes it.',
    '`keepit arrived` tells afterwards whether a session got it.',
  ],
  input: {
    name,
    to: needed(oneOf(targets), 'TARGET', targets.join(', '), 'resume'),
    out: option(file, 'F', 'With --to file: where the Markdown is written; never over a file that says something else'),
  },
  examples: [
    'deliver feature-x --to resume',
    'deliver feature-x --to next-session',
    'deliver feature-x --to stdout | claude -p "Go on with this"',
    'deliver feature-x --to file --out context.md',
  ],
  check({ to, out }, wrong) {
    if ((to === 'file') !== (out !== undefined)) throw wrong('--to file and --out FILE belong together.');
  },
  async run({ name: { projectId, record }, to, out }, { memory }) {
    const takeBack = out && (await writeNew(out, await memory.compositions.text(projectId, record.name, 'markdown')));
    return memory.compositions.deliver(projectId, record.name, to, { file: out }).catch(async (error: unknown) => {
      if (takeBack) await takeBack();
      throw error;
    });
  },
  json: ({ armed, ...delivered }) => ({
    delivered: armed === undefined ? delivered : { ...delivered, isWhole: armed.rest === undefined },
  }),
  text({ to, tokens: size, file: written = '', command: line, armed, text: whole = '' }, page, { name: { record } }) {
    if (to === 'stdout') return whole.trimEnd();
    const done = `${page.good('✓ delivered')}  ${record.name}  ${page.exact(size)} tokens`;
    if (line !== undefined) return [done, '', '  Run this in the project’s folder:', `  ${page.accent(line)}`];
    if (armed === undefined) return `${done}  ${written}`;
    return [
      `${done}  waits for the next session of this project`,
      armed.rest !== undefined &&
        '  It is told what is marked, where the work stands, and which file has the whole, which is too long for a hook. `--to resume` brings all of it.',
    ];
  },
});

export const arrived = command({
  name: 'arrived',
  summary: 'Tell whether a composition reached a session',
  details: [
    'Looks into the sessions that were written to since it was handed over: for the line with its id in what was sent or put in by a hook, and for its records where a session goes on from them.',
  ],
  input: { name },
  examples: ['arrived feature-x', 'arrived feature-x --json'],
  run: async ({ name: { projectId, record } }, { memory, signal }) =>
    memory.compositions.arrived(projectId, record.name, signal),
  text({ arrived: has, sessionId = '', evidence }, { quiet, bad, good, accent }) {
    if (has === 'unknown') return `${quiet('? not known')}  ${evidence}`;
    return has ? `${good('✓ arrived')}  ${accent(sessionId)}  ${evidence}` : `${bad('✗ did not arrive')}  ${evidence}`;
  },
});

export const disarm = command({
  name: 'disarm',
  summary: 'Let the next session start without the composition that waits for it',
  examples: ['disarm', 'disarm --project ~/code/tidewatch'],
  async run(_input, { scope, memory }) {
    const projectId = await scope.onlyProject();
    return { disarmed: await memory.compositions.disarm(projectId), projectId };
  },
  text: ({ disarmed, projectId }, { good }) =>
    disarmed ? `${good('✓ disarmed')}  ${projectId}` : 'Nothing was waiting.',
});

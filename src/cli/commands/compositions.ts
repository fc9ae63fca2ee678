import path from 'node:path';
import type { RebuildResult, StoredComposition } from '../../core/compositions/compositions';
import { formatAge, formatCount, joinParts, shortId, timeOf } from '../../core/text/formats';
import { CliFailure } from '../cliErrors';
import {
  mayDelete,
  type ArgumentSpec,
  type Command,
  type Page,
  namedComposition,
  flag,
  valued,
  writeNew,
} from '../command';
import { renderTable, type Cell, type Column, type Tone } from '../terminal';
import type { ComparedComponent, ComparedKeepit, CompositionDiff } from '../../core/compositions/compositionDiff';
import { keepsText } from '../../core/compositions/view/compositionTexts';
import { cleanLines, oneLine } from '../../core/text/cleanText';
import { fidelityText } from '../../core/versions/view/versionTexts';
import type { Delivered } from '../../core/compositions/deliveries';
import { deliveryTargetSchema } from '../../core/model/composition';
import type { CommandInput } from '../commandInput';
import { compositionDocument } from '../../core/compositions/compositionDocument';
import { compositionText, answerOf, formatOf, tokensOf } from './compose';

const nameArgument: ArgumentSpec = { name: 'name', help: 'its name, as `compositions` prints it', arity: 'one' };

const columns: readonly Column[] = [
  { title: 'Composition' },
  { title: 'Made', align: 'right' },
  { title: 'Tokens', align: 'right' },
  { title: 'Sessions', align: 'right' },
  { title: 'Used', align: 'right' },
  { title: 'Project' },
  { title: 'Sources', isFlexible: true },
];

export const compositions: Command = {
  name: 'compositions',
  group: 'Compositions',
  summary: 'List the compositions, and whether their sources have changed since',
  examples: ['compositions', 'compositions --all-projects --json'],
  async run(_input, { scope, memory }) {
    const projectId = await scope.projectId();
    const all = await memory.compositions.list(projectId);
    return {
      json: { compositions: all.map(compositionDocument) },
      text: (page) => listText(all, projectId === undefined, page),
    };
  },
};

export const compositionShow: Command = {
  name: 'composition show',
  group: 'Compositions',
  summary: 'Show what a composition is made of, or its text',
  details: ['With --format the text itself is printed, as it is.'],
  args: [nameArgument],
  options: { format: valued('F', 'md or jsonl: print the text') },
  examples: ['composition show feature-x', 'composition show feature-x --format md'],
  async run(input, context) {
    const format = formatOf(input);
    if (format === 'both') throw input.wrong('--format is md or jsonl here.');
    const stored = await namedComposition(input.required(0), context);
    if (format === undefined) {
      return { json: { composition: compositionDocument(stored) }, text: (page) => compositionText(stored, page) };
    }
    const text = await context.memory.compositions.text(stored.projectId, stored.record.name, format);
    return { json: { composition: compositionDocument(stored), text }, text: () => text.trimEnd() };
  },
};

export const compositionRebuild: Command = {
  name: 'composition rebuild',
  group: 'Compositions',
  summary: 'Make a composition again, of what its sessions are today',
  details: ['The same request, today’s versions; it tells what changed. What it was before goes to the trash.'],
  args: [nameArgument],
  options: {
    format: valued('F', 'md, jsonl or both, from now on'),
    budget: valued('N', 'Another budget, from now on'),
  },
  examples: ['composition rebuild feature-x', 'composition rebuild feature-x --budget 32k'],
  async run(input, context) {
    const { projectId, record } = await namedComposition(input.required(0), context);
    const [outputFormat, totalTokenBudget] = [formatOf(input), tokensOf(input, 'budget')];
    const { onProgress, signal } = context;
    const rebuilt = await context.memory.compositions.rebuild(
      projectId,
      record.name,
      {
        ...(outputFormat !== undefined && { outputFormat }),
        ...(totalTokenBudget !== undefined && { totalTokenBudget }),
      },
      { onProgress, signal },
    );
    const answer = answerOf(rebuilt, 'rebuilt');
    const { changes, tokensBefore } = rebuilt;
    return {
      json: { ...answer.json, changes, tokensBefore },
      text: (page) => [answer.text(page), '', ...changeLines(rebuilt, page)].join('\n'),
    };
  },
};

export const compositionDiff: Command = {
  name: 'composition diff',
  group: 'Compositions',
  summary: 'Compare two compositions: their sessions, keepits and texts',
  args: [
    { name: 'a', help: 'the name of the one', arity: 'one' },
    { name: 'b', help: 'the name of the other', arity: 'one' },
  ],
  examples: ['composition diff feature-x feature-y', 'composition diff feature-x feature-y --json'],
  async run(input, context) {
    const [a, b] = [
      await namedComposition(input.required(0), context),
      await namedComposition(input.required(1), context),
    ];
    const place = ({ projectId, record }: StoredComposition) => ({ projectId, name: record.name });
    const compared = await context.memory.compositions.compare(place(a), place(b));
    return { json: compared, text: (page) => diffText(compared, page) };
  },
};

export const compositionRename: Command = {
  name: 'composition rename',
  group: 'Compositions',
  summary: 'Give a composition another name',
  args: [nameArgument, { name: 'newName', help: 'what it is to be called', arity: 'one' }],
  examples: ['composition rename feature-x feature-y'],
  async run(input, context) {
    const { projectId, record } = await namedComposition(input.required(0), context);
    const renamed = await context.memory.compositions.rename(projectId, record.name, input.required(1));
    return {
      json: { composition: compositionDocument(renamed) },
      text: ({ style }) => `${style.paint('good', '✓ renamed')}  ${record.name} is now ${renamed.record.name}`,
    };
  },
};

export const compositionDelete: Command = {
  name: 'composition delete',
  group: 'Compositions',
  summary: 'Move a composition to the trash',
  details: ['On a terminal it asks first. Sessions and versions stay.'],
  args: [nameArgument],
  options: { yes: flag('Do not ask', 'y') },
  examples: ['composition delete feature-x', 'composition delete feature-x --yes --json'],
  async run(input, context) {
    const { projectId, record } = await namedComposition(input.required(0), context);
    const question = (): string => `Move the composition ${record.name} to the trash?`;
    if (!(await mayDelete(question, input, context))) throw new CliFailure('kept', record.name);
    const { trash } = await context.memory.compositions.delete(projectId, record.name);
    const undo = `keepit composition restore ${trash} --project ${projectId}`;
    return {
      json: { deleted: { projectId, name: record.name, trash }, undo },
      text: ({ style }) => `${style.paint('good', '✓ removed')}  ${record.name}\nTo undo: ${undo}`,
    };
  },
};

export const compositionRestore: Command = {
  name: 'composition restore',
  group: 'Compositions',
  summary: 'Bring back a composition that was removed or replaced',
  args: [{ name: 'trash', help: 'the name that was printed when it was removed', arity: 'one' }],
  examples: ['composition restore 2026-01-20T10-00-00-000Z-feature-x-composition --project .'],
  async run(input, context) {
    const projectId = await context.scope.projectId();
    if (projectId === undefined) throw input.wrong('Say of which project: --project PATH.');
    const restored = await context.memory.compositions.restore(projectId, input.required(0));
    return {
      json: { composition: compositionDocument(restored) },
      text: ({ style }) => `${style.paint('good', '✓ restored')}  ${restored.record.name}`,
    };
  },
};

function diffText({ a, b, onlyInA, onlyInB, changed, same, keepits, patch }: CompositionDiff, page: Page): string {
  const { style, formats } = page;
  const sized = ({ tokens, fidelity }: ComparedComponent): string =>
    joinParts([`${formats.exact(tokens)} tokens`, fidelity === undefined ? '' : `fidelity ${fidelityText(fidelity)}`]);
  const session = (one: ComparedComponent, tone: Tone, sign: string): string =>
    `  ${style.paint(tone, sign)} ${shortId(one.sessionId)}  ${one.versions.join(' + ')}  ${sized(one)}`;
  const keepit = ({ weight, content }: ComparedKeepit, tone: Tone, sign: string): string =>
    `  ${style.paint(tone, sign)} ${weight.toFixed(2)} ${oneLine(content, LINE_LENGTH)}`;
  const end = ({ name, tokens, keeps }: CompositionDiff['a']): string =>
    `${name} (${joinParts([`${formats.exact(tokens)} tokens`, keeps === undefined ? '' : keepsText(keeps)])})`;
  return [
    style.paint('strong', `${end(a)} → ${end(b)}`),
    ...onlyInA.map((one) => session(one, 'bad', '-')),
    ...onlyInB.map((one) => session(one, 'good', '+')),
    ...changed.map(
      ({ before, after }) =>
        `  ~ ${shortId(after.sessionId)}  ${before.versions.join(' + ')}  ${sized(before)} → ${after.versions.join(' + ')}  ${sized(after)}`,
    ),
    ...(same === 0 ? [] : [style.paint('quiet', `  ${formats.plural(same, 'session')} alike`)]),
    ...(keepits.lost.length + keepits.gained.length === 0 ? [] : ['', style.paint('strong', 'Keepits')]),
    ...keepits.lost.map((one) => keepit(one, 'bad', '-')),
    ...keepits.gained.map((one) => keepit(one, 'good', '+')),
    '',
    patch === '' ? 'Their texts are the same.' : patchLines(patch, page).join('\n'),
  ].join('\n');
}

function patchLines(patch: string, { style }: Page): string[] {
  return cleanLines(patch.trimEnd())
    .filter((line) => !/^(?:=+|Index: .*)$/.test(line))
    .map((line) => {
      if (line.startsWith('@@')) return style.paint('accent', line);
      return line.startsWith('-') ? style.paint('bad', line) : line.startsWith('+') ? style.paint('good', line) : line;
    });
}

const LINE_LENGTH = 160;

function listText(all: readonly StoredComposition[], isMixed: boolean, page: Page): string {
  if (all.length === 0)
    return 'There are no compositions here. `keepit compose --name NAME --budget 16k --last 5` makes one.';
  const rows = all.map((one) => listCells(one, isMixed, page));
  return renderTable(columns, rows, { style: page.style, width: page.width }).join('\n');
}

function listCells(
  { projectId, record, freshness }: StoredComposition,
  isMixed: boolean,
  { nowMs, formats }: Page,
): Cell[] {
  const builtMs = timeOf(record.builtAt ?? record.createdAt);
  const sessions = new Set(record.components.map(({ sessionId }) => sessionId)).size;
  const reasons = freshness.isFresh ? 'as they were' : joinParts(freshness.reasons);
  return [
    { text: record.name, tone: 'accent' },
    { text: builtMs === undefined ? '' : formatAge(builtMs, nowMs) },
    { text: formatCount(record.totalTokens) },
    { text: formats.exact(sessions) },
    { text: record.usedInSessions.length === 0 ? '' : formats.exact(record.usedInSessions.length) },
    { text: isMixed ? projectId : '' },
    { text: reasons, tone: freshness.isFresh ? 'quiet' : 'warning' },
  ];
}

function changeLines({ changes, tokensBefore, record }: RebuildResult, { formats }: Page): string[] {
  const changed = changes.filter(({ change }) => change !== 'same');
  if (changed.length === 0) return ['Nothing has changed.'];
  return [
    `${formats.exact(tokensBefore)} → ${formats.exact(record.totalTokens)} tokens`,
    ...changed.map(({ sessionId, change, before, after }) => {
      const versions =
        change === 'changed' ? `${before.join('+')} → ${after.join('+')}` : [...before, ...after].join('+');
      return `  ${shortId(sessionId)}  ${change}: ${versions}`;
    }),
  ];
}

const targets = deliveryTargetSchema.options.filter((target) => target !== 'clipboard');

export const deliver: Command = {
  name: 'deliver',
  group: 'Compositions',
  summary: 'Hand a composition over to Claude Code',
  details: [
    '`resume` writes a transcript of its own and prints the command that resumes it: run it in the project’s folder. `next-session` arms the composition: the SessionStart hook hands it to the next session of the project, once. `stdout` prints the text, `file` writes it.',
    '`keepit arrived` tells afterwards whether a session got it.',
  ],
  args: [{ name: 'name', help: 'its name, as `compositions` prints it', arity: 'one' }],
  options: {
    to: valued('TARGET', targets.join(', ')),
    out: valued('F', 'With --to file: where the Markdown is written; never over a file that is there'),
  },
  examples: [
    'deliver feature-x --to resume',
    'deliver feature-x --to next-session',
    'deliver feature-x --to stdout | claude -p "Go on with this"',
    'deliver feature-x --to file --out context.md',
  ],
  async run(input, context) {
    const to = targetOf(input);
    const out = input.text('out');
    if ((to === 'file') !== (out !== undefined)) throw input.wrong('--to file and --out FILE belong together.');
    const { projectId, record } = await namedComposition(input.required(0), context);
    const { text, deliver } = context.memory.compositions;
    const file = out === undefined ? undefined : path.resolve(out);
    const takeBack =
      file === undefined ? undefined : await writeNew(file, await text(projectId, record.name, 'markdown'));
    const delivered = await deliver(projectId, record.name, to, { file }).catch(async (error: unknown) => {
      await takeBack?.();
      throw error;
    });
    return { json: { delivered: jsonOf(delivered) }, text: (page) => deliveredText(delivered, record.name, page) };
  },
};

export const arrived: Command = {
  name: 'arrived',
  group: 'Compositions',
  summary: 'Tell whether a composition reached a session',
  details: [
    'Looks into the sessions that were written to since it was handed over: for the line with its id in what was sent or put in by a hook, and for its records where a session goes on from them.',
  ],
  args: [{ name: 'name', help: 'its name, as `compositions` prints it', arity: 'one' }],
  examples: ['arrived feature-x', 'arrived feature-x --json'],
  async run(input, context) {
    const { projectId, record } = await namedComposition(input.required(0), context);
    const arrival = await context.memory.compositions.arrived(projectId, record.name, context.signal);
    const { sessionId, evidence } = arrival;
    return {
      json: arrival,
      text: ({ style }) => {
        if (arrival.arrived === 'unknown') return `${style.paint('quiet', '? not known')}  ${evidence}`;
        if (!arrival.arrived) return `${style.paint('bad', '✗ did not arrive')}  ${evidence}`;
        return `${style.paint('good', '✓ arrived')}  ${style.paint('accent', sessionId ?? '')}  ${evidence}`;
      },
    };
  },
};

export const disarm: Command = {
  name: 'disarm',
  group: 'Compositions',
  summary: 'Let the next session start without the composition that waits for it',
  examples: ['disarm', 'disarm --project ~/code/tidewatch'],
  async run(input, { scope, memory }) {
    const projectId = await scope.projectId();
    if (projectId === undefined) throw input.wrong('Say of which project: --project PATH.');
    const disarmed = await memory.compositions.disarm(projectId);
    return {
      json: { disarmed, projectId },
      text: ({ style }) => (disarmed ? `${style.paint('good', '✓ disarmed')}  ${projectId}` : 'Nothing was waiting.'),
    };
  },
};

function targetOf(input: CommandInput): Delivered['to'] {
  const text = input.text('to');
  if (text === undefined) throw input.wrong('Say where to: --to resume.');
  const target = deliveryTargetSchema.safeParse(text);
  if (!target.success || target.data === 'clipboard') throw input.wrong(`--to is one of: ${targets.join(', ')}.`);
  return target.data;
}

function jsonOf({ armed, ...delivered }: Delivered): object {
  if (armed === undefined) return delivered;
  return { ...delivered, isWhole: armed.rest === undefined };
}

function deliveredText(delivered: Delivered, name: string, { style, formats }: Page): string {
  const { to, tokens, file, command, armed, text } = delivered;
  if (to === 'stdout') return (text ?? '').trimEnd();
  const done = `${style.paint('good', '✓ delivered')}  ${name}  ${formats.exact(tokens)} tokens`;
  if (command !== undefined)
    return [done, '', '  Run this in the project’s folder:', `  ${style.paint('accent', command)}`].join('\n');
  if (armed === undefined) return `${done}  ${file ?? ''}`;
  const whole =
    armed.rest === undefined
      ? ''
      : `\n  It is told what is marked, where the work stands, and which file has the whole, which is too long for a hook. \`--to resume\` brings all of it.`;
  return `${done}  waits for the next session of this project${whole}`;
}

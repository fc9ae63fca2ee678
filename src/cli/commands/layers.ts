import type { BuildResult } from '../../core/knowledge/layerBuilder';
import type { LayerContent, LayersStatus } from '../../core/knowledge/layersService';
import { l1Text } from '../../core/knowledge/layerDocuments';
import { foreignText, NOTHING_FOREIGN, type ForeignFound } from '../../core/knowledge/foreignFiles';
import { oneLine } from '../../core/text/cleanText';
import { errorText } from '../../core/text/keepitError';
import { formatBytes, shortId } from '../../core/text/formats';
import { type Answer, type Command, type Page, flag, valued } from '../command';
import { CliFailure } from '../cliErrors';
import { projectOf, rememberedText } from '../projectOf';
import { renderFields } from '../terminal';
import { failedLines, failureOf } from './registering';

const LINE = 200;
const ARCHIVE_DAYS = 30;

export const layers: Command = {
  name: 'layers',
  group: 'Knowledge',
  summary: 'Tell where the layers of a project are, and whether they are enabled',
  details: [
    'Layers are what a project knows: L1 what was said, L2 requests with what came of them, L3 what they were about, L4 facts: rules, solutions, core logic.',
  ],
  examples: ['layers', 'layers --project ~/src/app --json'],
  async run(_input, { scope, memory }) {
    const projectId = await projectOf(scope);
    return statusAnswer(await memory.layers.status(projectId), await memory.layers.foreign(projectId));
  },
};

export const layersEnable: Command = {
  name: 'layers enable',
  group: 'Knowledge',
  summary: 'Let Keepit write the layers of a project',
  details: [
    'From now on the sessions of this project are kept and layered by themselves; those that there are already are taken in at once. Says what will be written and where, and on a terminal asks first. In a git repository the folder is put into .git/info/exclude, unless it is to be shared. `keepit layers disable` undoes it.',
  ],
  options: {
    location: valued('project|home', 'In <project>/.claude/memory, or in the store'),
    shared: flag('Let git see the files'),
    'dry-run': flag('Only say what would be done'),
    yes: flag('Do not ask', 'y'),
  },
  examples: ['layers enable', 'layers enable --location home --yes', 'layers enable --dry-run --json'],
  async run(input, { scope, memory, confirm, onProgress, signal }) {
    const { projectId, folder } = await scope.projectHere();
    const options = {
      location: input.oneOf('location', ['project', 'home']),
      shared: input.has('shared') || undefined,
      folder,
    };
    const status = await memory.layers.status(projectId, options);
    const found = await memory.layers.foreign(projectId, options);
    if (input.has('dry-run')) return statusAnswer(status, found);
    if (status.problem === undefined && confirm !== undefined && !input.has('yes')) {
      const there = foreignText(found);
      const told = there === undefined ? '' : `Found there, and not from you: ${there}. No session is told of it.\n`;
      if (!(await confirm(`${told}Write layers to ${status.dir}?`))) throw new CliFailure('kept', projectId);
    }
    const remembered = await memory.layers.remember(projectId, options, onProgress, signal);
    const answer = statusAnswer(remembered.status, found);
    const { registered, built } = remembered;
    return {
      json: { ...answer.json, registered, exchanges: built.exchanges, facts: built.facts },
      text: (page) => [answer.text(page), rememberedText(remembered, page)].join('\n'),
    };
  },
};

export const layersDisable: Command = {
  name: 'layers disable',
  group: 'Knowledge',
  summary: 'Write nothing more for a project',
  details: ['What was written stays, and git sees it again.'],
  examples: ['layers disable'],
  async run(_input, { scope, memory }) {
    return statusAnswer(await memory.layers.disable(await projectOf(scope)), NOTHING_FOREIGN);
  },
};

export const layersBuild: Command = {
  name: 'layers build',
  group: 'Knowledge',
  summary: 'Bring the layers up to date',
  details: [
    'Reads what is new since the last time: every message is taken in once, however often this is called. No model is asked.',
  ],
  options: {
    session: valued('SESSION', 'Only this session'),
    full: flag('Read everything again'),
  },
  examples: ['layers build', 'layers build --session e3580bc6', 'layers build --full --json'],
  async run(input, { scope, memory, onProgress, signal }) {
    const word = input.text('session');
    const ref = word === undefined ? undefined : await scope.session(word, signal);
    const projectId = ref?.projectId ?? (await projectOf(scope));
    const request = { full: input.has('full'), refs: ref && [ref] };
    return buildAnswer(await memory.layers.build(projectId, request, onProgress, signal));
  },
};

export const layersShow: Command = {
  name: 'layers show',
  group: 'Knowledge',
  summary: 'Print a layer',
  details: [
    'l1 what was said, l2 exchanges, l3 concepts, l4 facts.json as it is; `keepit facts` shows facts for people.',
  ],
  args: [{ name: 'layer', help: 'l1, l2, l3 or l4', arity: 'one' }],
  options: { session: valued('SESSION', 'For l1 and l2: only this session') },
  examples: ['layers show l3', 'layers show l1 --session e3580bc6'],
  async run(input, { scope, memory, signal }) {
    const layer = input.required(0).toLowerCase();
    if (layer !== 'l1' && layer !== 'l2' && layer !== 'l3' && layer !== 'l4') {
      throw input.wrong('The layer is one of l1, l2, l3, l4.');
    }
    const word = input.text('session');
    const ref = word === undefined ? undefined : await scope.session(word, signal);
    const projectId = ref?.projectId ?? (await projectOf(scope));
    const content = await memory.layers.layer(projectId, layer, ref?.sessionId);
    return { json: content, text: (page) => contentText(content, page), notice: foreignNotice(content) };
  },
};

export const layersRefineAll: Command = {
  name: 'layers refine-all',
  group: 'Knowledge',
  summary: "Layer another tool's raw transcripts",
  details: ['Those in sessions/*.raw.jsonl beside the layers. They stay where they are.'],
  examples: ['layers refine-all'],
  async run(_input, { scope, memory, onProgress, signal }) {
    return buildAnswer(await memory.layers.refineAll(await projectOf(scope), onProgress, signal));
  },
};

export const layersDedupe: Command = {
  name: 'layers dedupe',
  group: 'Knowledge',
  summary: 'Move L1 files away that hold nothing of their own',
  details: [
    'The largest of several stays. The others go to sessions/archive; files of known sessions are not touched.',
  ],
  examples: ['layers dedupe'],
  async run(_input, { scope, memory }) {
    return movedAnswer(await memory.layers.dedupe(await projectOf(scope)));
  },
};

export const layersArchive: Command = {
  name: 'layers archive',
  group: 'Knowledge',
  summary: 'Move old L1 and L2 files to the archive',
  details: ['They are read and shown there just the same.'],
  options: { days: valued('N', `Those last written N days ago, ${ARCHIVE_DAYS} unless told`) },
  examples: ['layers archive', 'layers archive --days 90'],
  async run(input, { scope, memory }) {
    const days = input.count('days') ?? ARCHIVE_DAYS;
    return movedAnswer(await memory.layers.archive(await projectOf(scope), days));
  },
};

function statusAnswer(status: LayersStatus, found: ForeignFound): Answer {
  const { facts, notes, sessions } = found;
  const foreign = { facts: facts.length, notes: notes.map(({ room, name }) => ({ room, name })), sessions };
  return { json: { ...status, foreign }, text: (page) => statusText(status, found, page) };
}

const problems = { 'no-folder': 'its folder is not there', 'not-writable': 'it cannot be written to' } as const;

function statusText(status: LayersStatus, found: ForeignFound, { style }: Page): string {
  const there = foreignText(found);
  const git =
    status.excludeFile === undefined
      ? undefined
      : status.isShared
        ? 'sees the files'
        : `${status.excludeLine ?? ''} ${status.isExcluded ? 'is in' : 'goes into'} ${status.excludeFile}; ${status.notebook.excludeLine ?? ''} too, with the first note`;
  return [
    status.isEnabled ? style.paint('good', '✓ enabled') : 'Not enabled: nothing is written for this project.',
    ...renderFields(
      [
        ['Folder', status.dir],
        ['Files', status.files.join(', ')],
        ['Notebook', status.notebook.dir],
        ['Files', status.notebook.files.join(', ')],
        ['Git', git],
        ['Problem', status.problem && problems[status.problem]],
      ],
      { style },
    ),
    ...(there === undefined
      ? []
      : [
          `${style.paint('warning', 'Found in this project, not from you')}: ${there}. No session is told of it.`,
          'To see and accept it: keepit facts, keepit notebook accept, keepit memory migrate-legacy',
        ]),
    ...(status.isEnabled ? [] : ['To enable: keepit layers enable']),
  ].join('\n');
}

function buildAnswer(result: BuildResult): Answer {
  const failed = result.failed.map(({ session, error }) => ({ session, error: errorText(error) }));
  const json = { ...result, failed };
  return { json, text: (page) => buildText(result, failed, page), failure: failureOf(failed) };
}

function buildText(
  { layered, unchanged, exchanges, concepts, facts }: BuildResult,
  failed: readonly { session: string; error: string }[],
  page: Page,
): string {
  const { style, formats } = page;
  const lines = layered.map(({ sessionId, l1, lines: count, sourceBytes, l1Bytes }) => {
    const size = `${formatBytes(sourceBytes)} → ${formatBytes(l1Bytes)}`;
    return `${style.paint('good', '✓ layered')}  ${style.paint('accent', shortId(sessionId))}  ${l1}  ${style.paint('quiet', `${formats.plural(count, 'line')}, ${size}`)}`;
  });
  if (unchanged > 0) lines.push(style.paint('quiet', `${formats.plural(unchanged, 'session')} without anything new`));
  lines.push(...failedLines(failed, page));
  const counted = [
    formats.plural(exchanges, 'exchange'),
    formats.plural(concepts, 'concept'),
    formats.plural(facts.rules, 'rule'),
    formats.plural(facts.solutions, 'solution'),
    `${formats.exact(facts.core_logic)} of core logic`,
  ];
  return [...lines, counted.join(' · ')].join('\n');
}

/** What stands in the document for a person to look at, and is not theirs. */
function foreignNotice(content: LayerContent): string | undefined {
  const foreign = content.layer === 'l4' ? content.facts.proposed.filter(({ origin }) => origin !== undefined) : [];
  if (foreign.length === 0) return undefined;
  return `${foreign.length} of what is proposed has the origin "foreign": found in this project, not from you. \`keepit facts\` lists it.`;
}

function contentText(content: LayerContent, { style, formats }: Page): string {
  if (content.layer === 'l1')
    return content.sessions
      .map(({ entries }) => l1Text(entries))
      .join('')
      .trimEnd();
  if (content.layer === 'l4') return JSON.stringify(content.facts, undefined, 2);
  if (content.layer === 'l3') {
    const shown = content.concepts.map(
      ({ id, name, exchanges, files, keywords, updated }) =>
        `${style.paint('accent', id)}  ${style.paint('strong', oneLine(name, LINE))}  ${style.paint('quiet', `${formats.plural(exchanges.length, 'exchange')} · ${updated}`)}\n  ${oneLine([...keywords, ...files].join(', '), LINE)}`,
    );
    return shown.length === 0 ? 'There are no concepts yet.' : shown.join('\n');
  }
  const exchanges = content.sessions.flatMap((session) => session.exchanges);
  if (exchanges.length === 0) return 'There are no exchanges yet.';
  return exchanges
    .map(
      ({ id, summary, outcome, l1_range: [from, to] }) =>
        `${style.paint('accent', id)}  ${oneLine(summary, LINE)}  ${style.paint('quiet', `${outcome ?? ''} · lines ${from}–${to}`)}`,
    )
    .join('\n');
}

function movedAnswer(moved: readonly { from: string; to: string }[]): Answer {
  return {
    json: { moved },
    text: () => (moved.length === 0 ? 'Nothing to move.' : moved.map(({ from, to }) => `${from} → ${to}`).join('\n')),
  };
}

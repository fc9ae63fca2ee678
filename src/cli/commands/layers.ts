import type { BuildResult } from '../../core/knowledge/layerBuilder';
import type { LayerContent, LayersStatus } from '../../core/knowledge/layersService';
import { l1Text } from '../../core/knowledge/layerDocuments';
import type { RefineReport } from '../../core/knowledge/refinement/refinementService';
import { foreignText, NOTHING_FOREIGN, type ForeignFound } from '../../core/knowledge/foreignFiles';
import { moneyText } from '../../core/presentation/versionTexts';
import { oneLine } from '../../core/text/cleanText';
import { errorText } from '../../core/text/keepitError';
import { formatBytes, shortId } from '../../core/text/formats';
import { type Answer, type Command, type Page, flag, valued } from '../command';
import { CliFailure } from '../cliErrors';
import { maxCostOf } from '../commandInput';
import { projectOf, rememberedText } from '../projectOf';
import { renderFacts } from '../terminal';
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
  async run(_input, { scope, memory }): Promise<Answer> {
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
  async run(input, { scope, memory, confirm, onProgress, signal }): Promise<Answer> {
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
  async run(_input, { scope, memory }): Promise<Answer> {
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
  async run(input, { scope, memory, onProgress, signal }): Promise<Answer> {
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
  async run(input, { scope, memory, signal }): Promise<Answer> {
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
  async run(_input, { scope, memory, onProgress, signal }): Promise<Answer> {
    return buildAnswer(await memory.layers.refineAll(await projectOf(scope), onProgress, signal));
  },
};

const refineProviders = ['anthropic', 'claude-cli'] as const;

export const layersRefine: Command = {
  name: 'layers refine',
  group: 'Knowledge',
  summary: 'Have a model put the names and summaries of a session into better words',
  details: [
    'One question for what has none of its words yet. What it drops or invents is not taken; what Keepit says itself stays beside it.',
  ],
  args: [{ name: 'session', help: 'a session that is layered', arity: 'one' }],
  options: {
    provider: valued('NAME', refineProviders.join(', ')),
    model: valued('MODEL', 'A model, or its alias in the configuration'),
    'max-cost': valued('USD', 'Refuse to spend more'),
    'dry-run': flag('Only say what it would cost'),
    yes: flag('Do not ask before a model is paid for', 'y'),
  },
  examples: [
    'layers refine e3580bc6 --provider anthropic --dry-run',
    'layers refine e3580bc6 --provider claude-cli --max-cost 0.10',
  ],
  async run(input, { scope, memory, confirm, signal }): Promise<Answer> {
    const provider = refineProviders.find((one) => one === input.text('provider'));
    if (provider === undefined) throw input.wrong(`Name who is asked: --provider ${refineProviders.join(' or ')}.`);
    const ref = await scope.session(input.required(0), signal);
    const request = { provider, model: input.text('model'), maxCostUsd: maxCostOf(input) };
    if (input.has('dry-run')) return refineAnswer(await memory.refinement.estimate(ref, request), true);
    if (request.maxCostUsd === undefined && !input.has('yes')) {
      if (confirm === undefined) throw input.wrong('Say with --max-cost how much it may cost, or --yes.');
      const { cost } = await memory.refinement.estimate(ref, request);
      const isWanted =
        cost.calls === 0 || (await confirm(`This asks a model and costs about ${moneyText(cost.usd)}. Go on?`));
      if (!isWanted) throw new CliFailure('kept', ref.sessionId);
    }
    return refineAnswer(await memory.refinement.refine(ref, request, signal), false);
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
  async run(_input, { scope, memory }): Promise<Answer> {
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
  async run(input, { scope, memory }): Promise<Answer> {
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
    ...renderFacts(
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

function refineAnswer(report: RefineReport, isDryRun: boolean): Answer {
  const { sessionId, asked, model, cost, accepted, rejected } = report;
  const refined = accepted.map(({ item, name, summary }) => ({ id: item.id, name, summary }));
  return {
    json: { sessionId, isDryRun, asked, model, cost, refined, rejected },
    text: ({ style, formats }) => {
      const what = `${formats.plural(asked.exchanges, 'exchange')}, ${formats.plural(asked.concepts, 'concept')}`;
      if (asked.exchanges + asked.concepts === 0) return 'There is nothing that has no better words yet.';
      if (isDryRun) return `${model} would be asked about ${what}: about ${moneyText(cost.usd)}`;
      return [
        ...refined.map(
          ({ id, name, summary }) =>
            `${style.paint('accent', id)}  ${oneLine([name, summary].filter(Boolean).join(': '), LINE)}`,
        ),
        ...rejected.map(
          ({ id, reason }) => `${style.paint('accent', id)}  ${style.paint('quiet', `keeps its words: ${reason}`)}`,
        ),
        `${what} · ${model} · ${moneyText(cost.usd)}`,
      ].join('\n');
    },
  };
}

function movedAnswer(moved: readonly { from: string; to: string }[]): Answer {
  return {
    json: { moved },
    text: () => (moved.length === 0 ? 'Nothing to move.' : moved.map(({ from, to }) => `${from} → ${to}`).join('\n')),
  };
}

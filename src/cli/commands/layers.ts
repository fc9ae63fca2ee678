import type { Remembered } from '../../core/claude/remembering';
import type { BuildResult } from '../../core/knowledge/layerBuilder';
import type { LayersStatus } from '../../core/knowledge/layersService';
import { l1Text } from '../../core/knowledge/layerDocuments';
import { foreignText, NOTHING_FOREIGN, type ForeignFound } from '../../core/knowledge/foreignFiles';
import { oneLine } from '../../core/text/cleanText';
import { errorText } from '../../core/text/keepitError';
import { formatBytes, joinParts, shortId } from '../../core/text/formats';
import { agree, command, failedLines, failureOf, type Failure } from '../command';
import { argument, flag, oneOf, option, session, whole, yes } from '../fields';
import { rememberedText } from '../projectOf';
import type { Lines, Page } from '../page';

const LINE = 200;
const ARCHIVE_DAYS = 30;

interface Found {
  readonly status: LayersStatus;
  readonly found: ForeignFound;
  /** What was taken in, when it was just enabled. */
  readonly remembered?: Remembered;
}

/** How the status of layers is told. */
const told = {
  json: ({ status, found: { facts, notes, sessions }, remembered }: Found) => ({
    ...status,
    foreign: { facts: facts.length, notes: notes.map(({ room, name }) => ({ room, name })), sessions },
    registered: remembered?.registered,
    exchanges: remembered?.built.exchanges,
    facts: remembered?.built.facts,
    failed: remembered && failuresOf(remembered.built),
  }),
  text: statusText,
  failure: ({ remembered }: Found) => failureOf(remembered?.built.failed ?? []),
} as const;

export const layers = command({
  ...told,
  name: 'layers',
  summary: 'Tell where the layers of a project are, and whether they are enabled',
  details: [
    'Layers are what a project knows: L1 what was said, L2 requests with what came of them, L3 what they were about, L4 facts: rules, solutions, core logic.',
  ],
  examples: ['layers', 'layers --project ~/src/app --json'],
  async run(_input, { scope, memory }) {
    const projectId = await scope.onlyProject();
    return { status: await memory.layers.status(projectId), found: await memory.layers.foreign(projectId) };
  },
});

export const layersEnable = command({
  ...told,
  name: 'layers enable',
  summary: 'Let Keepit write the layers of a project',
  details: [
    'From now on the sessions of this project are kept and layered by themselves; those that there are already are taken in at once. Says what will be written and where, and on a terminal asks first. In a git repository the folder is put into .git/info/exclude, unless it is to be shared. `keepit layers disable` undoes it.',
  ],
  input: {
    location: option(oneOf(['project', 'home']), 'project|home', 'In <project>/.claude/memory, or in the store'),
    shared: flag('Let git see the files'),
    dryRun: flag('Only say what would be done'),
    yes,
  },
  examples: ['layers enable', 'layers enable --location home --yes', 'layers enable --dry-run --json'],
  async run({ location, shared, dryRun }, context): Promise<Found> {
    const { scope, memory, onProgress, signal } = context;
    const { projectId, folder } = await scope.projectHere();
    const options = { location, shared: shared || undefined, folder };
    const status = await memory.layers.status(projectId, options);
    const found = await memory.layers.foreign(projectId, options);
    if (dryRun) return { status, found };
    if (status.problem === undefined) {
      const there = foreignText(found);
      const warned = there === undefined ? '' : `Found there, and not from you: ${there}. No session is told of it.\n`;
      await agree(`${warned}Write layers to ${status.dir}?`, projectId, context);
    }
    const remembered = await memory.layers.remember(projectId, options, onProgress, signal);
    return { status: remembered.status, found, remembered };
  },
});

export const layersDisable = command({
  ...told,
  name: 'layers disable',
  summary: 'Write nothing more for a project',
  details: ['What was written stays, and git sees it again.'],
  examples: ['layers disable'],
  run: async (_input, { scope, memory }) => ({
    status: await memory.layers.disable(await scope.onlyProject()),
    found: NOTHING_FOREIGN,
  }),
});

const problems = { 'no-folder': 'its folder is not there', 'not-writable': 'it cannot be written to' } as const;

function statusText({ status, found, remembered }: Found, page: Page): Lines {
  const { isEnabled, isShared, isExcluded, excludeFile, excludeLine = '', notebook, problem } = status;
  const there = foreignText(found);
  const excluded = `${excludeLine} ${isExcluded ? 'is in' : 'goes into'} ${excludeFile ?? ''}; ${notebook.excludeLine ?? ''} too, with the first note`;
  return [
    isEnabled ? page.good('✓ enabled') : 'Not enabled: nothing is written for this project.',
    page.fields({ Folder: status.dir, Files: status.files.join(', ') }),
    page.fields({
      Notebook: notebook.dir,
      Files: notebook.files.join(', '),
      Git: excludeFile !== undefined && (isShared ? 'sees the files' : excluded),
      Problem: problem && problems[problem],
    }),
    there !== undefined && [
      `${page.warning('Found in this project, not from you')}: ${there}. No session is told of it.`,
      'To see and accept it: keepit facts, keepit notebook accept, keepit memory migrate-legacy',
    ],
    !isEnabled && 'To enable: keepit layers enable',
    remembered && [rememberedText(remembered, page), failedLines(failuresOf(remembered.built), page)],
  ];
}

/** How what was built is told. */
const building = {
  json: (result: BuildResult) => ({ ...result, failed: failuresOf(result) }),
  text(result: BuildResult, page: Page): Lines {
    const { layered, unchanged, exchanges, concepts, facts } = result;
    const { good, accent, quiet, exact, plural } = page;
    return [
      layered.map(({ sessionId, l1, lines, sourceBytes, l1Bytes }) => {
        const size = `${plural(lines, 'line')}, ${formatBytes(sourceBytes)} → ${formatBytes(l1Bytes)}`;
        return `${good('✓ layered')}  ${accent(shortId(sessionId))}  ${l1}  ${quiet(size)}`;
      }),
      unchanged > 0 && quiet(`${plural(unchanged, 'session')} without anything new`),
      failedLines(failuresOf(result), page),
      joinParts([
        plural(exchanges, 'exchange'),
        plural(concepts, 'concept'),
        plural(facts.rules, 'rule'),
        plural(facts.solutions, 'solution'),
        `${exact(facts.core_logic)} of core logic`,
      ]),
    ];
  },
  failure: ({ failed }: BuildResult) => failureOf(failed),
} as const;

function failuresOf({ failed }: BuildResult): Failure[] {
  return failed.map((one) => ({ session: one.session, error: errorText(one.error) }));
}

export const layersBuild = command({
  ...building,
  name: 'layers build',
  summary: 'Bring the layers up to date',
  details: [
    'Reads what is new since the last time: every message is taken in once, however often this is called. No model is asked.',
  ],
  input: { session: option(session, 'SESSION', 'Only this session'), full: flag('Read everything again') },
  examples: ['layers build', 'layers build --session e3580bc6', 'layers build --full --json'],
  run: async ({ session: ref, full }, { scope, memory, onProgress, signal }) =>
    memory.layers.build(
      ref?.projectId ?? (await scope.onlyProject()),
      { full, refs: ref && [ref] },
      onProgress,
      signal,
    ),
});

export const layersRefineAll = command({
  ...building,
  name: 'layers refine-all',
  summary: "Layer another tool's raw transcripts",
  details: ['Those in sessions/*.raw.jsonl beside the layers. They stay where they are.'],
  examples: ['layers refine-all'],
  run: async (_input, { scope, memory, onProgress, signal }) =>
    memory.layers.refineAll(await scope.onlyProject(), onProgress, signal),
});

export const layersShow = command({
  name: 'layers show',
  summary: 'Print a layer',
  details: [
    'l1 what was said, l2 exchanges, l3 concepts, l4 facts.json as it is; `keepit facts` shows facts for people.',
  ],
  input: {
    layer: argument(oneOf(['l1', 'l2', 'l3', 'l4']), 'l1, l2, l3 or l4'),
    session: option(session, 'SESSION', 'For l1 and l2: only this session'),
  },
  examples: ['layers show l3', 'layers show l1 --session e3580bc6'],
  run: async ({ layer, session: ref }, { scope, memory }) =>
    memory.layers.layer(ref?.projectId ?? (await scope.onlyProject()), layer, ref?.sessionId),
  text(content, { accent, strong, quiet, plural }) {
    if (content.layer === 'l4') return JSON.stringify(content.facts, undefined, 2);
    if (content.layer === 'l1')
      return content.sessions
        .flatMap(({ entries }) => l1Text(entries))
        .join('')
        .trimEnd();
    const lines =
      content.layer === 'l3'
        ? content.concepts.map(({ id, name, exchanges, files, keywords, updated }) => [
            `${accent(id)}  ${strong(oneLine(name, LINE))}  ${quiet(`${plural(exchanges.length, 'exchange')} · ${updated}`)}`,
            `  ${oneLine([...keywords, ...files].join(', '), LINE)}`,
          ])
        : content.sessions
            .flatMap(({ exchanges }) => exchanges)
            .map(
              ({ id, summary, outcome = '', l1_range: [from, to] }) =>
                `${accent(id)}  ${oneLine(summary, LINE)}  ${quiet(`${outcome} · lines ${from}–${to}`)}`,
            );
    return lines.length === 0 ? `There are no ${content.layer === 'l3' ? 'concepts' : 'exchanges'} yet.` : lines;
  },
  /** What stands in the document for a person to look at, and is not theirs. */
  notice(content) {
    const all = content.layer === 'l4' ? content.facts.proposed : [];
    const { length } = all.filter(({ origin }) => origin !== undefined);
    if (length === 0) return undefined;
    return `${length} of what is proposed has the origin "foreign": found in this project, not from you. \`keepit facts\` lists it.`;
  },
});

interface Moves {
  readonly moved: readonly { from: string; to: string }[];
}

function movedText({ moved }: Moves): Lines {
  return moved.length === 0 ? 'Nothing to move.' : moved.map(({ from, to }) => `${from} → ${to}`);
}

export const layersDedupe = command({
  name: 'layers dedupe',
  summary: 'Move L1 files away that hold nothing of their own',
  details: [
    'The largest of several stays. The others go to sessions/archive; files of known sessions are not touched.',
  ],
  examples: ['layers dedupe'],
  run: async (_input, { scope, memory }) => ({ moved: await memory.layers.dedupe(await scope.onlyProject()) }),
  text: movedText,
});

export const layersArchive = command({
  name: 'layers archive',
  summary: 'Move old L1 and L2 files to the archive',
  details: ['They are read and shown there just the same.'],
  input: { days: option(whole, 'N', `Those last written N days ago, ${ARCHIVE_DAYS} unless told`) },
  examples: ['layers archive', 'layers archive --days 90'],
  run: async ({ days = ARCHIVE_DAYS }, { scope, memory }) => ({
    moved: await memory.layers.archive(await scope.onlyProject(), days),
  }),
  text: movedText,
});

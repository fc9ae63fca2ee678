import { plural } from '../../text/formats';
import * as z from 'zod/mini';
import { cutAtWord, sentencesOf, shortened } from '../../text/sentences';
import { hash64 } from '../../text/hash64';
import { parsedJson } from '../../text/ownValue';
import { withoutSecrets } from '../../text/secrets/cleanText';
import { relativePathsIn } from '../../material/paths';
import { readStatement } from '../../material/replacing';
import { evolve, settle, type DatedPoint, type Evolution, themesOf } from './evolution';
import { FOOT, type NoteBlock, type NoteSection, type PointLabel, type ReadSummary } from './noteDocument';
import type { ProjectLook, ProjectText } from '../layerStore';

/** A summary as it is synthesized. */
export interface SourceSummary {
  /** `<session-id>.md`. */
  readonly name: string;
  /** The last day of its session. */
  readonly date: string;
  readonly summary: ReadSummary;
}

/** What all summaries say together, before it is compared with the project. */
interface Gathered {
  readonly sources: readonly SourceSummary[];
  readonly decisions: readonly DatedPoint[];
  readonly learnings: readonly DatedPoint[];
  readonly questions: readonly DatedPoint[];
  readonly changes: readonly Evolution[];
  readonly settled: readonly Evolution[];
  /** The paths that are to be looked for in the project. */
  readonly paths: readonly string[];
}

const STATUS_SUMMARIES = 3;
const SHOWN_COMMITS = 5;
const MAX_LEAD = 160;
const QUOTE = 160;

/** Puts the points of all summaries together: what holds, what changed, what is open. */
export function gather(summaries: readonly SourceSummary[]): Gathered {
  const sources = [...summaries].sort((a, b) =>
    a.date === b.date ? (a.name < b.name ? -1 : 1) : a.date < b.date ? -1 : 1,
  );
  const all = withoutDoubles(
    sources.flatMap(({ date, summary }, order) =>
      summary.points.map(({ label, text }) => ({
        key: hash64(`${label}\0${text.toLowerCase()}`),
        label,
        text,
        date,
        order,
      })),
    ),
  );
  const of = (...labels: readonly PointLabel[]): DatedPoint[] => all.filter(({ label }) => labels.includes(label));
  const { current, changes } = evolve(of('Decision', 'Rule'));
  const { current: questions, changes: settled } = settle(of('Open', 'Question'), all);
  return {
    sources,
    decisions: current,
    learnings: of('Discovery', 'Fixed'),
    questions,
    changes,
    settled,
    paths: pathsIn(current),
  };
}

/** `master.md`, in the structure of seed 002. */
export function masterNote(gathered: Gathered, look: ProjectLook, nowIso: string): NoteSection[] {
  const { sources, decisions, learnings, questions, changes, settled } = gathered;
  const differences = crossCheck(decisions, look);
  return [
    { heading: '', blocks: [{ key: 'title', text: '# Project Memory' }] },
    { heading: '## Current Status', blocks: statusBlocks(sources, look) },
    ...themed('## Key Decisions', decisions),
    ...themed('## Learnings & Discoveries', learnings),
    { heading: '## Evolution & Changes', blocks: [...changes, ...settled].map(evolutionBlock) },
    { heading: '## Active Questions', blocks: questions.map((point) => pointBlock(point)) },
    { heading: '## Differences From the Project', blocks: differences.map(differenceBlock) },
    {
      heading: FOOT,
      blocks: [{ key: 'foot', text: `*Last synthesized: ${nowIso}*\n*Source: ${sourceText(sources.length, look)}*` }],
    },
  ];
}

/** Oldest first: what is let go of when a master note has become too large. Rules and what is open stay longest. */
export function prunable({ decisions, learnings, changes, settled }: Gathered): string[] {
  const aged = [
    ...settled.map((one) => ({ key: evolutionBlock(one).key, order: one.now.order, rank: 0 })),
    ...changes.map((one) => ({ key: evolutionBlock(one).key, order: one.now.order, rank: 0 })),
    ...learnings.map(({ key, order }) => ({ key, order, rank: 0 })),
    ...decisions.map(({ key, order, label }) => ({ key, order, rank: label === 'Rule' ? 2 : 1 })),
  ];
  return aged.sort((a, b) => a.rank - b.rank || a.order - b.order).map(({ key }) => key);
}

/** Parts a note into what stays and what is let go of, each under its heading. */
export function partNote(
  sections: readonly NoteSection[],
  gone: ReadonlySet<string>,
): { kept: NoteSection[]; pruned: NoteSection[] } {
  const filtered = (isIn: (key: string) => boolean): NoteSection[] =>
    sections.map(({ heading, blocks }) => ({ heading, blocks: blocks.filter(({ key }) => isIn(key)) }));
  const pruned = filtered((key) => gone.has(key)).filter(({ heading }) => heading !== '' && heading !== FOOT);
  return {
    kept: filtered((key) => !gone.has(key)),
    pruned: [{ heading: '', blocks: [{ key: 'title', text: '# Let Go of by master.md' }] }, ...pruned],
  };
}

/** The last time that somebody said it counts. */
function withoutDoubles(points: readonly DatedPoint[]): DatedPoint[] {
  const last = new Map(points.map((point) => [point.key, point]));
  return points.filter((point) => last.get(point.key) === point);
}

function themed(heading: string, points: readonly DatedPoint[]): NoteSection[] {
  const themes = themesOf(points);
  const [only] = themes;
  if (themes.length <= 1) return [{ heading, blocks: (only?.points ?? []).map((point) => pointBlock(point)) }];
  return [
    { heading, blocks: [] },
    ...themes.map(({ name, points: about }) => ({
      heading: `### ${name}`,
      blocks: about.map((point) => pointBlock(point)),
    })),
  ];
}

function pointBlock({ key, label, text, date }: DatedPoint): NoteBlock {
  const mark = label === 'Rule' || label === 'Fixed' || label === 'Question' ? `**${label}:** ` : '';
  return { key, text: `- ${mark}${text}${date === '' ? '' : ` (${date})`}` };
}

function evolutionBlock({ before, now }: Evolution): NoteBlock {
  const steps = before.map(({ text, date }) => `“${quoted(text)}” (${date})`);
  return {
    key: `to ${now.key} ${hash64(before.map(({ key }) => key).join())}`,
    text: `- ${steps.join(' → ')} → “${quoted(now.text)}” (${now.date})`,
  };
}

function differenceBlock({ point, found }: Difference): NoteBlock {
  return {
    key: `differs ${point.key} ${hash64(found)}`,
    text: `- “${quoted(point.text)}” (${point.date}), but ${found}.`,
  };
}

function quoted(text: string): string {
  return shortened(text.replace(/[.。]$/, ''), QUOTE);
}

function statusBlocks(sources: readonly SourceSummary[], look: ProjectLook): NoteBlock[] {
  const recent = sources.slice(-STATUS_SUMMARIES).reverse();
  const blocks = recent.map(({ name, date, summary }) => {
    const status = summary.points.filter(({ label }) => label === 'Status').map(({ text }) => text);
    const told = status.length > 0 ? status.join(' ') : summary.context;
    return { key: `status ${name}`, text: `- ${date}, ${summary.title}: ${told}` };
  });
  return [...blocks, ...commitBlocks(sources, look), ...docBlocks(look)];
}

function commitBlocks(sources: readonly SourceSummary[], { commits }: ProjectLook): NoteBlock[] {
  const [latest] = commits ?? [];
  if (commits === undefined || latest === undefined) return [];
  const since = commits.filter(({ date }) => date > (sources.at(-1)?.date ?? '')).length;
  const subjects = commits.slice(0, SHOWN_COMMITS).map(({ subject }) => withoutSecrets(subject));
  const later = since === 0 ? '' : `; ${since} since the last summary`;
  return [{ key: 'commits', text: `- Last commits (${latest.date}${later}): ${subjects.join('; ')}` }];
}

function docBlocks({ docs }: ProjectLook): NoteBlock[] {
  return docs.map(({ file, text }) => {
    const [title = '', lead = ''] = sentencesOf(withoutSecrets(text));
    const told = cutAtWord(lead === '' ? title : `${title} — ${lead}`, MAX_LEAD);
    return { key: `doc ${file}`, text: `- \`${file}\`: ${told}` };
  });
}

function sourceText(conversations: number, { docs, commits }: ProjectLook): string {
  const parts = [plural(conversations, 'conversation'), plural(docs.length, 'doc')];
  return (commits === undefined ? parts : [...parts, plural(commits.length, 'commit')]).join(', ');
}

/** Where what was said and what is there are not the same. */
interface Difference {
  readonly point: DatedPoint;
  /** What is there, as the end of a sentence that begins with what was said. */
  readonly found: string;
}

const EXTENSION = /\.[a-z][a-z\d]{0,9}$/i;
const PACKAGE = /^(?:@[a-z\d][\w.-]*\/)?[a-z\d][a-z\d_.-]{1,60}$/;
const PACKAGE_WORDS =
  /(?<![\p{L}])(?:packages?|librar(?:y|ies)|dependenc(?:y|ies)|modules?|install\p{L}*|npm|pnpm|yarn|pip|cargo|crate|gem)(?![\p{L}])/iu;

const packageSchema = z.looseObject({
  name: z.optional(z.string()),
  dependencies: z.optional(z.record(z.string(), z.unknown())),
  devDependencies: z.optional(z.record(z.string(), z.unknown())),
  peerDependencies: z.optional(z.record(z.string(), z.unknown())),
  optionalDependencies: z.optional(z.record(z.string(), z.unknown())),
});

/** The paths that points speak of as being in the project. */
export function pathsIn(points: readonly DatedPoint[]): string[] {
  return [...new Set(points.flatMap(({ text }) => relativePathsIn(text)))];
}

/** Compares decisions and rules that still hold with the project's packages and files: what it says is certain, what it does not say is not. */
export function crossCheck(points: readonly DatedPoint[], look: ProjectLook): Difference[] {
  const missing = new Set(look.missing);
  const manifests = look.manifests.map(readManifest);
  return points.flatMap((point) => [
    ...packageDifferences(point, manifests).map((found) => ({ point, found })),
    ...relativePathsIn(point.text)
      .filter((path) => missing.has(path))
      .map((path) => ({ point, found: `\`${path}\` is not there` })),
  ]);
}

interface Manifest {
  readonly file: string;
  lists(name: string): boolean;
}

function readManifest({ file, text }: ProjectText): Manifest {
  const names = file.endsWith('package.json') ? packagesOf(text) : undefined;
  if (names !== undefined) return { file, lists: (name) => names.has(name) };
  const words = new Set(text.toLowerCase().split(/[^\w@./-]+/));
  return { file, lists: (name) => words.has(name) };
}

function packagesOf(text: string): Set<string> | undefined {
  const { data } = packageSchema.safeParse(parsedJson(text));
  if (data === undefined) return undefined; // being edited: its words are looked at as those of any other file
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = data;
  const all = [dependencies, devDependencies, peerDependencies, optionalDependencies];
  return new Set(all.flatMap((names) => Object.keys(names ?? {}).map((name) => name.toLowerCase())));
}

function packageDifferences({ text }: DatedPoint, manifests: readonly Manifest[]): string[] {
  const { values, forbidden } = readStatement(text);
  const rejected = [...new Set([...values.filter(({ isDenied }) => isDenied).map(({ name }) => name), ...forbidden])];
  const [first] = manifests;
  if (first === undefined) return [];
  const still = rejected.flatMap((name) => {
    const manifest = manifests.find((one) => one.lists(name));
    return manifest === undefined ? [] : [`${manifest.file} still lists \`${name}\``];
  });
  const isNamed = PACKAGE_WORDS.test(text) || still.length > 0;
  const absent = values.find(({ name, isDenied }) => !isDenied && PACKAGE.test(name) && !EXTENSION.test(name));
  const isAbsent = isNamed && absent !== undefined && !isListed(absent.name, manifests);
  return isAbsent ? [...still, `${first.file} does not list \`${absent.name}\``] : still;
}

function isListed(name: string, manifests: readonly Manifest[]): boolean {
  return manifests.some((manifest) => manifest.lists(name));
}

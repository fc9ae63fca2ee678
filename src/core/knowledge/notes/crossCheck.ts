import * as z from 'zod/mini';
import { pathTokens } from '../../material/paths';
import { choiceIn, type DatedPoint } from './evolution';
import type { ProjectLook, ProjectText } from './projectProbe';

/** Where what was said and what is there are not the same. */
export interface Difference {
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
  return [...new Set(points.flatMap(({ text }) => pathsOf(text)))];
}

/** Compares decisions and rules that still hold with the project's packages and files: what it says is certain, what it does not say is not. */
export function crossCheck(points: readonly DatedPoint[], look: ProjectLook): Difference[] {
  const missing = new Set(look.missing);
  const manifests = look.manifests.map(readManifest);
  return points.flatMap((point) => [
    ...packageDifferences(point, manifests).map((found) => ({ point, found })),
    ...pathsOf(point.text)
      .filter((path) => missing.has(path))
      .map((path) => ({ point, found: `\`${path}\` is not there` })),
  ]);
}

/** Relative, with a folder and an ending: everything else may be a way of speaking. */
function pathsOf(text: string): string[] {
  return [...pathTokens(text)].flatMap(({ token, before }) => {
    const path = token.replace(/^\.\//, '').replace(/\/$/, '');
    const isPlain = path.includes('/') && EXTENSION.test(path) && !/^[/~]|^\.\.|[*$%{}]|:\/|node_modules/.test(path);
    return isPlain && before !== '/' && before !== ':' && !/^[\w-]+\.(?:com|org|io|net|dev)\//.test(path) ? [path] : [];
  });
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
  try {
    const parsed = packageSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return undefined;
    const { dependencies, devDependencies, peerDependencies, optionalDependencies } = parsed.data;
    const all = [dependencies, devDependencies, peerDependencies, optionalDependencies];
    return new Set(all.flatMap((names) => Object.keys(names ?? {}).map((name) => name.toLowerCase())));
  } catch {
    return undefined; // being edited: its words are looked at as those of any other file
  }
}

function packageDifferences({ text }: DatedPoint, manifests: readonly Manifest[]): string[] {
  const choice = choiceIn(text);
  if (choice === undefined || manifests.length === 0) return [];
  const still = choice.rejected.flatMap((name) => {
    const manifest = manifests.find((one) => one.lists(name));
    return manifest === undefined ? [] : [`${manifest.file} still lists \`${name}\``];
  });
  const { value } = choice;
  const isNamed =
    PACKAGE.test(value) && (PACKAGE_WORDS.test(text) || choice.rejected.some((name) => isListed(name, manifests)));
  const isAbsent = isNamed && !EXTENSION.test(value) && !isListed(value, manifests);
  const [first] = manifests;
  return isAbsent && first !== undefined ? [...still, `${first.file} does not list \`${value}\``] : still;
}

function isListed(name: string, manifests: readonly Manifest[]): boolean {
  return manifests.some((manifest) => manifest.lists(name));
}

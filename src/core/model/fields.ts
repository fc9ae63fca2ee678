import * as z from 'zod/mini';

/**
 * Names that come from outside and become file names. Each is one path segment: no separator, no NUL, not
 * `.` or `..`, so that none can leave its folder. The rest is what Windows takes for a device, a stream or a
 * pattern, and the one key that means something else to a JavaScript object.
 */
const RESERVED = /^(|\.|\.\.|__proto__|(con|prn|aux|nul|com\d|lpt\d)(\..*)?)$/i;
const FORBIDDEN = /[/\\<>:"|?*\p{Cc}]|[. ]$/u;

/** Whether a name can be a single segment of a path on every file system that we support. */
export function isSafeSegment(name: string): boolean {
  return name.length <= 255 && !RESERVED.test(name) && !FORBIDDEN.test(name);
}

const segment = z.string().check(z.refine(isSafeSegment, 'must be a plain name, without a path'));

/** Claude Code's own folder name for a project, such as `-home-dac-github-myapp`. */
export const projectIdSchema = segment;

/** A session's id is its transcript's file name without `.jsonl`: a UUID for Claude Code's own. */
export const sessionIdSchema = segment;

/** `v001`, `part2_v001`. */
export const versionIdSchema = segment;

/** What the files of a version are called, without their endings. */
export const versionFileSchema = segment;

/** An ISO 8601 timestamp as Claude Code and the store write them. */
export const timestampSchema = z.string();

/** How many there are of something, or how much: no less than none. */
export const count = z.number().check(z.nonnegative());
export const optionalCount = z.optional(count);

export const text = z.string();
export const texts = z.array(text);
export const optionalText = z.optional(text);
export const optionalFlag = z.optional(z.boolean());

/** A session as a key, unique over projects. */
export function sessionKey({ projectId, sessionId }: { projectId: string; sessionId: string }): string {
  return `${projectId}/${sessionId}`;
}

/** The version that this build writes into every file of the store. */
export const SCHEMA_VERSION = '1.0.0';

/** `major.minor.patch`; a newer major or minor is refused, an older one is migrated. */
export const schemaVersionSchema = z.string().check(z.regex(/^\d+\.\d+\.\d+$/, 'must be a version such as 1.0.0'));

type SchemaAge = 'same' | 'older' | 'newer';

/**
 * How a file's version relates to this build's. The patch number never matters: it is for changes that
 * every reader of the same minor version understands.
 */
export function schemaAge(version: string, current: string = SCHEMA_VERSION): SchemaAge {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [currentMajor = 0, currentMinor = 0] = current.split('.').map(Number);
  if (major === currentMajor && minor === currentMinor) return 'same';
  return major > currentMajor || (major === currentMajor && minor > currentMinor) ? 'newer' : 'older';
}

/** The first thing that a schema did not accept, in words. */
export interface SchemaProblem {
  /** Dotted path; empty for the whole value. */
  key: string;
  /** What would be accepted: `one of timeline, list`, `a number`, `at least 1`. */
  allowed: string;
}

/** Says what is wrong with a value, for people who edit files and settings by hand. */
export function schemaProblem(error: z.core.$ZodError): SchemaProblem {
  const [issue] = error.issues;
  if (issue === undefined) return { key: '', allowed: 'something else' };
  return { key: issue.path.map(String).join('.'), allowed: allowedBy(issue) };
}

function allowedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return withArticle(issue.expected);
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
    default:
      return issue.message.replace(/^must be /, '');
  }
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

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

/** An ISO 8601 timestamp as Claude Code and the store write them. */
export const timestampSchema = z.string();

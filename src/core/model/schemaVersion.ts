import * as z from 'zod/mini';

/** The version that this build writes into every file of the store. */
export const SCHEMA_VERSION = '1.0.0';

/** `major.minor.patch`; a newer major or minor is refused, an older one is migrated. */
export const schemaVersionSchema = z.string().check(z.regex(/^\d+\.\d+\.\d+$/, 'must be a version such as 1.0.0'));

export type SchemaAge = 'same' | 'older' | 'newer';

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

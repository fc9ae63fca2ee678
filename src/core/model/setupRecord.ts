import * as z from 'zod/mini';
import { timestampSchema, schemaVersionSchema, text, texts, optionalText } from './fields';

/** As a Claude Code plugin, or as plain hooks and commands in settings. */
const setupModeSchema = z.enum(['plugin', 'plain']);
export type SetupMode = z.infer<typeof setupModeSchema>;

/** Where Claude Code looks: the user's settings, a project's that are shared, a project's for this machine alone. */
const setupScopeSchema = z.enum(['user', 'project', 'local']);
export type SetupScope = z.infer<typeof setupScopeSchema>;

const setupInstallSchema = z.looseObject({
  mode: setupModeSchema,
  scope: setupScopeSchema,
  /** The project's folder; absent for the user's scope. */
  folder: optionalText,
  at: timestampSchema,
});
export type SetupInstall = z.infer<typeof setupInstallSchema>;

const touchedFileSchema = z.looseObject({
  /** What the file held before it was touched; null when there was none. */
  original: z.nullable(text),
  /** What was written: a file that still holds it gets its original back, byte for byte. */
  written: text,
});
export type TouchedFile = z.infer<typeof touchedFileSchema>;

const setupRuntimeSchema = z.looseObject({
  /** `path`: the command `node`. `node`: a Node that is not on PATH. `electron`: VS Code's own program, told to be Node. */
  kind: z.enum(['path', 'node', 'electron']),
  file: text,
  version: text,
});
export type SetupRuntime = z.infer<typeof setupRuntimeSchema>;

/** `claude-setup.json` in the store: what was done to Claude Code's settings, and how to take it back. */
export const setupRecordSchema = z.looseObject({
  version: schemaVersionSchema,
  installs: z.array(setupInstallSchema),
  /** By absolute path. */
  files: z.record(text, touchedFileSchema),
  /** Folders that were made for them, outermost first. */
  folders: texts,
  runtime: z.optional(setupRuntimeSchema),
});
export type SetupRecord = z.infer<typeof setupRecordSchema>;

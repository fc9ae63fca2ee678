import * as z from 'zod/mini';
import { autoDecaySchema, ownAutoDecaySchema, type Config, type AutoDecayConfig } from './config';
import { composedContextRecordSchema } from './composition';
import { compressionRecordSchema, sessionPartSchema } from './compression';
import {
  projectIdSchema,
  sessionIdSchema,
  timestampSchema,
  count,
  schemaVersionSchema,
  text,
  texts,
  optionalText,
  optionalFlag,
  optionalCount,
} from './fields';
import { keepitChangeSchema, keepitMarkerSchema } from './keepit';

/** Seed 000, 7.2, as the manifest of the project has it that the link leads to. */
const memoryLinkSchema = z.looseObject({
  linkId: text,
  sourceProject: projectIdSchema,
  /** Absent where all of the project is meant. */
  sourceSession: z.optional(sessionIdSchema),
  linkedAt: timestampSchema,
  /** `Shared utility code`, in the words of whoever linked it. */
  reason: text,
});
export type MemoryLink = z.infer<typeof memoryLinkSchema>;

/** Seed 000, 2.1.2: what the transcript says about itself. */
export const sessionMetadataSchema = z.looseObject({
  title: optionalText,
  cwd: optionalText,
  gitBranch: optionalText,
  projectName: optionalText,
  claudeVersion: optionalText,
  models: z.optional(texts),
  /** Sessions whose history this one took over when it was resumed or forked from them. */
  copiedFrom: z.optional(texts),
  primaryTopics: z.optional(texts),
});

/** How the store's copy of a transcript was made, and how far it reaches. */
const keptOriginalSchema = z.looseObject({
  /** Relative to the project's folder in the store: `originals/<sessionId>.jsonl`. */
  file: text,
  method: z.enum(['clone', 'link', 'copy']),
  bytes: count,
  /** Of that content, block by block; absent until an older entry is synced again. */
  hashes: z.optional(texts),
  /** Whole lines up to here have been read into this entry; a torn last line is read again at the next sync. */
  syncedBytes: count,
  syncedLines: count,
});
export type KeptOriginal = z.infer<typeof keptOriginalSchema>;

export const versionNumbersSchema = z.record(text, count);

/** Seed 000, 2.2: a registered session. */
export const sessionManifestEntrySchema = z.looseObject({
  sessionId: sessionIdSchema,
  /** Claude Code's own file; it may be gone, `kept` is not. */
  originalFile: text,
  originalTokens: count,
  /** Absent where they were counted exactly. */
  originalTokensKind: z.optional(z.literal('estimate')),
  originalMessages: count,
  firstTimestamp: timestampSchema,
  lastTimestamp: timestampSchema,
  registeredAt: timestampSchema,
  lastAccessed: timestampSchema,
  metadata: sessionMetadataSchema,
  /** As they stand in the live conversation. */
  keepitMarkers: z.array(keepitMarkerSchema),
  /** By which rules they were found; absent where that was before these had a number. The next sync finds them anew. */
  keepitRules: optionalCount,
  /** What people changed about them, and the markers that people added. Absent where nobody did. */
  keepitOverlay: z.optional(z.array(keepitChangeSchema)),
  compressions: z.array(compressionRecordSchema),
  /** The parts that the session was compressed in, the oldest first. Absent where there are none. */
  compressionParts: z.optional(z.array(sessionPartSchema)),
  /** The highest number given to a version of the whole (`v`) and of each part (`part1_v`): none is given twice. */
  versionNumbers: z.optional(versionNumbersSchema),
  /** Absent in a store written by another tool that follows the same layout; the next sync adds it. */
  kept: z.optional(keptOriginalSchema),
});
export type SessionManifestEntry = z.infer<typeof sessionManifestEntrySchema>;

/** Seed 000, 2.2: what was set for a project alone; for all else the configuration holds. */
export const projectSettingsSchema = z.looseObject({
  defaultCompressionPreset: optionalText,
  autoRegisterNewSessions: optionalFlag,
  keepitDecayEnabled: optionalFlag,
  autoDecay: z.optional(ownAutoDecaySchema),
});
export type OwnProjectSettings = z.infer<typeof projectSettingsSchema>;

/** What holds for a project. */
export interface ProjectSettings {
  readonly defaultCompressionPreset: string;
  readonly autoRegisterNewSessions: boolean;
  readonly keepitDecayEnabled: boolean;
  readonly autoDecay: AutoDecayConfig;
}

export function settingsOf(
  manifest: Pick<ProjectManifest, 'settings'> | undefined,
  { defaults, autoDecay }: Pick<Config, 'defaults' | 'autoDecay'>,
): ProjectSettings {
  const { settings = {} } = manifest ?? {};
  const rules = { ...autoDecay.rules, ...settings.autoDecay?.rules };
  return {
    defaultCompressionPreset: settings.defaultCompressionPreset ?? defaults.compressionPreset,
    autoRegisterNewSessions: settings.autoRegisterNewSessions ?? defaults.autoRegisterSessions,
    keepitDecayEnabled: settings.keepitDecayEnabled ?? defaults.keepitDecayEnabled,
    autoDecay: autoDecaySchema.parse({ ...autoDecay, ...settings.autoDecay, rules }),
  };
}

/** From 1.0.1 on a manifest holds no copies of what the configuration says. */
export const MANIFEST_VERSION = '1.0.1';

/** Seed 000, 2.2: `projects/<projectId>/manifest.json`. Unknown fields are kept when it is written again. */
export const projectManifestSchema = z.looseObject({
  version: schemaVersionSchema,
  projectId: projectIdSchema,
  originalPath: text,
  displayName: text,
  createdAt: timestampSchema,
  lastModified: timestampSchema,
  sessions: z.record(text, sessionManifestEntrySchema),
  compositions: z.record(text, composedContextRecordSchema),
  settings: projectSettingsSchema,
  /** What of other projects belongs to this one's work. */
  links: z.optional(z.array(memoryLinkSchema)),
  /** When versions last aged. */
  aging: z.optional(z.looseObject({ lastRunAt: z.optional(timestampSchema) })),
  /** By which rules its texts were freed of secrets; absent where that was before there were any. */
  cleaning: optionalCount,
});
export type ProjectManifest = z.infer<typeof projectManifestSchema>;

/** What a manifest is made from when a project gets its first session. */
export interface NewProject {
  projectId: string;
  originalPath: string;
  displayName: string;
}

export function createManifest(project: NewProject, nowIso: string): ProjectManifest {
  return {
    version: MANIFEST_VERSION,
    projectId: project.projectId,
    originalPath: project.originalPath,
    displayName: project.displayName,
    createdAt: nowIso,
    lastModified: nowIso,
    sessions: {},
    compositions: {},
    settings: {},
  };
}

import * as z from 'zod/mini';
import {
  timestampSchema,
  versionFileSchema,
  versionIdSchema,
  count,
  text,
  texts,
  optionalText,
  optionalFlag,
  optionalCount,
} from './fields';

/** Seed 000, 2.1.3: how hard a summary may cut. `minimal` is the decay formula's `light`. */
export const aggressivenessSchema = z.enum(['minimal', 'moderate', 'aggressive']);
export type Aggressiveness = z.infer<typeof aggressivenessSchema>;

/** The part of a session up to `endPercent` of its messages, oldest first, and how hard it is compressed. */
export const tierConfigSchema = z.looseObject({
  endPercent: z.number().check(z.gt(0), z.lte(100)),
  compactionRatio: z.number().check(z.gte(1)),
  aggressiveness: aggressivenessSchema,
});
export type TierConfig = z.infer<typeof tierConfigSchema>;

export const tierPresetSchema = z.enum(['gentle', 'standard', 'aggressive', 'custom']);
export type TierPreset = z.infer<typeof tierPresetSchema>;

export const keepitModeSchema = z.enum(['decay', 'preserve-all', 'ignore']);
export type KeepitMode = z.infer<typeof keepitModeSchema>;

/** Everything that decides what a version looks like; recorded with it, so that it can be made again. */
export const compressionSettingsSchema = z.looseObject({
  mode: z.enum(['uniform', 'tiered']),
  compactionRatio: z.optional(z.number().check(z.gte(1))),
  aggressiveness: z.optional(aggressivenessSchema),
  tierPreset: z.optional(tierPresetSchema),
  customTiers: z.optional(z.array(tierConfigSchema)),
  model: text,
  skipFirstMessages: count,
  keepitMode: keepitModeSchema,
  sessionDistance: z.optional(z.number().check(z.nonnegative())),
});
export type CompressionSettings = z.infer<typeof compressionSettingsSchema>;

/** What happened to the keepits of a version; `weights` counts the survivors by weight, such as `"0.80": 2`. */
const keepitStatsSchema = z.looseObject({
  preserved: count,
  summarized: count,
  weights: z.record(text, z.number()),
});
export type KeepitStats = z.infer<typeof keepitStatsSchema>;

const share = z.number().check(z.gte(0), z.lte(1));

/** How much of what mattered in the original a version still holds, by kind, from 0 to 1; 1 where there was nothing of a kind. */
export const fidelitySchema = z.looseObject({
  score: share,
  keepits: share,
  instructions: share,
  decisions: share,
  paths: share,
  commands: share,
  errors: share,
  identifiers: share,
  /** Files changed, commands run, versions, ports and flags; absent in versions that were made before it was measured. */
  artifacts: z.optional(share),
});
export type Fidelity = z.infer<typeof fidelitySchema>;

/** What became of one keepit in a version, and why. */
const receiptEntrySchema = z.looseObject({
  markerId: text,
  weight: z.number(),
  threshold: z.number(),
  kept: z.boolean(),
  reason: text,
});
export type ReceiptEntry = z.infer<typeof receiptEntrySchema>;

/** What the model calls of a version cost; zero for the local compressor. */
const costSchema = z.looseObject({
  calls: count,
  inputTokens: count,
  outputTokens: count,
  usd: z.number().check(z.nonnegative()),
});

/** Seed 000, 2.1.3, with the parts of seed 001: one compressed version of a session or of one of its parts. */
export const compressionRecordSchema = z.looseObject({
  versionId: versionIdSchema,
  /** Relative to the session's folder, without the extension: a version is a `.md` and a `.jsonl`. */
  file: versionFileSchema,
  createdAt: timestampSchema,
  settings: compressionSettingsSchema,
  outputTokens: count,
  outputMessages: count,
  compressionRatio: z.number().check(z.nonnegative()),
  keepitStats: keepitStatsSchema,
  sourceVersion: z.optional(versionIdSchema),
  /** Seed 001: 1 is the oldest. Absent for a version of the whole session. */
  partNumber: z.optional(z.number().check(z.gte(1))),
  /** The messages that the version covers, first and last, as 0-based indexes of the session. */
  messageRange: z.optional(z.tuple([count, count])),
  /** The last of these messages: by it a part's end is found again after a rewind. */
  lastMessageUuid: optionalText,
  /** What the ratio was measured against: prose, tool calls and tool results of those messages. */
  inputTokens: optionalCount,
  /** Absent in versions that another tool wrote. */
  fidelity: z.optional(fidelitySchema),
  receipt: z.optional(z.array(receiptEntrySchema)),
  /** `local`, `anthropic`, `claude-cli` or `vscode-lm`, and the engine's version: what is needed to make it again. */
  provider: optionalText,
  engine: optionalText,
  cost: z.optional(costSchema),
  /** With a model: what was asked of which, and its answers' ids. */
  provenance: z.optional(z.looseObject({ model: text, prompt: text, responseIds: texts })),
  /** What was asked for, over all segments, keepits included; `compressionRatio` is what came out. */
  askedRatio: z.optional(z.number()),
  /** Surviving keepits alone are larger than what was asked for. */
  isExceededByKeepits: optionalFlag,
  /** What was taken out because it gives access to something, by kind. */
  redacted: z.optional(z.array(z.looseObject({ kind: text, count: z.number() }))),
  /** It came with the session's age; absent where somebody asked for it. */
  isAutomatic: optionalFlag,
  /** Somebody brought it back from the trash. */
  isRestored: optionalFlag,
  /** The last composition that used it. */
  lastUsed: z.optional(timestampSchema),
});
export type CompressionRecord = z.infer<typeof compressionRecordSchema>;

/** Which messages a part of a session covers (seed 001). Known on its own, so that a part keeps its place when its versions are deleted. */
export const sessionPartSchema = z.looseObject({
  partNumber: z.number().check(z.gte(1)),
  /** First and last message, as 0-based indexes when the part was made. */
  messageRange: z.tuple([count, count]),
  /** The last message, by which the end of the part is found again after a rewind. */
  lastMessageUuid: text,
  /** What a model would read of those messages. */
  tokens: count,
});
export type SessionPartRecord = z.infer<typeof sessionPartSchema>;

/** Seed 000, 3.4: `summaries/<sessionId>/versions.json`. */
export const sessionVersionsSchema = z.looseObject({
  /** Schema version; absent in files that follow seed 000, 3.4 to the letter. */
  version: optionalText,
  sessionId: text,
  originalFile: text,
  originalTokens: count,
  originalMessages: count,
  versions: z.array(compressionRecordSchema),
});
export type SessionVersions = z.infer<typeof sessionVersionsSchema>;

/** What is compressed: everything, what came after the last part, or one part again (seed 001). */
export type CompressionScope =
  { readonly kind: 'whole' } | { readonly kind: 'delta' } | { readonly kind: 'part'; readonly partNumber: number };

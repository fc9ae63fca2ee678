import * as z from 'zod/mini';
import { aggressivenessSchema, keepitModeSchema, tierPresetSchema } from '../../model/compression';

/** Beyond, nothing would be left. */
export const MAX_RATIO = 1000;

/** The session that a panel compresses. Enough to make the panel again after a restart. */
export const compressionTargetSchema = z.object({
  projectId: z.string(),
  sessionId: z.string(),
});
export type CompressionTarget = z.infer<typeof compressionTargetSchema>;

const scopeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole') }),
  z.object({ kind: z.literal('delta') }),
  z.object({ kind: z.literal('part'), partNumber: z.number().check(z.gte(1)) }),
]);

/** A number as it stands in a field; null while the field is empty or holds no number. */
const fieldSchema = z.nullable(z.number());

/** One row of the table of tiers. */
export const tierFieldsSchema = z.object({
  endPercent: fieldSchema,
  compactionRatio: fieldSchema,
  aggressiveness: aggressivenessSchema,
});
export type TierFields = z.infer<typeof tierFieldsSchema>;

export const providerNameSchema = z.enum(['local', 'anthropic', 'claude-cli', 'vscode-lm']);

/** The form as it stands, right or wrong. Choices of a mode that is not chosen are kept: who comes back finds them. */
export const compressionFormSchema = z.object({
  scope: scopeSchema,
  mode: z.enum(['uniform', 'tiered']),
  ratio: z.number().check(z.gte(1), z.lte(MAX_RATIO)),
  /** Absent: what the ratio implies. */
  aggressiveness: z.optional(aggressivenessSchema),
  preset: tierPresetSchema,
  /** Of the custom preset. */
  tiers: z.array(tierFieldsSchema),
  /** Absent: the session's own, by its place among the others. */
  distance: z.optional(z.number().check(z.gte(1))),
  skipFirst: fieldSchema,
  keepitMode: keepitModeSchema,
  provider: providerNameSchema,
  /** Of the provider; '' for its usual one. */
  model: z.string(),
  /** Null: no other cap than the configuration's. */
  maxCostUsd: fieldSchema,
});
export type CompressionForm = z.infer<typeof compressionFormSchema>;

/** What the panel remembers while it is hidden, and after a restart. */
export const compressionStateSchema = z.object({
  target: compressionTargetSchema,
  form: z.optional(compressionFormSchema),
});
export type CompressionState = z.infer<typeof compressionStateSchema>;

const rangeSchema = z.tuple([z.number(), z.number()]);

/** Who can write a summary, and whether it can now. */
export const providerChoiceSchema = z.object({
  name: providerNameSchema,
  models: z.array(z.object({ id: z.string(), label: z.string() })),
  /** Why it cannot be used now, and what to do about it. */
  problem: z.optional(z.string()),
});
export type ProviderChoice = z.infer<typeof providerChoiceSchema>;

/** How far a compression has come. */
export const runningSchema = z.object({ done: z.number(), total: z.number(), label: z.optional(z.string()) });

/** What the form is about. */
export const compressionDataSchema = z.object({
  target: compressionTargetSchema,
  title: z.string(),
  project: z.string(),
  original: z.object({ tokens: z.number(), messages: z.number(), isEstimate: z.boolean() }),
  delta: z.object({
    newMessages: z.number(),
    newTokens: z.number(),
    nextPart: z.number(),
    messageRange: z.optional(rangeSchema),
  }),
  /** Oldest first. */
  parts: z.array(z.object({ partNumber: z.number(), messageRange: rangeSchema, versions: z.number() })),
  wholeVersions: z.number(),
  /** What the form shows before anybody has touched it. */
  usual: compressionFormSchema,
  /** The session's own, and from where on it makes no difference. */
  distance: z.number(),
  maxDistance: z.number(),
  providers: z.array(providerChoiceSchema),
  /** What the configuration lets one compression cost. */
  runCapUsd: z.number(),
  /** A compression of this session that is under way. */
  running: z.optional(runningSchema),
});
export type CompressionData = z.infer<typeof compressionDataSchema>;

/** One keepit of the range that is compressed. */
export const previewKeepitSchema = z.object({
  markerId: z.string(),
  weight: z.number(),
  threshold: z.number(),
  kept: z.boolean(),
  reason: z.string(),
  /** The beginning of what is marked, in one line. */
  words: z.string(),
});
export type PreviewKeepit = z.infer<typeof previewKeepitSchema>;

/** What would come out, as the engine estimates it. */
export const compressionPreviewSchema = z.object({
  messageRange: rangeSchema,
  inputTokens: z.number(),
  inputMessages: z.number(),
  outputTokens: z.number(),
  outputMessages: z.number(),
  askedRatio: z.number(),
  compressionRatio: z.number(),
  segments: z.array(
    z.object({
      from: z.number(),
      to: z.number(),
      ratio: z.number(),
      aggressiveness: aggressivenessSchema,
      inputTokens: z.number(),
      targetTokens: z.number(),
    }),
  ),
  keepits: z.array(previewKeepitSchema),
  keepitTokens: z.number(),
  isExceededByKeepits: z.boolean(),
  distance: z.optional(z.number()),
  cost: z.object({ calls: z.number(), inputTokens: z.number(), outputTokens: z.number(), usd: z.number() }),
});
export type CompressionPreview = z.infer<typeof compressionPreviewSchema>;

/** What the panel asks for. */
export const compressionRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load') }),
  /** A newer one supersedes an older one, which is then answered with `superseded`. */
  z.object({ type: z.literal('preview'), form: compressionFormSchema }),
  /** Answered at once; how it goes on is told by events. */
  z.object({ type: z.literal('create'), form: compressionFormSchema }),
  z.object({ type: z.literal('cancel') }),
  /** Show the version that was made: its text, or what it has lost of the original. */
  z.object({ type: z.literal('show'), versionId: z.string(), as: z.enum(['text', 'comparison']) }),
  /** Show the message that a keepit is in. */
  z.object({ type: z.literal('openKeepit'), markerId: z.string() }),
  z.object({ type: z.literal('close') }),
]);
export type CompressionPanelRequest = z.infer<typeof compressionRequestSchema>;

/** What it is answered, by the type of the request. */
export const compressionAnswerSchemas = {
  load: compressionDataSchema,
  preview: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('estimate'), preview: compressionPreviewSchema }),
    /** These settings cannot be used; `message` is for people. */
    z.object({ kind: z.literal('refused'), message: z.string() }),
    z.object({ kind: z.literal('superseded') }),
  ]),
  done: z.object({}),
} as const;

/** What the extension tells without being asked. */
export const compressionEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), ...runningSchema.shape }),
  /** `outcome` is `v003: 3,012 tokens, 33:1, fidelity 0.81`. */
  z.object({ type: z.literal('made'), versionId: z.string(), outcome: z.string() }),
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('cancelled') }),
  /** The panel was called for once more, for something else of the session. */
  z.object({ type: z.literal('choose'), scope: scopeSchema }),
]);
export type CompressionEvent = z.infer<typeof compressionEventSchema>;

import * as z from 'zod/mini';

/** Version of the stored state; a state of another version is not resumed but read anew. */
export const STATE_VERSION = 3;

const count = z.int().check(z.nonnegative());
const counts = z.record(z.string(), count);
const problem = z.strictObject({ line: count, error: z.string() });
const usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheCreationTokens: z.number(),
  cacheReadTokens: z.number(),
});

/** {@link ReadingAccount} as it is stored. */
export const accountSchema = z.strictObject({
  lines: count,
  used: count,
  skipped: counts,
  brokenCount: count,
  broken: z.array(problem),
  salvaged: z.array(problem),
});

const compaction = z.strictObject({
  uuid: z.string(),
  line: count,
  timestamp: z.exactOptional(z.string()),
  trigger: z.exactOptional(z.string()),
  preTokens: z.exactOptional(z.number()),
  postTokens: z.exactOptional(z.number()),
});

/** What the collector of session facts must remember. */
export const factsSchema = z.strictObject({
  sessionIds: z.array(z.string()),
  sessionId: z.exactOptional(z.string()),
  cwds: counts,
  firstCwd: z.exactOptional(z.string()),
  gitBranch: z.exactOptional(z.string()),
  versions: z.array(z.string()),
  models: counts,
  first: z.exactOptional(z.string()),
  last: z.exactOptional(z.string()),
  usage,
  /** Usage of the API messages seen last, by the key of their id, in case that more lines of them follow. */
  recentUsage: z.array(z.tuple([z.number(), usage])),
  compactions: z.array(compaction),
  agentId: z.exactOptional(z.string()),
  mainLines: count,
  sidechainLines: count,
});

/** What the collector of titles must remember. */
export const titlesSchema = z.strictObject({
  custom: z.exactOptional(z.string()),
  ai: z.exactOptional(z.string()),
  summaries: z.array(z.strictObject({ leafUuid: z.string(), title: z.string() })),
  firstWords: z.array(z.strictObject({ node: count, text: z.string() })),
});

const keys = z.array(count);

/** Where a `LiveTally` stands. */
export const tallySchema = z.strictObject({
  count,
  lastSaying: z.int(),
  isSidechain: z.exactOptional(z.boolean()),
  ends: keys,
  lines: keys,
  message: z.exactOptional(count),
  missing: keys,
  settled: z.strictObject({
    messages: count,
    humanMessages: count,
    turns: count,
    toolSteps: count,
    abandonedMessages: count,
    tokens: count,
    resultTokens: count,
  }),
  turn: z.strictObject({
    isHuman: z.boolean(),
    said: count,
    hasAnswers: z.boolean(),
    open: z.array(z.tuple([count, z.boolean()])),
  }),
  abandonedNodes: keys,
});

/** The chain, as it is stored. */
export const chainSchema = z.strictObject({
  /** The nodes in order of reading, packed in blocks as `ChainPacker` wrote them, and how many they are. */
  blocks: z.array(z.string()),
  count,
  /** An `IdFilter` of the ids of nodes and API messages, and the keys of those that came since it was made. */
  filter: z.string(),
  recent: keys,
});

/** Everything that reading on from an offset needs. Plain JSON; about 20 bytes per record of the transcript. */
export const summarizerStateSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  offset: count,
  line: count,
  account: accountSchema,
  facts: factsSchema,
  titles: titlesSchema,
  leaf: z.exactOptional(z.strictObject({ uuid: z.string(), knownNodes: count })),
  /** The last record that said something. */
  lastSaid: z.exactOptional(z.strictObject({ low: z.int(), high: z.int() })),
  /** The last request, while it has no answer: the hash and length of its words, in which it may be sent again. */
  asked: z.exactOptional(z.strictObject({ hash: z.string(), length: count, pictures: count })),
  markers: z.array(z.tuple([count, z.string()])),
  chain: chainSchema,
  /** Absent when the conversation must be counted anew from the chain. */
  tally: z.exactOptional(tallySchema),
});

/** See {@link summarizerStateSchema}. */
export type SummarizerState = z.infer<typeof summarizerStateSchema>;
export type AccountState = z.infer<typeof accountSchema>;
export type FactsState = z.infer<typeof factsSchema>;
export type TallyState = z.infer<typeof tallySchema>;
export type ChainState = z.infer<typeof chainSchema>;
export type TitlesState = z.infer<typeof titlesSchema>;

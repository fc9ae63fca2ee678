import * as z from 'zod/mini';
import { count, schemaVersionSchema, text, texts, optionalText, optionalFlag, optionalCount } from './fields';

/**
 * One line of an L1 file (seed 003): what somebody said, or one tool call. `uuid` names the transcript's record; `part` tells several
 * entries of one record apart.
 */
export const l1EntrySchema = z.looseObject({
  ts: text,
  role: z.enum(['user', 'assistant', 'tool']),
  text: optionalText,
  name: optionalText,
  target: optionalText,
  lines: optionalText,
  diff: optionalText,
  result: optionalText,
  uuid: optionalText,
  part: optionalCount,
  /** What a rewind has left behind, a sub-agent's words, a command that the client answered, a person's answer to a tool. */
  via: z.optional(z.enum(['abandoned', 'agent', 'command', 'unsent', 'answer'])),
});
export type L1Entry = z.infer<typeof l1EntrySchema>;

/** What became of a request. */
const exchangeOutcomeSchema = z.enum(['done', 'failed', 'abandoned', 'corrected']);
export type ExchangeOutcome = z.infer<typeof exchangeOutcomeSchema>;

/** L2: one request with what came of it. `l1_range` counts lines of the L1 file from 1, both included. */
export const exchangeSchema = z.looseObject({
  id: text,
  ts: text,
  summary: text,
  details: text,
  files: texts,
  keywords: texts,
  l1_range: z.tuple([count, count]),
  outcome: z.optional(exchangeOutcomeSchema),
  /** The request's record in the transcript. */
  uuid: optionalText,
  /** What it is about, in the human's words. */
  topic: optionalText,
  /** The message that Claude ended it with; `details` are its words. */
  closing: optionalText,
  /** Those words tell of work, and the user did not take it back. */
  isReported: z.optional(z.literal(true)),
  /** A rewind has left it behind. */
  isAside: z.optional(z.literal(true)),
});
export type Exchange = z.infer<typeof exchangeSchema>;

export const exchangesDocumentSchema = z.looseObject({
  version: schemaVersionSchema,
  sessionId: text,
  exchanges: z.array(exchangeSchema),
});
export type ExchangesDocument = z.infer<typeof exchangesDocumentSchema>;

/** L3: exchanges about one thing. `weights` counts in how many of them each file and keyword stands. */
const conceptSchema = z.looseObject({
  id: text,
  name: text,
  summary: text,
  exchanges: texts,
  files: texts,
  keywords: texts,
  updated: text,
  weights: z.optional(z.record(text, count)),
  topics: z.optional(z.record(text, count)),
  history: z.optional(z.array(z.looseObject({ ts: text, change: text }))),
});
export type Concept = z.infer<typeof conceptSchema>;

export const conceptsDocumentSchema = z.looseObject({
  version: schemaVersionSchema,
  concepts: z.array(conceptSchema),
});
export type ConceptsDocument = z.infer<typeof conceptsDocumentSchema>;

const evidenceSchema = z.looseObject({
  sessionId: text,
  messageUuid: text,
  excerpt: text,
  ts: optionalText,
});
export type Evidence = z.infer<typeof evidenceSchema>;

/** What all facts have. Seed 003 asks for id and confidence alone; files of other tools are read without the rest. */
const factFields = {
  id: text,
  confidence: z._default(z.number().check(z.gte(0), z.lte(1)), 1),
  contradictions: z._default(count, 0),
  last_validated: z._default(text, ''),
  /** Equal for all ways of saying the same; absent in files of other tools. */
  key: optionalText,
  /** `user`: the human said so; `session`: it was seen to happen. */
  source: z._default(text, 'user'),
  trigger: optionalText,
  evidence: z.optional(evidenceSchema),
  /** What else shows it, such as the question to an answer. */
  sources: z.optional(z.array(evidenceSchema)),
  supersedes: optionalText,
  supersededBy: optionalText,
  isConfirmed: optionalFlag,
  isEdited: optionalFlag,
  isRejected: optionalFlag,
  /** What a model says of it that was asked before a person is. */
  advice: optionalText,
  /** The files that it names: '' for those that are there, else the day since which they are gone. */
  anchors: z.optional(z.record(text, text)),
  /** The last messages whose actions spoke against it. */
  contradictedBy: z.optional(texts),
};

export const ruleFactSchema = z.looseObject({ ...factFields, content: text });
export const solutionFactSchema = z.looseObject({
  ...factFields,
  problem: text,
  solution: text,
  attempts: z._default(count, 1),
});
export const coreLogicFactSchema = z.looseObject({
  ...factFields,
  feature: text,
  description: text,
  files: z._default(texts, []),
});
/** What a model proposed to remember, or was found in the project, written by somebody else: nobody has agreed yet. `about` is the problem of a solution, the name of a feature. */
export const proposedFactSchema = z.looseObject({
  ...factFields,
  kind: z.enum(['rules', 'solutions', 'core_logic']),
  content: text,
  about: z._default(text, ''),
  origin: z.optional(z.literal('foreign')),
  /** When it was proposed: nobody has to look at it for ever. */
  proposedAt: optionalText,
});
export type ProposedFact = z.infer<typeof proposedFactSchema>;
export type RuleFact = z.infer<typeof ruleFactSchema>;
export type SolutionFact = z.infer<typeof solutionFactSchema>;
export type CoreLogicFact = z.infer<typeof coreLogicFactSchema>;

/** What sessions show again and again, before and after it is a fact: a package that is used, a task that is run. */
const habitSchema = z.object({
  key: text,
  kind: z.enum(['package', 'task']),
  name: text,
  /** The manifests that declare it. */
  files: texts,
  /** Where it was used, once for each session, the first one first. */
  sessions: z.array(evidenceSchema),
});
export type Habit = z.infer<typeof habitSchema>;

/** L4: `facts.json`. */
export const factsDocumentSchema = z.looseObject({
  version: schemaVersionSchema,
  /** Which concepts and exchanges speak of a keyword. */
  keywords: z.record(text, texts),
  permanent: z.looseObject({
    rules: z.array(ruleFactSchema),
    solutions: z.array(solutionFactSchema),
    core_logic: z.array(coreLogicFactSchema),
  }),
  /** What waits for a person's word, and counts for nothing until then. */
  proposed: z._default(z.array(proposedFactSchema), []),
  habits: z.optional(z.array(habitSchema)),
  stats: z.looseObject({ total_exchanges: count, total_concepts: count, last_updated: text }),
  /** Keys of what was forgotten, as hashes: it does not come back, and cannot be read here. */
  forgotten: z._default(texts, []),
  /** The highest number given to a fact of each kind: none is given twice. */
  numbers: z._default(z.record(text, count), {}),
});
export type FactsDocument = z.infer<typeof factsDocumentSchema>;

/** A session of the layers. */
const layeredSessionSchema = z.looseObject({
  /** The name of its files in `sessions/`, without the endings. */
  file: text,
  /** Of the transcript: when these are the same, nothing is new. */
  sourceBytes: count,
  sourceMtimeMs: count,
});
export type LayeredSession = z.infer<typeof layeredSessionSchema>;

/** What was last found in the project of the names that facts have, while its repository was as the stamp says; '' where it is in none. */
const lookedSchema = z.object({ stamp: text, found: z.record(text, text) });
export type Looked = z.infer<typeof lookedSchema>;

/** `layers.json`: which sessions are in the layers, as they were then. Losing it costs time alone. */
export const layersStateSchema = z.looseObject({
  version: schemaVersionSchema,
  sessions: z.record(text, layeredSessionSchema),
  lastExchange: count,
  /** By which rules sessions are layered; those of others are layered again. */
  engine: optionalCount,
  /** Sessions are in their files and in the facts, and not yet in the concepts. */
  isUnfinished: optionalFlag,
  looked: z.optional(lookedSchema),
});
export type LayersState = z.infer<typeof layersStateSchema>;

/** What the manifest's settings say of a project's layers. */
export const layerSettingsSchema = z.looseObject({
  layersEnabled: optionalFlag,
  layersLocation: z.optional(z.enum(['project', 'home'])),
  layersShared: optionalFlag,
});
export type LayerSettings = z.infer<typeof layerSettingsSchema>;

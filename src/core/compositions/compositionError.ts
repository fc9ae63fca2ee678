import { KeepitError, type ErrorText } from '../text/keepitError';

type CompositionErrorReason =
  | 'bad-name'
  | 'name-taken'
  | 'unknown'
  | 'ambiguous'
  | 'no-components'
  | 'bad-budget'
  | 'nothing-in'
  | 'not-registered'
  | 'no-such-version'
  | 'overlap'
  | 'repeated'
  | 'budget-too-small'
  | 'not-rebuildable'
  | 'not-made'
  | 'text-gone';

const texts: Record<CompositionErrorReason, (subject: string, detail: string) => ErrorText> = {
  'bad-name': (name, problem) => ({
    message: `${JSON.stringify(name)} cannot name a composition: ${problem}.`,
    hint: 'Use a plain name such as feature-x: it becomes the name of a folder.',
  }),
  'name-taken': (name) => ({
    message: `There is a composition ${JSON.stringify(name)} already. Nothing was written.`,
    hint: 'Choose another name, rebuild the one there is, or replace it: `--replace`.',
  }),
  unknown: (name) => ({
    message: `There is no composition ${JSON.stringify(name)}.`,
    hint: '`keepit compositions` lists them.',
  }),
  ambiguous: (name, projects) => ({
    message: `${JSON.stringify(name)} is a composition of several projects: ${projects}.`,
    hint: 'Say which one: `--project PATH|ID`.',
  }),
  'no-components': () => ({
    message: 'There is nothing to compose: no session was named.',
    hint: 'Name sessions, or take the last few: `keepit compose --last 5 …`.',
  }),
  'bad-budget': (budget) => ({
    message: `${budget} is not a token budget.`,
    hint: 'A budget is a whole number of tokens, such as 16000.',
  }),
  'nothing-in': (name, reason) => ({
    message: `Nothing would be in ${JSON.stringify(name)}: ${reason}. Nothing was written.`,
    hint: 'Take other sessions, or a larger budget.',
  }),
  'not-registered': (session) => ({
    message: `Session ${session} is not in memory.`,
    hint: '`keepit register` adds it; compositions are made of sessions in memory.',
  }),
  'no-such-version': (version, session) => ({
    message: `Session ${session} has no version ${JSON.stringify(version)}.`,
    hint: '`keepit versions <session>` lists its versions; without one named, the best is chosen.',
  }),
  overlap: (versions, session) => ({
    message: `${versions} of session ${session} hold the same messages.`,
    hint: 'Take a version of the whole session, or one version of each part.',
  }),
  repeated: (session) => ({
    message: `Session ${session} is named twice.`,
    hint: 'Name it once, or name one version of each of its parts.',
  }),
  'budget-too-small': (budget, detail) => ({
    message: `${budget} ${budget === '1' ? 'token is' : 'tokens are'} too few: ${detail}.`,
    hint: 'Give it at least that many, take fewer sessions, or give fewer keepits the weight 1.00.',
  }),
  'not-rebuildable': (name) => ({
    message: `It is not recorded how ${JSON.stringify(name)} was made, so it cannot be made again.`,
    hint: 'Compose it anew.',
  }),
  'text-gone': (name, format) => ({
    message: `The ${format} of ${JSON.stringify(name)} is not there any more.`,
    hint: 'Make it again: `keepit composition rebuild <name>`.',
  }),
  'not-made': (name, format) => ({
    message: `${JSON.stringify(name)} was not made as ${format}.`,
    hint: 'Rebuild it with both formats: `keepit composition rebuild <name> --format both`.',
  }),
};

/** Something that pinned keepits need, when a budget is too small for them. */
interface PinnedNeed {
  readonly projectId: string;
  readonly sessionId: string;
  readonly markerId: string;
  readonly content: string;
}

/** A composition that cannot be made, found or changed as was asked. Nothing was written. */
export class CompositionError extends KeepitError {
  readonly reason: CompositionErrorReason;
  /** For `budget-too-small`: the smallest budget that works, and the pinned keepits that need it. */
  readonly smallestBudget: number | undefined;
  readonly pinned: readonly PinnedNeed[];

  constructor(
    reason: CompositionErrorReason,
    subject: string,
    detail = '',
    needs: { smallestBudget?: number; pinned?: readonly PinnedNeed[] } = {},
  ) {
    super(`composition-${reason}`, texts[reason](subject, detail));
    this.reason = reason;
    this.smallestBudget = needs.smallestBudget;
    this.pinned = needs.pinned ?? [];
  }
}

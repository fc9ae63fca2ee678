/**
 * Expected failures, one class per area. A host shows `message` and `hint` as they are; anything that is not a
 * `KeepitError` (or an abort) is a bug and goes to the host's one boundary with its stack.
 */

/** What a person sees of an expected failure: what happened, and what to do next. */
export interface ErrorText {
  message: string;
  hint: string;
}

/** The base of every expected failure. `code` is stable and unique over all areas: scripts may compare it. */
export abstract class KeepitError extends Error {
  readonly code: string;
  /** What to do next, in one sentence. */
  readonly hint: string;

  protected constructor(code: string, text: ErrorText, options?: { cause?: unknown }) {
    super(text.message, options);
    this.name = new.target.name;
    this.code = code;
    this.hint = text.hint;
  }
}

export type StoreErrorReason =
  | 'newer-version'
  | 'corrupt'
  | 'locked'
  | 'disk-full'
  | 'read-only'
  | 'not-permitted'
  | 'unsafe-name'
  | 'not-found'
  | 'already-there'
  | 'link'
  | 'io';

export interface StoreErrorDetails {
  /** The file, folder or name that the failure is about. */
  path: string;
  /** More about it, as part of a sentence: who holds the lock, which version was found, which value is not allowed. */
  detail?: string;
}

const storeTexts: Record<StoreErrorReason, (path: string, detail: string) => ErrorText> = {
  'newer-version': (path, detail) => ({
    message: `${path} was written by a newer Keepit${detail}.`,
    hint: 'Update Keepit; nothing was changed.',
  }),
  corrupt: (path, detail) => ({
    message: `${path} cannot be read${detail}.`,
    hint: 'Correct the file by hand, or run `keepit doctor --repair`.',
  }),
  locked: (path, detail) => ({
    message: `${path} is being written by another process${detail}.`,
    hint: 'Try again in a moment; `keepit doctor` shows locks that were left behind.',
  }),
  'disk-full': (path, detail) => ({
    message: `There is no space left to write ${path}${detail}.`,
    hint: 'Free some disk space and try again; nothing was changed.',
  }),
  'read-only': (path, detail) => ({
    message: `${path} is on a read-only file system${detail}.`,
    hint: 'Point CLAUDE_MEMORY_DIR, or the setting keepit.memoryDirectory, to a folder that can be written.',
  }),
  'not-permitted': (path, detail) => ({
    message: `${path} may not be opened by this user${detail}.`,
    hint: 'Give yourself access to the folder, or run `keepit doctor --repair`.',
  }),
  'unsafe-name': (path, detail) => ({
    message: `${JSON.stringify(path)} cannot be used as a name${detail}.`,
    hint: 'Use a plain name, without a path in it.',
  }),
  'not-found': (path, detail) => ({
    message: `${path} is not in memory${detail}.`,
    hint: '`keepit sessions` lists what is in memory.',
  }),
  'already-there': (path, detail) => ({
    message: `${path} is in memory again${detail}.`,
    hint: 'Remove it from memory first; nothing was changed.',
  }),
  link: (path, detail) => ({
    message: `${path} is a symbolic link, and Keepit follows none there${detail}.`,
    hint: 'Put a file or folder of its own in its place. Only the top folder itself (the store, Claude Code’s, the project’s) may be a link. Nothing was changed.',
  }),
  io: (path, detail) => ({
    message: `${path} could not be read or written${detail}.`,
    hint: 'Run `keepit doctor` to find out what is wrong with the folder.',
  }),
};

/** The store could not be read or written. Whatever was there before is still there. */
export class StoreError extends KeepitError {
  readonly reason: StoreErrorReason;
  readonly details: StoreErrorDetails;

  constructor(reason: StoreErrorReason, details: StoreErrorDetails, options?: { cause?: unknown }) {
    const detail = details.detail === undefined ? '' : `: ${details.detail}`;
    super(`store-${reason}`, storeTexts[reason](details.path, detail), options);
    this.reason = reason;
    this.details = details;
  }
}

export type SessionLookupReason = 'not-found' | 'not-registered' | 'ambiguous' | 'too-short';

/** A session that a reference may have meant. */
export interface LookupCandidate {
  projectId: string;
  sessionId: string;
  title: string;
}

const CANDIDATES_SHOWN = 10;

function candidateList(candidates: readonly LookupCandidate[]): string {
  const shown = candidates.slice(0, CANDIDATES_SHOWN).map(({ sessionId, projectId }) => `${sessionId} (${projectId})`);
  return candidates.length > CANDIDATES_SHOWN ? `${shown.join(', ')}, …` : shown.join(', ');
}

const lookupTexts: Record<SessionLookupReason, (ref: string, candidates: readonly LookupCandidate[]) => ErrorText> = {
  'not-found': (ref) => ({
    message: `There is no session ${JSON.stringify(ref)}.`,
    hint: '`keepit discover` lists all sessions; `--project` narrows where they are looked for.',
  }),
  'not-registered': (ref) => ({
    message: `Session ${JSON.stringify(ref)} is not in memory.`,
    hint: '`keepit register` adds it; `keepit sessions` lists what is in memory.',
  }),
  ambiguous: (ref, candidates) => ({
    message: `${JSON.stringify(ref)} may be any of ${candidates.length} sessions: ${candidateList(candidates)}.`,
    hint: 'Write more of the id, the path of the file, or narrow with `--project`.',
  }),
  'too-short': (ref) => ({
    message: `${JSON.stringify(ref)} is too short to name a session.`,
    hint: 'Write at least four characters of the id.',
  }),
};

/** A reference to a session that names none, or more than one. */
export class SessionLookupError extends KeepitError {
  readonly reason: SessionLookupReason;
  readonly ref: string;
  /** For `ambiguous`: all that it may have meant, newest first. */
  readonly candidates: readonly LookupCandidate[];

  constructor(reason: SessionLookupReason, ref: string, candidates: readonly LookupCandidate[] = []) {
    super(`session-${reason}`, lookupTexts[reason](ref, candidates));
    this.reason = reason;
    this.ref = ref;
    this.candidates = candidates;
  }
}

export type KeepitMarkReason =
  | 'unknown'
  | 'ambiguous'
  | 'too-short'
  | 'removed'
  | 'unchanged'
  | 'bad-weight'
  | 'unknown-message'
  | 'ambiguous-message'
  | 'not-said'
  | 'left-behind'
  | 'bad-span'
  | 'split-character'
  | 'crosses-blocks'
  | 'empty'
  | 'private'
  | 'overlap';

const LIST_MESSAGES = '`keepit messages <session> --json` lists all messages with their uuids.';

const keepitTexts: Record<KeepitMarkReason, (subject: string, detail: string) => ErrorText> = {
  unknown: (id) => ({
    message: `There is no keepit ${JSON.stringify(id)} in memory.`,
    hint: '`keepit keepits` lists them; a session that is not in memory has to be registered before its keepits can be changed.',
  }),
  ambiguous: (id, ids) => ({
    message: `${JSON.stringify(id)} may be any of several keepits: ${ids}.`,
    hint: 'Write more of the id.',
  }),
  'too-short': (id) => ({
    message: `${JSON.stringify(id)} is too short to name a keepit.`,
    hint: 'Write at least four characters of the id.',
  }),
  removed: (id) => ({
    message: `Keepit ${id} has been removed.`,
    hint: `\`keepit keepit restore ${id}\` brings it back.`,
  }),
  unchanged: (id) => ({
    message: `Keepit ${id} is as it was made: there is nothing to restore.`,
    hint: '`keepit keepits` shows which were changed or removed.',
  }),
  'bad-weight': (weight) => ({
    message: `${weight} is not a weight.`,
    hint: 'A weight lies between 0.00 and 1.00 and has two decimals.',
  }),
  'unknown-message': (uuid) => ({
    message: `There is no message ${JSON.stringify(uuid)} in this session.`,
    hint: LIST_MESSAGES,
  }),
  'ambiguous-message': (uuid) => ({
    message: `${JSON.stringify(uuid)} is the beginning of several messages' uuids.`,
    hint: 'Write more of the uuid.',
  }),
  'not-said': (uuid) => ({
    message: `${uuid} holds no words of the human or the assistant.`,
    hint: 'Only what was said can be marked: no tool results, thinking or reminders.',
  }),
  'left-behind': (uuid) => ({
    message: `${uuid} is not part of the conversation: a rewind has left it behind.`,
    hint: LIST_MESSAGES,
  }),
  'bad-span': (span, text) => ({
    message: `${span} is not a span of this text, which has ${text}.`,
    hint: 'Offsets count UTF-16 units of `text` as `keepit messages <session> --json` prints it; the end is not included.',
  }),
  'split-character': (offset) => ({
    message: `Offset ${offset} is in the middle of a character.`,
    hint: 'Move it by one.',
  }),
  'crosses-blocks': (span, blocks) => ({
    message: `${span} reaches over several pieces of what was said.`,
    hint: `A keepit lies in one piece; mark them one by one: ${blocks}.`,
  }),
  empty: (uuid) => ({
    message: `There are no words to mark in that span of ${uuid}.`,
    hint: 'Choose a span that is not blank.',
  }),
  private: (uuid) => ({
    message: `That span of ${uuid} holds something between <private> and </private>.`,
    hint: 'What is private is left out of everything, so it cannot be kept: mark what is around it.',
  }),
  overlap: (span, id) => ({
    message: `${span} overlaps keepit ${id}.`,
    hint: 'Change the weight of that one, or remove it first.',
  }),
};

/** A keepit that cannot be found, made or changed as was asked. Nothing was changed. */
export class KeepitMarkError extends KeepitError {
  readonly reason: KeepitMarkReason;

  /** `subject` is what was asked for, `detail` what stands against it, both as they are to be shown. */
  constructor(reason: KeepitMarkReason, subject: string, detail = '') {
    super(`keepit-${reason}`, keepitTexts[reason](subject, detail));
    this.reason = reason;
  }
}

export type TranscriptUnreadableReason = 'vanished' | 'not-permitted' | 'link' | 'io';

const transcriptTexts: Record<TranscriptUnreadableReason, (path: string) => ErrorText> = {
  vanished: (path) => ({
    message: `${path} is no longer there.`,
    hint: 'Claude Code deletes transcripts after a while; add sessions to memory to keep them.',
  }),
  'not-permitted': (path) => ({
    message: `${path} may not be read by this user.`,
    hint: 'Give yourself read access to the file.',
  }),
  link: (path) => ({
    message: `${path} is a symbolic link that leads out of its folder, and is not read.`,
    hint: 'Put the file itself there; only Claude Code’s folder and its `projects` may be links.',
  }),
  io: (path) => ({
    message: `${path} could not be read.`,
    hint: 'Check the disk or network drive that holds the file.',
  }),
};

/** A transcript that cannot be opened or read, for reasons outside the file's content: damage inside never throws. */
export class TranscriptUnreadableError extends KeepitError {
  readonly reason: TranscriptUnreadableReason;
  readonly path: string;

  constructor(reason: TranscriptUnreadableReason, path: string, options?: { cause?: unknown }) {
    super(`transcript-${reason}`, transcriptTexts[reason](path), options);
    this.reason = reason;
    this.path = path;
  }
}

export type TranscriptEditReason =
  | 'in-use'
  | 'changed'
  | 'not-there'
  | 'not-written'
  | 'only-copy'
  | 'shared'
  | 'link'
  | 'unchanged'
  | 'not-permitted'
  | 'io';

const editTexts: Record<TranscriptEditReason, (subject: string) => ErrorText> = {
  'in-use': (path) => ({
    message: `${path} was written to in the last minutes: its session is probably in use.`,
    hint: 'End the session, wait five minutes, and try again.',
  }),
  changed: (path) => ({
    message: `${path} has changed since it was looked at. Nothing was written.`,
    hint: 'Look again, and repeat what you wanted to do.',
  }),
  'not-there': (path) => ({
    message: `The marker is not in ${path} as plain characters where it should be. Nothing was written.`,
    hint: 'Change the weight in memory instead: that counts just as much, and leaves the transcript as it is.',
  }),
  'not-written': (id) => ({
    message: `Keepit ${id} was added in memory: no marker in the transcript has a weight that could be written.`,
    hint: 'Change its weight in memory.',
  }),
  'only-copy': (id) => ({
    message: `Claude Code has deleted the transcript of ${id}. What is kept in memory is never written to.`,
    hint: 'Change the weight in memory.',
  }),
  shared: (path) => ({
    message: `${path} has another name on this disk, and what lies there would change with it. Nothing was written.`,
    hint: 'Make that hard link a copy first.',
  }),
  link: (path) => ({
    message: `${path} is a symbolic link. Nothing was written.`,
    hint: 'Put the file itself there, or change the weight in memory.',
  }),
  unchanged: (id) => ({
    message: `The marker of keepit ${id} has that weight already.`,
    hint: 'Choose another weight.',
  }),
  'not-permitted': (path) => ({
    message: `${path} may not be written by this user.`,
    hint: 'Give yourself write access to the file, or change the weight in memory.',
  }),
  io: (path) => ({ message: `${path} could not be written.`, hint: 'Check the disk that holds the file.' }),
};

/** A weight that was not written into a transcript. The transcript is as it was, unless the reason is `io`. */
export class TranscriptEditError extends KeepitError {
  readonly reason: TranscriptEditReason;

  constructor(reason: TranscriptEditReason, subject: string, options?: { cause?: unknown }) {
    super(`edit-${reason}`, editTexts[reason](subject), options);
    this.reason = reason;
  }
}

export type ConfigReason = 'unknown-key' | 'invalid-value';

/** A configuration key that does not exist, or a value that it does not take. */
export class ConfigError extends KeepitError {
  readonly reason: ConfigReason;
  readonly key: string;
  /** The keys, or the values, that are allowed. */
  readonly allowed: readonly string[];

  constructor(reason: ConfigReason, key: string, allowed: readonly string[]) {
    super(
      `config-${reason}`,
      reason === 'unknown-key'
        ? { message: `There is no setting ${JSON.stringify(key)}.`, hint: `Settings are: ${allowed.join(', ')}.` }
        : { message: `That is not a value for ${key}.`, hint: `Allowed: ${allowed.join(', ')}.` },
    );
    this.reason = reason;
    this.key = key;
    this.allowed = allowed;
  }
}

/** Whether work ended because somebody asked for that: neither a failure nor a bug. */
export function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** What a log or a list of failures says about any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

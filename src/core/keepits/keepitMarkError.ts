import { expectedFailure } from '../text/keepitError';

const LIST_MESSAGES = '`keepit messages <session> --json` lists all messages with their uuids.';

/** A keepit that cannot be found, made or changed as was asked. Nothing was changed. */
export class KeepitMarkError extends expectedFailure('keepit-', {
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
}) {}

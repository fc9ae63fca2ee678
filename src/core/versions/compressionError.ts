import { expectedFailure } from '../text/keepitError';

/** A compression that cannot be made as was asked, or must not be kept. Nothing was written. */
export class CompressionError extends expectedFailure('compression-', {
  'bad-ratio': (ratio) => ({
    message: `${ratio} is not a ratio.`,
    hint: 'A ratio is a number from 1 to 1000: 30 makes 30,000 tokens 1,000.',
  }),
  'bad-tiers': (problem) => ({
    message: `These tiers cannot be used: ${problem}.`,
    hint: 'Tiers have rising `endPercent`s, of which the last is 100, ratios from 1 to 1000, and are minimal, moderate or aggressive.',
  }),
  'bad-distance': (distance) => ({
    message: `${distance} is not a distance.`,
    hint: 'The distance is how many sessions ago it was: 1 for the newest. Leave it out to have it computed.',
  }),
  'bad-skip': (count) => ({
    message: `${count} is not a number of messages to skip.`,
    hint: 'Give a whole number from 0.',
  }),
  'empty-session': (sessionId) => ({
    message: `Nothing was said in session ${sessionId}: there is nothing to compress.`,
    hint: '`keepit show` tells how its transcript was read.',
  }),
  'nothing-left': (count) => ({
    message: `With the first ${count} messages skipped, no message is left to compress.`,
    hint: 'Skip fewer messages.',
  }),
  'nothing-new': (sessionId) => ({
    message: `Every finished message of session ${sessionId} is in a part already.`,
    hint: 'Compress a part again, or the whole session; what is still being written comes with the next part.',
  }),
  'no-such-part': (part) => ({
    message: `This session has no part ${part}.`,
    hint: '`keepit versions <session>` lists its parts; compressing what is new makes the next one.',
  }),
  'no-such-version': (versionId) => ({
    message: `This session has no version ${JSON.stringify(versionId)}.`,
    hint: '`keepit versions <session>` lists its versions.',
  }),
  'version-unreadable': (file) => ({
    message: `The file of this version is not there any more: ${file}.`,
    hint: 'Delete the version and compress again: the original is still kept.',
  }),
  'no-such-provider': (name) => ({
    message: `${JSON.stringify(name)} cannot summarize here.`,
    hint: 'Use `local`, which needs no model.',
  }),
  'changed-meanwhile': (sessionId) => ({
    message: `Session ${sessionId} was compressed by somebody else meanwhile. Nothing was written.`,
    hint: 'Look at its versions, and try again.',
  }),
  receipt: (problem) => ({
    message: `The version would not hold what it has to: ${problem}. Nothing was written.`,
    hint: 'Please report it, with the settings that you used.',
  }),
}) {}

import { expectedFailure } from '../text/keepitError';

/** A tool that was not used as it can be, or that has nothing to work on. The hint is for a model. */
export class ToolError extends expectedFailure('tool-', {
  'unknown-argument': (names) => ({
    message: `There is no argument ${names}.`,
    hint: 'Call the tool again with the arguments that its schema names.',
  }),
  'bad-argument': (name, allowed) => ({
    message: `${name} is not as it has to be: ${allowed}.`,
    hint: 'Correct it and call the tool again.',
  }),
  'bad-cursor': () => ({
    message: 'This cursor does not belong to this question.',
    hint: 'Repeat all other arguments as they were, or leave the cursor out to begin anew.',
  }),
  'no-project': (folder) => ({
    message: `Keepit knows no sessions of ${folder === '' ? 'this folder' : folder}.`,
    hint: 'Memory fills up as Claude Code is used here. Ask the user which project is meant, and name it with `project`.',
  }),
  'unknown-project': (name) => ({
    message: `There is no project ${JSON.stringify(name)}.`,
    hint: 'Ask the user for its folder, or leave `project` out for the one at hand.',
  }),
  'ambiguous-project': (name, folders) => ({
    message: `${JSON.stringify(name)} may be any of several projects: ${folders}.`,
    hint: 'Name it by its folder.',
  }),
  'bad-session': (ref) => ({
    message: `${JSON.stringify(ref)} does not name a session.`,
    hint: 'Give an id, or at least four characters of one, as `sessions` tells them; or "latest".',
  }),
  'unknown-session': (_ref, problem) => ({
    message: problem,
    hint: '`sessions` tells which there are; one of another project is found only with `project`.',
  }),
  'no-sessions': () => ({
    message: 'There are no sessions in memory to choose from.',
    hint: '`sessions` tells which there are; the user adds them to memory with `keepit register`, or in VS Code.',
  }),
  'not-registered': (sessionId) => ({
    message: `Session ${sessionId} is not in memory, so nothing can be marked in it.`,
    hint: 'The user takes it in with `keepit register`, or in VS Code.',
  }),
  'unknown-message': (name) => ({
    message: `There is no message ${JSON.stringify(name)} in this session.`,
    hint: '`read` tells the numbers and uuids of messages.',
  }),
  'text-not-found': (text) => ({
    message: `The session does not hold the words ${JSON.stringify(text)}.`,
    hint: 'Copy them letter by letter, as `read` gives them.',
  }),
  'nothing-to-recall': (project) => ({
    message: `Nothing has been put together for ${project} yet.`,
    hint: 'Use `search` or `sessions` instead. The user can run `keepit summarize` and `keepit synthesize`.',
  }),
  'layers-off': (project) => ({
    message: `What is known of ${project} is not kept: nobody has enabled it for this project.`,
    hint: '`search` and `sessions` work without it. The user can enable it with `keepit layers enable`.',
  }),
}) {}

import type { ReadEstimate, ReadRequest, ReadResult } from '../../core/knowledge/reading/sessionReader';
import type { SessionRef } from '../../core/sessions/results';
import { joinParts, shortId } from '../../core/text/formats';
import { moneyText } from '../../core/versions/view/versionTexts';
import { CliFailure } from '../cliErrors';
import { type Command, type CommandContext, type OptionSpec, type Page, flag, valued } from '../command';
import { type CommandInput, maxCostOf } from '../commandInput';
import { projectOf } from '../projectOf';

const providers = ['claude-cli', 'anthropic'] as const;
const ways: Readonly<Record<string, OptionSpec>> = {
  provider: valued('NAME', providers.join(', ')),
  model: valued('MODEL', 'A model, or its alias in the configuration; haiku unless told'),
  'max-cost': valued('USD', 'What one session may cost at most'),
  yes: flag('Do not ask before a model is paid for', 'y'),
};

export const read: Command = {
  name: 'read',
  group: 'Knowledge',
  summary: 'Have a model read sessions: decisions, rules, solutions, a digest of each',
  details: [
    'Every quote is looked for in the transcript, letter by letter and by who said it; what is not there is refused. What was found waits for your word, unless `reading.trustNotes` says that your own words count. The digest becomes a version, which compositions take first.',
    '--all reads all sessions of the project that are in memory and unread, in one go. --dry-run tells what that costs, and asks nobody.',
  ],
  args: [{ name: 'session', help: 'the sessions; they have to be in memory', arity: 'any' }],
  options: {
    all: flag('All sessions of the project that were not read yet'),
    again: flag('Also what was read already'),
    'dry-run': flag('Only tell what it would cost'),
    ...ways,
  },
  examples: ['read e3580bc6', 'read --all --dry-run', 'read --all --model haiku --max-cost 0.05 --yes'],
  async run(input, context) {
    const { memory, onProgress, signal } = context;
    const refs = await refsOf(input, context);
    const request = { ...requestOf(input), isAgain: input.has('again') };
    const estimate = await memory.reading.estimate(refs, request, signal);
    if (input.has('dry-run')) return { json: { estimate }, text: (page) => estimateText(estimate, page) };
    await agreed(estimate, input, context);
    const result = await memory.reading.read(refs, request, onProgress, signal);
    if (result.read.length > 0) for (const id of projectsIn(refs)) await memory.hooks.refresh(id, signal);
    return { json: { ...result, failed: result.failed.map(failedJson) }, text: (page) => resultText(result, page) };
  },
};

export const readingOn: Command = {
  name: 'reading on',
  group: 'Knowledge',
  summary: 'Have each session read by a model when it ends, from now on',
  details: [
    'It shows what that costs for each session, by the last ones, and asks once. One process at a time does it, after the session; the limits of `models.limits` hold for it. `reading off` ends it.',
  ],
  options: ways,
  examples: ['reading on', 'reading on --provider anthropic --model haiku --max-cost 0.05 --yes'],
  async run(input, context) {
    const { memory, scope, signal, confirm } = context;
    const request = requestOf(input);
    const price = await memory.reading.price(await projectOf(scope), request, signal);
    const question = `Have ${price.model} (${price.provider}) read each session when it ends, for ${priceText(price)} a session?`;
    const isAsked = confirm !== undefined && !input.has('yes');
    if (isAsked ? !(await confirm(question)) : !input.has('yes'))
      throw new CliFailure('not-read', `${question} Without a yes`);
    const settings = await memory.reading.agree(true, request);
    const { usdPerSession } = price;
    return {
      json: { ...settings, usdPerSession },
      text: ({ style }) =>
        `${style.paint('good', '✓ on')}  ${price.model} reads each session when it ends: ${priceText(price)} each, ${moneyText(settings.sessionUsd)} at most. \`keepit read --all\` reads those of before.`,
    };
  },
};

export const readingOff: Command = {
  name: 'reading off',
  group: 'Knowledge',
  summary: 'Have no session read by a model any more',
  examples: ['reading off'],
  async run(_input, { memory }) {
    const settings = await memory.reading.agree(false);
    return { json: settings, text: () => 'No session is read by a model any more. What was noted stays.' };
  },
};

async function refsOf(input: CommandInput, { scope, memory, signal }: CommandContext): Promise<SessionRef[]> {
  if (input.has('all') === input.args.length > 0) throw input.wrong('Name sessions, or say --all.');
  if (!input.has('all')) return Promise.all(input.args.map((word) => scope.session(word, signal)));
  const projectId = await projectOf(scope);
  return (await memory.sessions.list(projectId)).map(({ sessionId }) => ({ projectId, sessionId }));
}

function projectsIn(refs: readonly SessionRef[]): Set<string> {
  return new Set(refs.map(({ projectId }) => projectId));
}

function requestOf(input: CommandInput): ReadRequest {
  return {
    provider: input.oneOf('provider', providers),
    model: input.text('model'),
    maxCostUsd: maxCostOf(input),
  };
}

async function agreed({ sessions, cost, model }: ReadEstimate, input: CommandInput, { confirm }: CommandContext) {
  if (sessions === 0 || input.has('yes')) return;
  const question = `Have ${model} read ${sessions} ${sessions === 1 ? 'session' : 'sessions'} for about ${moneyText(cost.usd)}?`;
  if (confirm === undefined) {
    if (maxCostOf(input) === undefined) throw input.wrong('Nobody can be asked here: say --max-cost or --yes.');
  } else if (!(await confirm(question))) throw new CliFailure('not-read', 'Nothing was read:');
}

function priceText({ sessions, usdPerSession }: ReadEstimate): string {
  return sessions === 0 ? 'a cent or less' : `about ${moneyText(usdPerSession)}`;
}

function estimateText({ sessions, cost, usdPerSession, provider, model }: ReadEstimate, { formats }: Page): string {
  if (sessions === 0) return 'There is nothing to read: all of it was read, or nobody said anything.';
  return joinParts([
    `${formats.plural(sessions, 'session')} with ${model} (${provider})`,
    `about ${moneyText(cost.usd)}`,
    `${moneyText(usdPerSession)} each`,
    `${formats.exact(cost.inputTokens)} tokens in, ${formats.exact(cost.outputTokens)} out`,
  ]);
}

function failedJson({ sessionId, error }: ReadResult['failed'][number]): object {
  return { sessionId, error: { code: error.code, message: error.message, hint: error.hint } };
}

function resultText({ read: done, failed, cost }: ReadResult, { style, formats }: Page): string {
  if (done.length + failed.length === 0)
    return 'There is nothing to read: all of it was read, or nobody said anything.';
  return [
    ...done.map(({ sessionId, title, items, refused }) =>
      joinParts(
        [
          style.paint('good', '✓ read'),
          style.paint('accent', shortId(sessionId)),
          title,
          `${formats.plural(items, 'note')}${refused === 0 ? '' : `, ${refused} refused`}`,
        ],
        '  ',
      ),
    ),
    ...failed.map(({ sessionId, error }) =>
      joinParts([style.paint('warning', 'not read'), shortId(sessionId), `${error.message} ${error.hint}`], '  '),
    ),
    style.paint('quiet', `${moneyText(cost.usd)} · \`keepit facts --review\` lists what waits for your word`),
  ].join('\n');
}

import type { ReadEstimate, ReadRequest, ReadResult } from '../../core/knowledge/reading/sessionReader';
import { joinParts, shortId } from '../../core/text/formats';
import { moneyText } from '../../core/versions/view/versionTexts';
import { CliFailure } from '../cliErrors';
import { agree, command } from '../command';
import { flag, session, several, type Inputs, asking } from '../fields';

const ways = { ...asking(['claude-cli', 'anthropic']), yes: flag('Do not ask before a model is paid for', 'y') };
const NOTHING = 'There is nothing to read: all of it was read, or nobody said anything.';

export const read = command({
  name: 'read',
  summary: 'Have a model read sessions: decisions, rules, solutions, a digest of each',
  details: [
    'It is haiku, unless told, and no session costs more than --max-cost.',
    'Every quote is looked for in the transcript, letter by letter and by who said it; what is not there is refused. What was found waits for your word, unless `reading.trustNotes` says that your own words count. The digest becomes a version, which compositions take first.',
    '--all reads all sessions of the project that are in memory and unread, in one go. --dry-run tells what that costs, and asks nobody.',
  ],
  input: {
    session: several(session, 'the sessions; they have to be in memory'),
    all: flag('All sessions of the project that were not read yet'),
    again: flag('Also what was read already'),
    dryRun: flag('Only tell what it would cost'),
    ...ways,
  },
  examples: ['read e3580bc6', 'read --all --dry-run', 'read --all --model haiku --max-cost 0.05 --yes'],
  async run(said, context): Promise<{ estimate: ReadEstimate } | ReadResult> {
    const { memory, scope, confirm, onProgress, signal, wrong } = context;
    const { session: named, all, again, dryRun, maxCost, yes } = said;
    if (all === named.length > 0) throw wrong('Name sessions, or say --all.');
    const projectId = all ? await scope.onlyProject() : '';
    const listed = all ? await memory.sessions.list(projectId) : [];
    const refs = all ? listed.map(({ sessionId }) => ({ projectId, sessionId })) : named;
    const request = { ...requestOf(said), isAgain: again };
    const estimate = await memory.reading.estimate(refs, request, signal);
    if (dryRun) return { estimate };
    const { sessions, model, cost } = estimate;
    if (sessions > 0 && confirm === undefined && maxCost === undefined && !yes)
      throw wrong('Nobody can be asked here: say --max-cost or --yes.');
    const these = sessions === 1 ? 'session' : 'sessions';
    const question = `Have ${model} read ${sessions} ${these} for about ${moneyText(cost.usd)}?`;
    if (sessions > 0) await agree(question, 'Nothing was read:', context, 'not-read');
    const result = await memory.reading.read(refs, request, onProgress, signal);
    const projects = result.read.length > 0 ? new Set(refs.map((ref) => ref.projectId)) : [];
    for (const id of projects) await memory.hooks.refresh(id, signal);
    return result;
  },
  json: (result) =>
    'estimate' in result
      ? result
      : {
          ...result,
          failed: result.failed.map(({ sessionId, error: { code, message, hint } }) => ({
            sessionId,
            error: { code, message, hint },
          })),
        },
  text(result, { plural, exact, good, accent, warning, quiet }) {
    if ('estimate' in result) {
      const { sessions, cost, usdPerSession, provider, model } = result.estimate;
      if (sessions === 0) return NOTHING;
      return joinParts([
        `${plural(sessions, 'session')} with ${model} (${provider})`,
        `about ${moneyText(cost.usd)}`,
        `${moneyText(usdPerSession)} each`,
        `${exact(cost.inputTokens)} tokens in, ${exact(cost.outputTokens)} out`,
      ]);
    }
    const { read: done, failed, cost } = result;
    if (done.length + failed.length === 0) return NOTHING;
    return [
      done.map(({ sessionId, title, items, refused }) => {
        const notes = `${plural(items, 'note')}${refused === 0 ? '' : `, ${refused} refused`}`;
        return joinParts([good('✓ read'), accent(shortId(sessionId)), title, notes], '  ');
      }),
      failed.map(({ sessionId, error }) =>
        joinParts([warning('not read'), shortId(sessionId), `${error.message} ${error.hint}`], '  '),
      ),
      quiet(`${moneyText(cost.usd)} · \`keepit facts --review\` lists what waits for your word`),
    ];
  },
});

function requestOf({ provider, model, maxCost: maxCostUsd }: Inputs<typeof ways>): ReadRequest {
  return { provider, model, maxCostUsd };
}

export const readingOn = command({
  name: 'reading on',
  summary: 'Have each session read by a model when it ends, from now on',
  details: [
    'It shows what that costs for each session, by the last ones, and asks once. One process at a time does it, after the session; the limits of `models.limits` hold for it. `reading off` ends it.',
  ],
  input: ways,
  examples: ['reading on', 'reading on --provider anthropic --model haiku --max-cost 0.05 --yes'],
  async run(said, context) {
    const { memory, scope, confirm, signal } = context;
    const request = requestOf(said);
    const price = await memory.reading.price(await scope.onlyProject(), request, signal);
    const { model, provider, sessions, usdPerSession } = price;
    const costs = sessions === 0 ? 'a cent or less' : `about ${moneyText(usdPerSession)}`;
    const question = `Have ${model} (${provider}) read each session when it ends, for ${costs} a session?`;
    const refused = `${question} Without a yes`;
    if (confirm === undefined && !said.yes) throw new CliFailure('not-read', refused);
    await agree(question, refused, context, 'not-read');
    return { settings: await memory.reading.agree(true, request), model, costs, usdPerSession };
  },
  json: ({ settings, usdPerSession }) => ({ ...settings, usdPerSession }),
  text: ({ settings, model, costs }, { good }) =>
    `${good('✓ on')}  ${model} reads each session when it ends: ${costs} each, ${moneyText(settings.sessionUsd)} at most. \`keepit read --all\` reads those of before.`,
});

export const readingOff = command({
  name: 'reading off',
  summary: 'Have no session read by a model any more',
  examples: ['reading off'],
  run: async (_input, { memory }) => memory.reading.agree(false),
  text: () => 'No session is read by a model any more. What was noted stays.',
});

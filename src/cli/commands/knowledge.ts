import { isForeign, type FactKind, type FactView } from '../../core/knowledge/facts/factViews';
import { oneLine } from '../../core/text/cleanText';
import { shortId, joinParts } from '../../core/text/formats';
import { kindNames, SEARCH_KINDS } from '../../core/search/searchDocument';
import { searchDate } from '../../core/search/searchFilter';
import type { SearchHit } from '../../core/search/answers';
import { command, type Command } from '../command';
import type { CommandContext } from '../context';
import { argument, flag, oneOf, option, repeated, several, share, text, whole } from '../fields';
import type { Lines, Page, Tone } from '../page';

const CONTENT_LENGTH = 300;
const id = argument(text, 'the fact, as `facts` lists it');

const kinds: Record<FactKind, string> = { rules: 'rule', solutions: 'solution', core_logic: 'core logic' };
const tones: Record<FactView['state'], Tone> = {
  valid: 'plain',
  review: 'warning',
  superseded: 'quiet',
  rejected: 'quiet',
};

export const facts = command({
  name: 'facts',
  group: 'Knowledge',
  summary: 'List what is known of a project: rules, solutions, core logic',
  details: [
    'What was found in the project and this memory did not write is listed apart: no session is told of it before you confirm it.',
    'Rules come from the human alone; the latest statement on a subject is the one that holds. --all also lists what was replaced or rejected.',
  ],
  input: {
    kind: option(oneOf(['rules', 'solutions', 'core_logic']), 'KIND', 'rules, solutions or core_logic'),
    type: option(oneOf(['pattern', 'decision', 'preference', 'fact']), 'TYPE', 'pattern, decision, preference or fact'),
    review: flag('Only what has to be looked at: what was often acted against, and what a model proposed'),
    all: flag('Also what does not hold'),
  },
  examples: ['facts', 'facts --kind rules', 'facts --type decision', 'facts --review', 'facts --all --json'],
  run: async (filter, { scope, memory }) => ({
    facts: await memory.layers.facts(await scope.onlyProject(), { ...filter, foreign: true, reported: true }),
  }),
  text({ facts: found }, page) {
    const foreign = found.filter(isForeign);
    if (foreign.length === 0) return factsText(found, page);
    const own = found.filter((fact) => !isForeign(fact));
    return [
      own.length > 0 && [factsText(own, page), ''],
      `${page.warning('Found in this project, not from you')}: no session is told of it. \`keepit fact confirm ID\` accepts, \`keepit fact reject ID\` rejects.`,
      factsText(foreign, page),
    ];
  },
});

function factsText(found: readonly FactView[], { table }: Page): Lines {
  if (found.length === 0) return 'There are no such facts.';
  return table(found, (fact) => {
    const { content, kind, trust, contradictions, state, source, lastValidated } = fact;
    const note = stateNote(fact);
    return {
      Fact: ['accent', fact.id],
      Kind: kinds[kind],
      'Says…': oneLine(content, CONTENT_LENGTH),
      Trust: trust,
      Against: contradictions || '',
      State: note !== 'valid' && [tones[state], note],
      Session: ['quiet', source && shortId(source.sessionId)],
      Day: ['quiet', lastValidated],
    };
  });
}

function stateNote({ state, supersededBy = '', isConfirmed, isProposed, origin, outdated }: FactView): string {
  if (state === 'review' && origin === 'foreign') return 'not from you';
  if (state === 'superseded') return `replaced by ${supersededBy}`;
  if (state === 'review' && isProposed === true) return 'proposed';
  return isConfirmed ? 'confirmed' : (outdated ?? state);
}

export const brief = command({
  name: 'brief',
  group: 'Knowledge',
  summary: 'Show what the next session would be given',
  details: [
    'Where the work stands, the rules and decisions that hold, the heads of the project’s own notes, and earlier sessions to fetch from: nothing that CLAUDE.md or MEMORY.md says already. `hooks.briefTokens` says how long it may be.',
  ],
  input: { file: repeated(text, 'F', 'What the session is about: decisions on this file come first; repeatable') },
  examples: ['brief', 'brief --file src/auth/login.ts', 'brief --json'],
  run: async ({ file: files }, { scope, memory, signal }) =>
    memory.hooks.brief(await scope.onlyProject(), { files }, signal),
  text: ({ text: told, tokens }, { plural, quiet }) =>
    told === '' ? 'There is nothing to tell a session yet.' : [told, '', quiet(plural(tokens, 'token'))],
});

function changing(verb: string, summary: string, to: 'confirmed' | 'rejected' | 'forgotten'): Command {
  return command({
    name: `fact ${verb}`,
    group: 'Knowledge',
    summary,
    input: { id },
    examples: [`fact ${verb} r003`],
    run: async ({ id: fact }, { memory, scope }) => memory.layers.changeFact(await scope.onlyProject(), fact, { to }),
    json: ({ fact }) => ({ fact }),
    text: ({ fact }, page) => factsText([fact], page),
  });
}

export const factConfirm = changing('confirm', 'Say that a fact holds', 'confirmed');
export const factReject = changing(
  'reject',
  'Say that a fact is wrong; it stays to be seen, and counts no more',
  'rejected',
);
export const factForget = changing('forget', 'Take a fact out; it does not come back', 'forgotten');

export const factEdit = command({
  name: 'fact edit',
  group: 'Knowledge',
  summary: 'Put a fact in other words',
  input: { id, words: several(text, 'what it is to say') },
  examples: ['fact edit r003 "Commit messages are in Chinese"'],
  run: async ({ id: fact, words }, { memory, scope }) =>
    memory.layers.changeFact(await scope.onlyProject(), fact, { to: 'edited', content: words.join(' ') }),
  json: ({ fact }) => ({ fact }),
  text: ({ fact }, page) => factsText([fact], page),
});

export const factWhy = command({
  name: 'fact why',
  group: 'Knowledge',
  summary: 'Say why a fact, or a line of the brief, is told: the words, their message, and what it replaced',
  input: { id },
  examples: ['fact why r003'],
  run: async ({ id: fact }, { scope, memory }) => memory.layers.why(await scope.onlyProject(), fact),
  text: ({ fact, messages, replaced }, { accent, quiet }) => [
    fact.content,
    messages.map((message) => `${accent(message.sessionId)}  ${oneLine(message.text, CONTENT_LENGTH)}`),
    replaced.map(({ content }) => quiet(`replaced: ${content}`)),
  ],
});

const MOST_FILES = 4;
const TITLE_LENGTH = 60;

export const search = command({
  name: 'search',
  group: 'Knowledge',
  summary: 'Find words in all that is in memory',
  details: [
    'Looks through facts, keepits, the notebook, the rolling memory, concepts, compositions, versions, and what was said in sessions in memory. Words are found in any language and in most of their forms, and misspelt ones where nothing else fits; "words in quotation marks" count more as they are, and +word and +"words" have to be there. Dates in words (in March, last week) lift what happened then.',
    'The best answer comes first. What was said is found as an exchange: what was asked, what says most, and how it ended; --kind message finds messages one by one. What speaks of the same message is listed once. --also asks the same in other words, as names and error texts in the code have them: what several ways of asking find comes first.',
  ],
  input: {
    query: several(text, 'the words'),
    file: repeated(text, 'GLOB', 'Only what touched such a file: src/auth/**, login.ts; repeatable'),
    since: option(text, 'D', 'Not before: 2026-01-31, or 7d for a week ago'),
    until: option(text, 'D', 'Not after'),
    topic: repeated(text, 'T', 'Only what is about this as well; repeatable'),
    kind: repeated(oneOf(SEARCH_KINDS), 'KIND', `Only one kind: ${SEARCH_KINDS.join(', ')}; repeatable`),
    weightMin: option(share, 'W', 'Only keepits from this weight on'),
    weightMax: option(share, 'W', 'Only keepits up to this weight'),
    limit: option(whole, 'N', 'So many answers at most; 20, when nothing is said'),
    cursor: option(text, 'C', 'The next page: nextCursor of the one before'),
    linked: flag('Also in what is linked to the project'),
    also: repeated(text, 'QUERY', 'The same in other words; repeatable'),
  },
  examples: [
    'search refresh token expiry',
    `search '+"refresh token" expiry'`,
    'search "why were people logged out" --also "refresh token expiry" --also useSession',
    'search login --file "src/auth/**" --since 30d',
    'search deploy --kind fact --kind keepit --all-projects --json',
  ],
  async run({ query: words, file, since, until, topic, kind, also, ...filter }, context: CommandContext) {
    const startedMs = performance.now();
    const { memory, scope, onProgress, signal, wrong } = context;
    const query = words.join(' ');
    if (query.trim() === '') throw wrong('The words are missing: search "refresh token".');
    const projectId = await scope.projectId();
    const now = new Date();
    const request = {
      ...filter,
      query,
      projectIds: projectId === undefined ? undefined : [projectId],
      files: file.length > 0 ? file : undefined,
      topics: topic,
      kinds: kind.length > 0 ? kind : undefined,
      since: since === undefined ? undefined : searchDate(since, 'since', now),
      until: until === undefined ? undefined : searchDate(until, 'until', now),
      queries: also,
    };
    const found = await memory.search.search(request, onProgress, signal);
    const tookMs = Math.round(performance.now() - startedMs);
    // How many sessions there were to search, where nothing was found.
    const searched = found.total > 0 ? 0 : (await memory.sessions.list(projectId)).length;
    return { found: { ...found, tookMs }, searched };
  },
  json: ({ found }) => found,
  text({ found: { results, total, unread, failed }, searched }, page) {
    const { exact, plural, warning } = page;
    const shown = total > results.length && `${exact(results.length)} of ${exact(total)} shown`;
    const nothing =
      searched === 0
        ? 'Nothing was found: no session is in memory here. `keepit register --all` takes them in.'
        : `Nothing was found in ${plural(searched, 'session')} in memory.`;
    return [
      results.map((hit) => [hitLines(hit, page), '']),
      total === 0 ? nothing : joinParts([plural(total, 'answer'), shown]),
      unread > 0 && warning(`${plural(unread, 'session')} not read yet, as there was too much at once: search again.`),
      failed.map(({ what, error }) => warning(`${what} could not be read: ${error}`)),
    ];
  },
});

function hitLines(hit: SearchHit, { accent, quiet, strong, age }: Page): Lines {
  const { kind, sessionId, messageUuid, timestamp, title = '', files, role = 'message', weight, why } = hit;
  const isPart = kind === 'message' || kind === 'keepit' || kind === 'exchange';
  const more = files.length > MOST_FILES ? `, ${files.length - MOST_FILES} more` : '';
  return [
    joinParts([
      accent(kind === 'message' ? `${role} said` : kindNames[kind]),
      !isPart && oneLine(`${hit.id} ${title}`.trim(), TITLE_LENGTH),
      weight?.toFixed(2),
      sessionId && `session ${shortId(sessionId)}`,
      messageUuid && `message ${shortId(messageUuid)}`,
      age(timestamp),
    ]),
    `  ${highlighted(hit, strong)}`,
    quiet(`  ${why}`),
    files.length > 0 && quiet(`  ${files.slice(0, MOST_FILES).join(', ')}${more}`),
  ];
}

function highlighted({ snippet, matches }: SearchHit, strong: Page['strong']): string {
  let shown = '';
  let at = 0;
  for (const [start, end] of matches) {
    shown += snippet.slice(at, start) + strong(snippet.slice(start, end));
    at = end;
  }
  return shown + snippet.slice(at);
}

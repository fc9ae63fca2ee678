import type { SearchHit } from '../../core/search/answers';
import { kindNames, SEARCH_KINDS } from '../../core/search/searchDocument';
import { searchDate } from '../../core/search/askedDates';
import { oneLine } from '../../core/text/cleanText';
import { joinParts, shortId } from '../../core/text/formats';
import { command } from '../command';
import type { CommandContext } from '../context';
import { flag, oneOf, option, repeated, several, share, text, whole } from '../fields';
import type { Lines, Page } from '../page';

const MOST_FILES = 4;
const TITLE_LENGTH = 60;

export const search = command({
  name: 'search',
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
    const startedMs = Date.now(); // loading the finer clock would take longer than it is finer
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
    const tookMs = Date.now() - startedMs;
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

export const suggest = command({
  name: 'suggest',
  summary: 'Name the sessions of before that the work at hand may need',
  details: [
    'What touched the same files comes first, who changed them before who read them; then who spoke of the same things, the newest, those that were used in compositions, and those that something was stated or proved in. Each says why in one line.',
    'What they take together stays in the budget: the whole session where it fits, else its largest version that does.',
  ],
  input: {
    file: repeated(text, 'F', 'A file of the work at hand: src/auth, retry.ts; repeatable'),
    topic: repeated(text, 'T', 'What it is about, in any words; repeatable'),
    branch: option(text, 'B', 'The git branch of the work; one that most sessions are on says nothing'),
    budget: option(whole, 'N', 'Tokens for all of them together; 8000, when nothing is said'),
  },
  examples: ['suggest --file src/http/retry.ts', 'suggest --topic "refresh token" --budget 20000 --json'],
  run: async ({ file: files, topic: topics, branch, budget }, { scope, memory, signal }) => {
    const request = { projectId: await scope.onlyProject(), files, topics, branch, budget };
    return { suggestions: await memory.search.suggest(request, signal) };
  },
  text: ({ suggestions }, { accent, age, exact }) =>
    suggestions.length === 0
      ? 'No session of before has to do with that.'
      : suggestions.map(({ sessionId, versionId, title = '', suggestedTokens, lastTimestamp, why }, index) => [
          index > 0 && '',
          joinParts([
            accent(shortId(sessionId)),
            oneLine(title, TITLE_LENGTH),
            age(lastTimestamp),
            `${exact(suggestedTokens)} tokens${versionId === 'original' ? '' : ` as ${versionId}`}`,
          ]),
          `  ${why}`,
        ]),
});

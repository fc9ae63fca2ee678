import type { ContextSuggestion } from '../../core/search/suggestions';
import { oneLine } from '../../core/text/cleanText';
import { formatAge, joinParts, shortId } from '../../core/text/formats';
import { type Command, type Page, valued } from '../command';
import { projectOf } from '../projectOf';

const TITLE_LENGTH = 60;

export const suggest: Command = {
  name: 'suggest',
  group: 'Knowledge',
  summary: 'Name the sessions of before that the work at hand may need',
  details: [
    'What touched the same files comes first, who changed them before who read them; then who spoke of the same things, the newest, those that were used in compositions, and those that something was stated or proved in. Each says why in one line.',
    'What they take together stays in the budget: the whole session where it fits, else its largest version that does.',
  ],
  options: {
    file: valued('F', 'A file of the work at hand: src/auth, retry.ts; repeatable'),
    topic: valued('T', 'What it is about, in any words; repeatable'),
    budget: valued('N', 'Tokens for all of them together; 8000, when nothing is said'),
  },
  examples: ['suggest --file src/http/retry.ts', 'suggest --topic "refresh token" --budget 20000 --json'],
  async run(input, { scope, memory, signal }) {
    const request = {
      projectId: await projectOf(scope),
      files: input.all('file'),
      topics: input.all('topic'),
      budget: input.count('budget'),
    };
    const suggestions = await memory.search.suggest(request, signal);
    return { json: { suggestions }, text: (page) => suggestionsText(suggestions, page) };
  },
};

function suggestionsText(suggestions: readonly ContextSuggestion[], page: Page): string {
  if (suggestions.length === 0) return 'No session of before has to do with that.';
  return suggestions.map((one) => rowText(one, page)).join('\n\n');
}

function rowText(one: ContextSuggestion, { style, formats, nowMs }: Page): string {
  const { sessionId, versionId, title = '', suggestedTokens, lastTimestamp, why } = one;
  const head = joinParts([
    style.paint('accent', shortId(sessionId)),
    oneLine(title, TITLE_LENGTH),
    formatAge(Date.parse(lastTimestamp), nowMs),
    `${formats.exact(suggestedTokens)} tokens${versionId === 'original' ? '' : ` as ${versionId}`}`,
  ]);
  return `${head}\n  ${why}`;
}

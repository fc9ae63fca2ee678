import { oneLine } from '../../core/text/cleanText';
import { joinParts, shortId } from '../../core/text/formats';
import { command } from '../command';
import { option, repeated, text, whole } from '../fields';

const TITLE_LENGTH = 60;

export const suggest = command({
  name: 'suggest',
  group: 'Knowledge',
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

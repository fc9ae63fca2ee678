import { isForeign, type FactKind, type FactView } from '../../core/knowledge/facts/factViews';
import { oneLine } from '../../core/text/cleanText';
import { shortId } from '../../core/text/formats';
import { command, type Command } from '../command';
import { argument, flag, oneOf, option, repeated, several, text } from '../fields';
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

/** How a fact that was changed is told. */
const told = {
  json: ({ fact }: { fact: FactView }) => ({ fact }),
  text: ({ fact }: { fact: FactView }, page: Page) => factsText([fact], page),
};

function changing(verb: string, summary: string, to: 'confirmed' | 'rejected' | 'forgotten'): Command {
  return command({
    ...told,
    name: `fact ${verb}`,
    summary,
    input: { id },
    examples: [`fact ${verb} r003`],
    run: async ({ id: fact }, { memory, scope }) => memory.layers.changeFact(await scope.onlyProject(), fact, { to }),
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
  ...told,
  name: 'fact edit',
  summary: 'Put a fact in other words',
  input: { id, words: several(text, 'what it is to say') },
  examples: ['fact edit r003 "Commit messages are in Chinese"'],
  run: async ({ id: fact, words }, { memory, scope }) =>
    memory.layers.changeFact(await scope.onlyProject(), fact, { to: 'edited', content: words.join(' ') }),
});

export const factWhy = command({
  name: 'fact why',
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

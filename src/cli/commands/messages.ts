import { cleanLines, oneLine } from '../../core/text/cleanText';
import { formatCount, timeOf } from '../../core/text/formats';
import type { MessageRow } from '../../core/sessions/results';
import type { Answer, Command, Page } from '../command';

const TARGET_LENGTH = 100;

export const messages: Command = {
  name: 'messages',
  group: 'Sessions',
  summary: 'Print what was said in a session',
  details: [
    'The live conversation, without branches that were left by a rewind: what the human and the assistant said, and one line for each tool that was used.',
  ],
  args: [{ name: 'session', help: 'the session', arity: 'one' }],
  options: {
    from: { type: 'string', value: 'N', help: 'Begin with message N (the first is 0)' },
    to: { type: 'string', value: 'N', help: 'End with message N' },
  },
  examples: ['messages e3580bc6', 'messages e3580bc6 --from 10 --to 20', 'messages e3580bc6 | less -R'],
  async run(input, { scope, memory, signal }): Promise<Answer> {
    const from = input.count('from');
    const to = input.count('to');
    if (from !== undefined && to !== undefined && from > to) throw input.wrong('--from is behind --to.');
    const ref = await scope.session(input.required(0), signal);
    const rows = await memory.messages(ref, { from, to }, signal);
    return { json: { messages: rows }, text: (page) => messagesText(rows, page) };
  },
};

function messagesText(rows: readonly MessageRow[], page: Page): string {
  return rows.length === 0 ? 'No messages.' : rows.map((row) => messageText(row, page)).join('\n\n');
}

function messageText({ index, role, timestamp, text, tokens, tools }: MessageRow, page: Page): string {
  const { style, formats } = page;
  const timeMs = timeOf(timestamp);
  const who = role === 'user' ? 'Human' : 'Assistant';
  const facts = [`#${index}`, timeMs === undefined ? '' : formats.dateTime(timeMs), `${formatCount(tokens)} tokens`];
  return [
    `${style.paint(role === 'user' ? 'good' : 'accent', `▌${who}`)}  ${style.paint('quiet', facts.filter((fact) => fact !== '').join(' · '))}`,
    ...cleanLines(text),
    ...tools.map(({ name, target }) => style.paint('quiet', `  → ${oneLine(`${name} ${target}`, TARGET_LENGTH)}`)),
  ].join('\n');
}

// npm run eval -- layers [--data ../shared/data]: how much smaller L1 is than the transcripts that it holds every word of.

import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { entriesOf, refine } from '../../src/core/knowledge/exchanges';
import { l1Text } from '../../src/core/knowledge/layerDocuments';
import { readSpoken } from '../../src/core/knowledge/layerReader';
import { readConversation } from '../../src/core/sessions/readConversation';
import { DiskClaudeFolder } from '../../src/node/claude/claudeFolder';
import { FileExcerpts } from '../../src/node/claude/transcriptFile';
import { NodeTokenCounters } from '../../src/node/tokens/nodeTokenCounters';

const { values: options } = parseArgs({ options: { data: { type: 'string', default: '../shared/data' } } });
const counter = await new NodeTokenCounters(path.resolve('dist/o200k_base.bin')).exact();
const claude = new DiskClaudeFolder(path.resolve(options.data, 'claude-home'));
const parts = { claude, openExcerpts: (file: string) => new FileExcerpts(file) };
const estimator = { estimate: (text: string) => counter.count(text), sample: (text: string) => counter.count(text) };

const sums = { files: 0, bytes: 0, l1Bytes: 0, dialogueTokens: 0, saidTokens: 0, l1Tokens: 0 };
const projects = path.join(claude.dir, 'projects');
for (const name of (await readdir(projects, { recursive: true })).sort()) {
  if (!name.endsWith('.jsonl')) continue;
  const file = path.join(projects, name);
  const { messages } = await readConversation(claude, file, { estimator });
  const { live, aside, events } = await readSpoken(parts, { path: file, sessionId: name });
  const text = l1Text(entriesOf(refine([...live, ...aside], events)));
  sums.files += 1;
  sums.bytes += (await stat(file)).size;
  sums.l1Bytes += new TextEncoder().encode(text).length;
  sums.dialogueTokens += messages.reduce((sum, { tokens, resultTokens }) => sum + tokens + resultTokens, 0);
  sums.saidTokens += messages.reduce((sum, message) => sum + counter.count(message.text), 0);
  sums.l1Tokens += counter.count(text);
}
const percent = (part: number, whole: number): string => `${((1 - part / whole) * 100).toFixed(1)} %`;
console.log(`${sums.files} transcripts`);
console.log(`bytes            ${sums.bytes} → ${sums.l1Bytes}: ${percent(sums.l1Bytes, sums.bytes)} less`);
console.log(
  `dialogue tokens  ${sums.dialogueTokens} → ${sums.l1Tokens}: ${percent(sums.l1Tokens, sums.dialogueTokens)} less`,
);
console.log(`of which said    ${sums.saidTokens}, all of them kept`);

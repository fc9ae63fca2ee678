// npm run eval -- suggestions [--show] [--data ../shared/data]
// Hides a real session, and asks by its first request which sessions of before it will need: those that changed files which it went on to read or change.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Log } from '../../src/core/model/host';
import { readConversation } from '../../src/core/sessions/readConversation';
import type { Message } from '../../src/core/transcript/types';
import { createMemory } from '../../src/node/createMemory';
import { DiskClaudeFolder } from '../../src/node/claude/claudeFolder';

const { values: options } = parseArgs({
  options: { show: { type: 'boolean', default: false }, data: { type: 'string', default: '../shared/data' } },
});

const CHANGES = /^(?:Edit|MultiEdit|Write|NotebookEdit)$/;
const READS = /^(?:Read|NotebookRead)$/;
const DEPTHS = [1, 3] as const;
/** Room for all of them: what is asked is their order. */
const BUDGET = 10_000_000;
const ASKED_CHARACTERS = 400;
const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

interface Session {
  readonly id: string;
  readonly start: string;
  readonly request: string;
  readonly changed: ReadonlySet<string>;
  readonly touched: ReadonlySet<string>;
  /** The first file that it looked at, as it stands in an editor. */
  readonly first: string | undefined;
}

function sessionOf(id: string, messages: readonly Message[]): Session | undefined {
  const request = messages.find(({ origin, text }) => origin === 'prompt' && text.trim() !== '');
  const tools = messages.flatMap((message) => message.tools);
  const targets = (pattern: RegExp): string[] =>
    tools.flatMap(({ name, target }) => (pattern.test(name) && target !== '' ? [target] : []));
  if (request?.timestamp === undefined) return undefined;
  const changed = new Set(targets(CHANGES));
  const touched = new Set([...changed, ...targets(READS)]);
  const first = tools.find(({ name, target }) => target !== '' && (CHANGES.test(name) || READS.test(name)))?.target;
  const text = request.text.slice(0, ASKED_CHARACTERS);
  return { id, start: request.timestamp, request: text, changed, touched, first };
}

type Tally = Record<(typeof DEPTHS)[number], number> & { reciprocal: number };
const tallies = new Map<string, Tally>();
let hidden = 0;

function count(method: string, ranked: readonly string[], needed: ReadonlySet<string>): void {
  const tally = tallies.get(method) ?? { 1: 0, 3: 0, reciprocal: 0 };
  tallies.set(method, tally);
  for (const depth of DEPTHS) if (ranked.slice(0, depth).some((id) => needed.has(id))) tally[depth] += 1;
  const first = ranked.findIndex((id) => needed.has(id));
  if (first !== -1) tally.reciprocal += 1 / (first + 1);
}

async function measure(claudeDir: string): Promise<void> {
  const memoryDir = await mkdtemp(path.join(tmpdir(), 'keepit-eval-'));
  const memory = createMemory({ claudeDir, memoryDir, log: silent, distDir: path.resolve('dist') });
  const claude = new DiskClaudeFolder(claudeDir);
  try {
    for (const projectId of (await readdir(path.join(claudeDir, 'projects'))).sort()) {
      const folder = path.join(claudeDir, 'projects', projectId);
      const sessions: Session[] = [];
      for (const name of await readdir(folder)) {
        if (!name.endsWith('.jsonl') || name.startsWith('agent-')) continue;
        const { messages } = await readConversation(claude, path.join(folder, name));
        const session = sessionOf(path.basename(name, '.jsonl'), messages);
        if (session !== undefined) sessions.push(session);
      }
      sessions.sort((a, b) => (a.start < b.start ? -1 : 1));
      await memory.service.sessions.register(sessions.map(({ id }) => ({ projectId, sessionId: id })));
      for (const [at, session] of sessions.entries()) {
        const before = sessions.slice(0, at);
        const needed = new Set(
          before.filter(({ changed }) => [...changed].some((file) => session.touched.has(file))).map(({ id }) => id),
        );
        // Where all or none of them are needed, there is nothing to choose.
        if (needed.size === 0 || needed.size === before.length) continue;
        hidden += 1;
        const except = sessions.slice(at).map(({ id }) => id);
        const asked = { projectId, except, budget: BUDGET, topics: [session.request] };
        const ranked = async (files: readonly string[]): Promise<string[]> =>
          (await memory.service.search.suggest({ ...asked, files })).map(({ sessionId }) => sessionId);
        const byWords = await ranked([]);
        if (options.show) console.error(`${session.id.slice(0, 8)} ${byWords.findIndex((id) => needed.has(id)) + 1}`);
        count('suggested by its first request', byWords, needed);
        count('and by the first file that it opens', await ranked([session.first ?? ''].filter(Boolean)), needed);
        count('the newest', before.map(({ id }) => id).reverse(), needed);
      }
    }
  } finally {
    await memory.dispose();
    await rm(memoryDir, { recursive: true, force: true });
  }
}

await measure(path.resolve(options.data, 'claude-home'));
await measure(path.resolve(options.data, 'gold', 'claude-home'));
console.log(`${hidden} sessions that some of those before had prepared, and others not`);
for (const [method, { reciprocal, ...found }] of tallies) {
  const shares = DEPTHS.map((depth) => `among ${depth}: ${((found[depth] / hidden) * 100).toFixed(1).padStart(5)} %`);
  console.log(`${method.padEnd(40)} ${shares.join('  ')}  MRR ${(reciprocal / hidden).toFixed(3)}`);
}

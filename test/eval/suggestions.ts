// npm run eval -- suggestions [--show] [--data ../shared/data]
// Hides a real session, and asks by each of its requests which sessions of before it will need: those that read or changed files which it went on
// to read or change for that request. Its first request is what a new session begins with; the others are more of the kind.
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

const FILES = /^(?:Edit|MultiEdit|Write|NotebookEdit|Read|NotebookRead)$/;
const DEPTHS = [1, 3] as const;
/** Room for all of them: what is asked is their order. */
const BUDGET = 10_000_000;
const ASKED_CHARACTERS = 400;
const silent: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

interface Session {
  readonly id: string;
  readonly start: string;
  readonly touched: ReadonlySet<string>;
  readonly requests: readonly Request[];
}

interface Request {
  readonly text: string;
  readonly touched: ReadonlySet<string>;
  /** The first file that it looked at, as it stands in an editor. */
  readonly first: string | undefined;
}

function sessionOf(id: string, messages: readonly Message[]): Session | undefined {
  const asked = messages.flatMap(({ origin, text }, at) => (origin === 'prompt' && text.trim() !== '' ? [at] : []));
  const start = messages[asked[0] ?? 0]?.timestamp;
  if (start === undefined) return undefined;
  const requests = asked.map((from, at): Request => {
    const targets = targetsOf(messages.slice(from, asked[at + 1]));
    return {
      text: messages[from]?.text.slice(0, ASKED_CHARACTERS) ?? '',
      touched: new Set(targets),
      first: targets[0],
    };
  });
  return { id, start, touched: new Set(targetsOf(messages)), requests };
}

function targetsOf(messages: readonly Message[]): string[] {
  const tools = messages.flatMap((message) => message.tools);
  return tools.flatMap(({ name, target }) => (FILES.test(name) && target !== '' ? [target] : []));
}

type Tally = Record<(typeof DEPTHS)[number], number> & { reciprocal: number; asked: number };
const tallies = new Map<string, Tally>();
const hidden = new Set<string>();

function count(method: string, ranked: readonly string[], needed: ReadonlySet<string>): void {
  const tally = tallies.get(method) ?? { 1: 0, 3: 0, reciprocal: 0, asked: 0 };
  tallies.set(method, tally);
  tally.asked += 1;
  for (const depth of DEPTHS) if (ranked.slice(0, depth).some((id) => needed.has(id))) tally[depth] += 1;
  const first = ranked.findIndex((id) => needed.has(id));
  if (first !== -1) tally.reciprocal += 1 / (first + 1);
}

async function measureSession(
  { id: hiddenId, requests }: Session,
  before: readonly Session[],
  suggest: (topic: string, files: readonly string[]) => Promise<string[]>,
): Promise<void> {
  for (const [turn, { text, touched, first }] of requests.entries()) {
    const isNeeded = (session: Session): boolean => [...session.touched].some((file) => touched.has(file));
    const needed = new Set(before.filter(isNeeded).map(({ id }) => id));
    // Where all or none of them are needed, there is nothing to choose.
    if (needed.size === 0 || needed.size === before.length) continue;
    hidden.add(hiddenId);
    const byWords = await suggest(text, []);
    if (options.show) console.error(`${hiddenId.slice(0, 8)} ${byWords.findIndex((id) => needed.has(id)) + 1}`);
    for (const which of turn === 0 ? ['first requests', 'all requests'] : ['all requests']) {
      count(`${which}: suggested by their words`, byWords, needed);
      count(`${which}: and by the first file`, await suggest(text, [first ?? ''].filter(Boolean)), needed);
      count(`${which}: the newest`, before.map(({ id }) => id).reverse(), needed);
    }
  }
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
        const except = sessions.slice(at).map(({ id }) => id);
        const suggest = async (topic: string, files: readonly string[]): Promise<string[]> => {
          const asked = { projectId, except, budget: BUDGET, topics: [topic], files };
          return (await memory.service.search.suggest(asked)).map(({ sessionId }) => sessionId);
        };
        await measureSession(session, before, suggest);
      }
    }
  } finally {
    await memory.dispose();
    await rm(memoryDir, { recursive: true, force: true });
  }
}

await measure(path.resolve(options.data, 'claude-home'));
await measure(path.resolve(options.data, 'gold', 'claude-home'));
console.log(`${hidden.size} sessions with requests in whose files some of those before had been, and others not`);
for (const [method, { reciprocal, asked, ...found }] of [...tallies].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const shares = DEPTHS.map((depth) => `among ${depth}: ${((found[depth] / asked) * 100).toFixed(1).padStart(5)} %`);
  console.log(`${method.padEnd(44)} ${shares.join('  ')}  MRR ${(reciprocal / asked).toFixed(3)} of ${asked}`);
}

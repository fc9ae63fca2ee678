import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { benchEnvironment } from './environment';
import { Random } from './random';

/** How much is said: sessions of so many messages, each of so many characters in the mean. */
export interface SaidRecipe {
  readonly sessions: number;
  readonly messages: number;
  readonly characters: number;
}

const EMPTY_WORDS = 'the of and to in a is that it for on with as this was be are we by from so not an but at'.split(
  ' ',
);
const EMPTY_SHARE = 0.35;
const VOCABULARY = 60_000;
const ONSETS = 'b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z'.split(' ');
const VOWELS = 'a e i o u ai ea ou'.split(' ');
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'l', 'm', 'ck'];
const START_MS = Date.UTC(2025, 0, 6, 9);
const SESSIONS_A_PROJECT = 50;
const PROMPT_EVERY = 5;

/** Words as people use them: the n-th is said 1/n times as often as the first. */
export class Vocabulary {
  readonly words: readonly string[];
  private readonly random = new Random(11);

  constructor() {
    const words = new Set<string>();
    while (words.size < VOCABULARY) words.add(this.word());
    this.words = [...words];
  }

  /** How common: 0 for the commonest. */
  at(rank: number): string {
    return this.words[rank] ?? '';
  }

  any(random: Random): string {
    return this.at(Math.floor(VOCABULARY ** random.next()) - 1);
  }

  text(random: Random, characters: number): string {
    let text = '';
    while (text.length < characters) {
      const isEmpty = random.chance(EMPTY_SHARE);
      const word = isEmpty ? EMPTY_WORDS[random.int(0, EMPTY_WORDS.length)] : this.any(random);
      text += `${text === '' ? '' : random.chance(0.08) ? '. ' : ' '}${word ?? ''}`;
    }
    return text;
  }

  private word(): string {
    const syllables = this.random.int(1, 4);
    let word = '';
    for (let at = 0; at <= syllables; at++) word += this.of(ONSETS) + this.of(VOWELS) + this.of(CODAS);
    return word;
  }

  private of(parts: readonly string[]): string {
    return parts[this.random.int(0, parts.length)] ?? '';
  }
}

/** The transcripts of one session. */
export function saidSession(
  { sessionId, cwd, startMs }: { sessionId: string; cwd: string; startMs: number },
  { messages, characters }: Pick<SaidRecipe, 'messages' | 'characters'>,
  { random, vocabulary }: { random: Random; vocabulary: Vocabulary },
): string {
  const lines: string[] = [];
  let parentUuid: string | null = null;
  for (let at = 0; at < messages; at++) {
    const uuid = random.uuid();
    const timestamp = new Date(startMs + at * 20_000).toISOString();
    const base = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version: '2.1.30',
      uuid,
      timestamp,
    };
    const text = vocabulary.text(random, random.length(characters));
    if (at % PROMPT_EVERY === 0) {
      lines.push(JSON.stringify({ ...base, type: 'user', message: { role: 'user', content: text } }));
    } else {
      const file = `${cwd}/src/${vocabulary.at(random.int(0, 400))}.ts`;
      const content: object[] = [{ type: 'text', text }];
      const isLast = at % PROMPT_EVERY === PROMPT_EVERY - 1;
      if (!isLast)
        content.push({ type: 'tool_use', id: `toolu_${random.hex(16)}`, name: 'Read', input: { file_path: file } });
      const stopReason = isLast ? 'end_turn' : 'tool_use';
      const usage = { input_tokens: 10, output_tokens: 100 };
      const message = {
        id: `msg_${random.hex(16)}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-5',
        content,
        stop_reason: stopReason,
        usage,
      };
      lines.push(JSON.stringify({ ...base, type: 'assistant', message }));
    }
    parentUuid = uuid;
  }
  return `${lines.join('\n')}\n`;
}

/** A Claude folder of sessions in which much is said. Made once; it must not be changed. */
export async function saidFolder(recipe: SaidRecipe): Promise<string> {
  const { sessions, messages, characters } = recipe;
  const name = `said-${sessions}-${messages}-${characters}-v1`;
  const claudeDir = path.join(benchEnvironment().cacheDir, 'bench-data', name);
  if (existsSync(claudeDir)) return claudeDir;
  const draft = `${claudeDir}.${process.pid}.draft`;
  await rm(draft, { recursive: true, force: true });
  const tools = { random: new Random(5), vocabulary: new Vocabulary() };
  for (let at = 0; at < sessions; at++) {
    const cwd = `/home/sam/said/project-${Math.floor(at / SESSIONS_A_PROJECT)}`;
    const folder = path.join(draft, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
    await mkdir(folder, { recursive: true });
    const sessionId = tools.random.uuid();
    const identity = { sessionId, cwd, startMs: START_MS + at * 14_400_000 };
    await writeFile(path.join(folder, `${sessionId}.jsonl`), saidSession(identity, recipe, tools));
  }
  await rename(draft, claudeDir);
  return claudeDir;
}

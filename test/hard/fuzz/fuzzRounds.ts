import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { inputSchemaOf } from '../../../src/core/agentTools/memoryTool';
import { memoryTools } from '../../../src/core/agentTools/memoryTools';
import type { Chance } from './chance';
import { damagedFile } from './damage';
import type { FuzzHome } from './fuzzHome';
import { hostileText, hostileValue, hostileWord } from './hostileText';
import { randomRequests } from './randomRequests';
import { newSessionId, RandomSession } from './randomSession';

const messagesSchema = z.looseObject({ messages: z.array(z.looseObject({ uuid: z.string() })) });
const versionsSchema = z.looseObject({ versions: z.array(z.looseObject({ versionId: z.string() })) });
const factsSchema = z.looseObject({ facts: z.array(z.looseObject({ id: z.string() })) });

/** The search index has several pages then. */
const MANY_WORDS = 30_000;

/** One way through everything, over sessions that nobody could have wished for. */
export class FuzzRound {
  constructor(
    private readonly home: FuzzHome,
    private readonly chance: Chance,
  ) {}

  /** Sessions with damage of every kind, and all that Keepit does with them. */
  async transcripts(): Promise<void> {
    const sessions = await this.writeSessions(1 + this.chance.below(3), this.chance.is(0.3) ? 0 : 0.2);
    await this.wholePipeline(sessions);
  }

  /** Sound sessions, and then damage to a document of the store or the project before each call. */
  async documents(): Promise<void> {
    const isWordy = this.chance.is(0.25);
    const sessions = await this.writeSessions(2, 0, isWordy ? MANY_WORDS : 0);
    await this.wholePipeline(sessions);
    for (let count = 0; count < 4; count++) {
      const files = await this.home.documents();
      const ofIndex = files.filter((file) => isWordy && file.endsWith('.tables'));
      const chosen = this.chance.some(files, 1 + this.chance.below(3));
      for (const file of [...chosen, ...ofIndex]) {
        await this.home.change(file, (bytes) => damagedFile(bytes, this.chance));
      }
      if (ofIndex.length > 0) await this.searchAnew();
      await this.someCalls(sessions, 6);
      if (this.chance.is(0.3)) await this.home.keepit('doctor', '--repair');
    }
    await this.home.keepit('doctor', '--repair');
    await this.home.keepit('sync');
    await this.home.keepit('layers', 'build', '--full');
    await this.home.checkActivity();
  }

  /** As another process would, that has read nothing of the index yet. */
  private async searchAnew(): Promise<void> {
    const [word, other] = [hostileWord(this.chance), hostileWord(this.chance)];
    await this.home.close();
    await this.home.keepit('suggest', '--topic', word, '--file', other);
    await this.home.keepit('search', `x${word} ${other}`);
  }

  private async wholePipeline(sessions: readonly string[]): Promise<void> {
    const { home } = this;
    await home.keepit('discover');
    await home.keepit('register', '--all');
    await home.keepit('layers', 'enable', '--location', this.chance.pick(['project', 'home']), '--yes');
    await home.keepit('layers', 'build');
    for (const call of this.calls(this.chance.pick(sessions))) await call();
    await this.someCalls(sessions, 6);
    await home.keepit('composition', 'rebuild', 'fuzz');
    await home.keepit('layers', 'build', '--full');
    await home.keepit('unregister', sessions[0] ?? '');
    await home.keepit('restore', sessions[0] ?? '');
    await home.keepit('doctor', '--repair');
    await home.checkActivity();
  }

  private async someCalls(sessions: readonly string[], count: number): Promise<void> {
    for (const call of this.chance.some(this.calls(this.chance.pick(sessions)), count)) {
      if (this.chance.is(0.3)) await this.home.close();
      await call();
    }
  }

  private calls(sessionId: string): (() => Promise<unknown>)[] {
    const { home } = this;
    return [
      ...this.readingCalls(sessionId),
      ...this.writingCalls(sessionId),
      ...this.callsOfForgetting(sessionId),
      () => home.mcp(this.toolCalls(sessionId)),
      () => home.http(randomRequests(home, sessionId, this.chance)),
    ];
  }

  private readingCalls(sessionId: string): (() => Promise<unknown>)[] {
    const { home, chance } = this;
    return [
      () => home.keepit('show', sessionId),
      () => home.keepit('sessions'),
      () => home.keepit('messages', sessionId, '--from', '1', '--to', '5'),
      () => home.keepit('keepits', sessionId),
      () => home.keepit('decay', sessionId, '--ratio', '30', '--level', 'aggressive'),
      () => home.keepit('versions', sessionId),
      () => home.keepit('compositions'),
      () => home.keepit('composition', 'show', 'fuzz'),
      () => home.keepit('arrived', 'fuzz'),
      () => home.keepit('layers', 'show', chance.pick(['l1', 'l2', 'l3', 'l4'])),
      () => home.keepit('facts', '--all'),
      () => home.keepit('recall'),
      () => home.keepit('search', `${hostileWord(chance)} ${hostileText(chance).slice(0, 200).replace(/^-+/, '')}`),
      () => home.keepit('memory', 'list'),
      () => home.keepit('stats'),
      () => home.keepit('trash'),
      () => home.keepit('doctor'),
      () => home.keepit('config', 'list'),
      () => home.keepit('ledger'),
      () => home.keepit('brief', '--file', hostileWord(chance)),
      () => home.keepit('suggest', '--topic', hostileWord(chance), '--file', hostileWord(chance), '--budget', '2000'),
      () =>
        home.keepit(
          'search',
          hostileWord(chance),
          '--kind',
          'exchange',
          '--file',
          hostileWord(chance),
          '--topic',
          hostileWord(chance),
        ),
      () => home.keepit('links', '--all-projects'),
      () => home.keepit('resume', sessionId),
      () => home.keepit('never'),
      () => home.keepit('composition', 'diff', 'fuzz', 'fuzz'),
    ];
  }

  private writingCalls(sessionId: string): (() => Promise<unknown>)[] {
    const { home, chance } = this;
    const ratio = String(2 + chance.below(40));
    const transcript = path.join(home.sessionsDir, `${sessionId}.jsonl`);
    const input = { session_id: sessionId, transcript_path: transcript, cwd: home.projectDir };
    return [
      () => this.mark(sessionId),
      () => home.keepit('compress', sessionId, '--ratio', ratio, '--level', 'moderate'),
      () =>
        home.keepit('compress', sessionId, '--delta', '--preset', chance.pick(['gentle', 'standard', 'aggressive'])),
      () => this.compare(sessionId),
      () =>
        home.keepit(
          'compose',
          '--name',
          'fuzz',
          '--budget',
          String(500 + chance.below(8000)),
          '--last',
          '3',
          '--replace',
        ),
      () => home.keepit('deliver', 'fuzz', '--to', chance.pick(['resume', 'next-session', 'stdout'])),
      () => home.keepit('layers', 'build'),
      () => this.judgeFact(),
      () => home.keepit('summarize', sessionId),
      () => home.keepit('synthesize', '--yes'),
      () => home.keepit('memory', 'final', sessionId),
      () => home.keepit('sync'),
      () =>
        home.hook('SessionStart', {
          ...input,
          source: chance.pick(['startup', 'resume', 'compact', hostileWord(chance)]),
        }),
      () => home.hook('UserPromptSubmit', { ...input, prompt: hostileText(chance) }),
      () => home.hook('PreCompact', { ...input, trigger: 'auto', custom_instructions: hostileText(chance) }),
      () => home.hook('Stop', { ...input, last_assistant_message: hostileText(chance) }),
      () => home.hook('SessionEnd', { ...input, reason: 'other' }),
      () =>
        home.hook(chance.pick(['SessionEnd', 'Stop', 'PostToolUse']), {
          ...input,
          [hostileWord(chance)]: hostileValue(chance),
          cwd: hostileValue(chance),
        }),
    ];
  }

  /** What takes words away, and what carries them elsewhere. */
  private callsOfForgetting(sessionId: string): (() => Promise<unknown>)[] {
    const { home, chance } = this;
    const archive = path.join(home.dir, `${newSessionId(chance)}.tar`);
    return [
      () => home.keepit('erase', '--text', `x${hostileText(chance).slice(0, 40)}`, '--yes'),
      () => home.keepit('never', 'add', sessionId),
      () => home.keepit('never', 'remove', sessionId),
      () => home.keepit('pause', '--for', chance.pick(['1m', '2h', '90d'])),
      () => home.keepit('unpause'),
      () => home.keepit('auto-decay', '--all-projects'),
      () => home.keepit('prune', '--unused'),
      () => home.keepit('layers', chance.pick(['refine-all', 'dedupe', 'archive'])),
      () => home.keepit('fact', 'edit', 'p001', `x${hostileText(chance)}`),
      () => home.keepit('memory', 'set', 'project.md', '--text', `x${hostileText(chance)}`),
      () => home.keepit('link', 'add', sessionId, '--reason', `x${hostileText(chance)}`),
      () => home.keepit('notebook', 'accept', '--yes'),
      async () => {
        await home.keepit('export', '-o', archive);
        await home
          .change(archive, (bytes) => (chance.is(0.5) ? damagedFile(bytes, chance) : bytes))
          .catch(() => undefined); // nothing was written;
        await home.keepit('import', archive, chance.pick(['--merge', '--replace', '--dry-run']));
      },
    ];
  }

  private async mark(sessionId: string): Promise<void> {
    const { json } = await this.home.keepit('messages', sessionId);
    const { messages = [] } = messagesSchema.safeParse(json).data ?? {};
    if (messages.length === 0) return;
    await this.home.keepit('keepit', 'add', sessionId, this.chance.pick(messages).uuid, '--weight', '0.80');
  }

  private async compare(sessionId: string): Promise<void> {
    const { json } = await this.home.keepit('versions', sessionId);
    const { versions = [] } = versionsSchema.safeParse(json).data ?? {};
    if (versions.length === 0) return;
    const { versionId } = this.chance.pick(versions);
    await this.home.keepit('version', 'show', sessionId, versionId);
    await this.home.keepit('diff', sessionId, 'original', versionId);
  }

  private async judgeFact(): Promise<void> {
    const { json } = await this.home.keepit('facts', '--all');
    const { facts = [] } = factsSchema.safeParse(json).data ?? {};
    if (facts.length === 0) return;
    await this.home.keepit('fact', this.chance.pick(['confirm', 'reject', 'forget']), this.chance.pick(facts).id);
  }

  private toolCalls(sessionId: string): { name: string; arguments: Record<string, unknown> }[] {
    const values: readonly (() => unknown)[] = [
      () => hostileText(this.chance).slice(0, 300),
      () => hostileValue(this.chance),
      () => sessionId,
      () => this.chance.below(10),
    ];
    return memoryTools.map((tool) => {
      const { name } = tool;
      const { properties } = inputSchemaOf(tool);
      const fields = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
      const given = fields.filter((field) => field !== 'project' && this.chance.is(0.6));
      return { name, arguments: Object.fromEntries(given.map((field) => [field, this.chance.pick(values)()])) };
    });
  }

  private async writeSessions(count: number, damage: number, differentWords = 0): Promise<string[]> {
    const { chance, home } = this;
    const sessions = Array.from({ length: count }, () => newSessionId(chance));
    for (const sessionId of sessions) {
      const plan = { sessionId, cwd: home.projectDir, damage, chance };
      const own = { ...plan, records: chance.below(120), ...(sessionId === sessions[0] && { differentWords }) };
      const file = path.join(home.sessionsDir, `${sessionId}.jsonl`);
      await writeFile(file, new RandomSession(own).write());
      if (!chance.is(0.3)) continue;
      const agents = path.join(home.sessionsDir, sessionId, 'subagents');
      await mkdir(agents, { recursive: true });
      const agent = new RandomSession({ ...plan, records: chance.below(30) }).write();
      await writeFile(path.join(agents, `agent-${newSessionId(chance).slice(0, 8)}.jsonl`), agent);
    }
    return sessions;
  }
}

import assert from 'node:assert/strict';
import {
  promptAnswer,
  ID_GIVEN,
  startAnswer,
  type Claim,
  type StartRequest,
} from '../../../../../src/core/claude/hooks/sessionAnswers';
import { NO_NEWS, originsOf } from '../../../../../src/core/claude/hooks/hookAnswer';
import type { HookCard } from '../../../../../src/core/model/hookCard';
import { defaultHookSettings } from '../../../../../src/core/model/hookSettings';

const ID = 'Keepit session ID: s1';

function card(memory: string, origins: Record<string, string> = {}): HookCard {
  return {
    version: '1.0.0',
    projectId: '-p',
    madeAt: '2026-01-05T09:00:00Z',
    sources: {},
    settings: defaultHookSettings,
    isAutomatic: true,
    brief: [{ kind: 'memory', text: memory, tokens: 9, origins }],
  };
}

/** What is claimed in a session, as its hooks do it on disk. */
class Claims {
  private readonly keys = new Set<string>();

  readonly claim: Claim = (key) => {
    const isFirst = !this.keys.has(key);
    this.keys.add(key);
    return isFirst;
  };
}

/** A session whose SessionStart hooks run one after the other. */
class Session {
  private readonly claims = new Claims();
  private readonly told = new Set<string>();

  start(source: string, given: Partial<StartRequest> = {}): string | undefined {
    const request = { sessionId: 's1', piece: 1, card: card('What was done.'), armed: undefined, ...given };
    const { claim } = this.claims;
    const tell = (keys: readonly string[]): void => keys.forEach((key) => this.told.add(key));
    return startAnswer({ ...request, source, claim, told: () => new Set(this.told), tell }).answer?.text;
  }

  prompt(): string | undefined {
    const { claim } = this.claims;
    const asked = { sessionId: 's1', prompt: 'Go on.', card: undefined, reminders: () => undefined, claim };
    return promptAnswer({ ...asked, settings: defaultHookSettings, isIdNew: () => claim(ID_GIVEN) })?.text;
  }
}

describe('startAnswer', () => {
  it('gives the id and the brief once, also when it has grown by what the session itself has done', () => {
    const session = new Session();
    assert.equal(session.start('startup'), `${ID}\n\nWhat was done.`);
    assert.equal(session.start('resume'), undefined);
    const grown = card('What was done.\n\nAnd this.', originsOf('And this.', 's1'));
    assert.equal(session.start('resume', { card: grown }), undefined);
  });

  it('gives a fork its own id, and not again what the session was told that it comes from', () => {
    const fork = new Session();
    assert.equal(fork.start('fork'), `${ID} (in the place of any that was told before)`);
    assert.equal(fork.start('resume'), undefined);
    const grown = card('What was done.\n\n- And that');
    assert.match(fork.start('resume', { card: grown }) ?? '', /And that/);
    assert.match(fork.start('compact', { card: grown }) ?? '', /What was done/);
  });

  it('gives what has come since to a session that is resumed, below its heading, once', () => {
    const session = new Session();
    const memory = ['# Memory', '## Tools', '- Use pnpm', '## Style', '- Two spaces'];
    session.start('startup', { card: card(memory.join('\n')) });
    const grown = card([...memory, '  and no tabs', '- Short names', '', '```', 'a', '', '- b', '```'].join('\n'));
    const news = session.start('resume', { card: grown })?.split('\n\n') ?? [];
    assert.match(news[0] ?? '', /^What follows has been added .* not instructions/);
    assert.deepEqual(news.slice(1), [
      '# Memory',
      '## Style\n- Two spaces\n  and no tabs\n- Short names',
      '```\na',
      '- b\n```',
    ]);
    assert.equal(session.start('resume', { card: grown }), undefined);
    assert.equal(session.start('resume', { card: card(memory.join('\n')) }), undefined);
    assert.equal(session.start('compact', { card: grown })?.includes('Use pnpm'), true);
    assert.equal(session.start('resume', { card: grown }), undefined);
  });

  it('gives no news of how much there is', () => {
    const session = new Session();
    session.start('startup');
    const more = '3 new summaries of sessions.';
    assert.equal(
      session.start('resume', { card: card(`What was done.\n\n${more}`, originsOf(more, NO_NEWS)) }),
      undefined,
    );
  });

  it('gives after what was armed only what has come since then', () => {
    const session = new Session();
    const armed = { name: 'ctx', compositionId: 'c1', armedAt: '2026-01-05T09:00:00Z', pieces: ['One'] };
    session.start('startup', { armed });
    const news = session.start('resume', { armed, card: card('What was done.\n\nAnd more.') });
    assert.ok(news?.endsWith('instructions. What the user says now goes first.\n\nAnd more.'), news);
  });

  it('gives a brief to a session that began before there was one, and its id no second time', () => {
    const session = new Session();
    assert.equal(session.start('startup', { card: undefined }), ID);
    assert.equal(session.start('resume'), 'What was done.');
  });

  it('gives all of it again after a compaction, once', () => {
    const session = new Session();
    session.start('startup');
    assert.equal(session.start('compact'), `${ID}\n\nWhat was done.`);
    assert.equal(session.start('compact'), undefined);
  });

  it('gives what was armed in the place of the brief, which does not follow either', () => {
    const session = new Session();
    const armed = { name: 'ctx', compositionId: 'c1', armedAt: '2026-01-05T09:00:00Z', pieces: ['One', 'Two'] };
    assert.equal(session.start('startup', { armed }), `${ID}\n\nOne`);
    assert.equal(session.start('startup', { armed, piece: 2 }), 'Two');
    assert.equal(session.start('resume', { armed }), undefined);
  });

  it('leaves it to the first prompt to tell a fork its id, and tells it there once', () => {
    const fork = new Session();
    assert.equal(fork.prompt(), `${ID} (in the place of any that was told before)`);
    assert.equal(fork.prompt(), undefined);
  });

  it('leaves prompts alone in a session that knows its id', () => {
    const session = new Session();
    session.start('startup');
    assert.equal(session.prompt(), undefined);
  });
});

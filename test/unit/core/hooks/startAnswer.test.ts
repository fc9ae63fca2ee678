import assert from 'node:assert/strict';
import { promptAnswer } from '../../../../src/core/hooks/promptAnswer';
import { ID_GIVEN, startAnswer, type Claim, type StartRequest } from '../../../../src/core/hooks/startAnswer';
import type { HookCard } from '../../../../src/core/model/hookCard';
import { defaultHookSettings } from '../../../../src/core/model/hookSettings';

const ID = 'Keepit session ID: s1';

function card(memory: string): HookCard {
  return {
    version: '1.0.0',
    projectId: '-p',
    madeAt: '2026-01-05T09:00:00Z',
    sources: {},
    settings: defaultHookSettings,
    isAutomatic: true,
    brief: [{ kind: 'memory', text: memory, tokens: 9 }],
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

  start(source: string, given: Partial<StartRequest> = {}): string | undefined {
    const request = { sessionId: 's1', piece: 1, card: card('What was done.'), armed: undefined, ...given };
    return startAnswer({ ...request, source, claim: this.claims.claim }).answer?.text;
  }

  prompt(): string | undefined {
    const { claim } = this.claims;
    const asked = { sessionId: 's1', prompt: 'Go on.', card: undefined, reminders: () => undefined, claim };
    return promptAnswer({ ...asked, settings: defaultHookSettings, isIdNew: () => claim(ID_GIVEN) })?.text;
  }
}

describe('startAnswer', () => {
  it('gives the id and the brief once, also when the brief has changed by the time that the session is resumed', () => {
    const session = new Session();
    assert.equal(session.start('startup'), `${ID}\n\nWhat was done.`);
    assert.equal(session.start('resume', { card: card('What was done, and this session itself.') }), undefined);
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

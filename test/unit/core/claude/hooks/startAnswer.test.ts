import assert from 'node:assert/strict';
import { BRIEF_HEAD } from '../../../../../src/core/claude/hooks/briefText';
import {
  ID_GIVEN,
  promptAnswer,
  startAnswer,
  type Claim,
  type StartAnswer,
  type StartRequest,
  type Told,
} from '../../../../../src/core/claude/hooks/sessionAnswers';
import type { BriefItem, PreparedBrief, SessionState, ArmedContext } from '../../../../../src/core/model/preparedBrief';
import { defaultHookSettings } from '../../../../../src/core/model/hookSettings';

const ID = 'Keepit session ID: s1';

function item(text: string, fields: Partial<BriefItem> = {}): BriefItem {
  const sources = [{ sessionId: 's0', messageUuid: 'u' }];
  return { kind: 'rule', heading: 'Rules:', text, trust: 'stated', key: text, sources, ...fields };
}

function brief(items: readonly BriefItem[], inForce: readonly BriefItem[] = []): PreparedBrief {
  return {
    version: '1.0.0',
    projectId: '-p',
    madeAt: '2026-01-05T09:00:00Z',
    sources: {},
    settings: defaultHookSettings,
    isAutomatic: true,
    items: [...items],
    inForce: [...inForce],
  };
}

const USUAL = brief([item('Use pnpm.')]);
const armed: ArmedContext = {
  version: '1.0.0',
  projectId: '-p',
  name: 'ctx',
  compositionId: 'c1',
  armedAt: '2026-01-05T09:00:00Z',
  text: 'One',
};

/** A session whose hooks run one after the other. */
class Session {
  private readonly claims = new Set<string>();
  private readonly keys = new Set<string>();
  private readonly told: Told = {
    keys: () => new Set(this.keys),
    add: (keys) => keys.forEach((key) => this.keys.add(key)),
  };
  private readonly claim: Claim = (key) => !this.claims.has(key) && this.claims.add(key).size > 0;

  start(source: string, given: Partial<StartRequest> = {}): StartAnswer {
    const { claim, told } = this;
    const state = (): undefined => undefined;
    return startAnswer({ sessionId: 's1', brief: USUAL, armed: undefined, state, ...given, source, claim, told });
  }

  text(source: string, given: Partial<StartRequest> = {}): string | undefined {
    return this.start(source, given).answer?.text;
  }

  prompt(rules?: PreparedBrief): string | undefined {
    const { claim, told } = this;
    const asked = { sessionId: 's1', prompt: 'Go on.', brief: rules, reminders: () => undefined, claim, told };
    return promptAnswer({ ...asked, settings: defaultHookSettings, isIdNew: () => claim(ID_GIVEN) })?.text;
  }
}

describe('startAnswer', () => {
  it('gives the id and the brief once, and tells the user in a line what that was', () => {
    const session = new Session();
    const { answer, userLine } = session.start('startup');
    assert.equal(answer?.text, `${ID}\n\n${BRIEF_HEAD}\nRules:\n- Use pnpm.`);
    assert.equal(userLine, 'Keepit told this session: 1 rule.');
    assert.equal(session.text('resume'), undefined);
  });

  it('tells a session nothing of itself', () => {
    const own = brief([item('Use pnpm.', { sources: [{ sessionId: 's1' }] })]);
    assert.equal(new Session().text('startup', { brief: own }), ID);
  });

  it('gives a fork its own id, and not again what the session was told that it comes from', () => {
    const fork = new Session();
    assert.equal(fork.text('fork'), `${ID} (in the place of any that was told before)`);
    assert.equal(fork.text('resume'), undefined);
    assert.match(fork.text('resume', { brief: brief([item('Use pnpm.'), item('Two spaces.')]) }) ?? '', /Two spaces/);
  });

  it('gives what has come since to a session that is resumed, below its heading, once', () => {
    const session = new Session();
    session.start('startup');
    const count = item('3 new summaries', { kind: 'state', sources: [] });
    const grown = brief([item('Use pnpm.'), item('Two spaces.'), count]);
    assert.equal(session.text('resume', { brief: grown }), `${BRIEF_HEAD}\nRules:\n- Two spaces.`);
    assert.equal(session.text('resume', { brief: grown }), undefined);
    assert.equal(session.text('resume'), undefined);
  });

  it('gives a brief to a session that began before there was one, and its id no second time', () => {
    const session = new Session();
    assert.equal(session.text('startup', { brief: undefined }), ID);
    assert.match(session.text('resume') ?? '', /^Keepit: data/);
  });

  it('gives what was armed in the place of the brief, which does not follow either', () => {
    const session = new Session();
    const { answer, userLine } = session.start('startup', { armed });
    assert.equal(answer?.text, `${ID}\n\nOne`);
    assert.equal(userLine, 'Keepit gave this session the composition “ctx”.');
    assert.equal(session.text('resume', { armed }), undefined);
    assert.match(session.text('resume', { armed, brief: brief([item('Use pnpm.'), item('New.')]) }) ?? '', /- New\.$/);
  });

  it('gives back after a compaction pinned keepits, all that is in force and open tasks, once', () => {
    const session = new Session();
    const own = item('Ship on Mondays.', { sources: [{ sessionId: 's1' }] });
    const marked = item('The port is 4711. (2026-01-05)');
    const known = brief([item('Use pnpm.')], [item('Use pnpm.'), own, marked]);
    session.start('startup', { brief: known });
    const state: SessionState = {
      version: '1.0.0',
      sessionId: 's1',
      at: '',
      title: '',
      bytes: 0,
      keepits: [
        { weight: 1, text: 'The  port is 4711.' },
        { weight: 0.5, text: 'A hint.' },
      ],
      tasks: ['Write the tests'],
      files: [],
    };
    const text = session.text('compact', { brief: known, state: () => state }) ?? '';
    for (const words of [ID, '\nThe  port is 4711.\n', '- Use pnpm.', '- Ship on Mondays.', '- Write the tests']) {
      assert.ok(text.includes(words), `${words} in ${text}`);
    }
    assert.ok(!text.includes('A hint.'));
    assert.ok(!text.includes('- The port'), 'what is marked is told twice');
    assert.equal(session.text('compact', { brief: known, state: () => state }), undefined);
  });

  it('leaves it to the first prompt to tell a fork its id, and tells it there once', () => {
    const fork = new Session();
    assert.equal(fork.prompt(), `${ID} (in the place of any that was told before)`);
    assert.equal(fork.prompt(), undefined);
  });

  it('tells with a prompt a rule that another session has laid down since, once, and is silent otherwise', () => {
    const session = new Session();
    const before = brief([], [item('Use pnpm.')]);
    session.start('startup', { brief: before });
    assert.equal(session.prompt(before), undefined);
    const after = brief([], [item('Use pnpm.'), item('No floats for money.')]);
    assert.equal(session.prompt(after), `${BRIEF_HEAD}\nRules:\n- No floats for money.`);
    assert.equal(session.prompt(after), undefined);
  });
});

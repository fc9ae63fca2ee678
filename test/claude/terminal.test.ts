import assert from 'node:assert/strict';
import { useClaudeStage } from './support/claudeStage';
import { hasTmux } from './support/terminal';
import type { Sent } from './support/scriptedModel';

const RULE = 'Always name tables in the singular.';
const HEAD = 'Keepit: data from past sessions of this project';

/** As people have it: in a terminal, with keys. */
describe('the real claude in a terminal', () => {
  const stage = useClaudeStage();
  let begun: Sent;
  let cleared: Sent;

  before(async function () {
    if (!hasTmux()) {
      console.log('  skipped: there is no tmux here to look at a terminal with.');
      this.skip();
    }
    const here = stage();
    const { model } = here;
    await here.ask('Hello.');
    await here.keepitJson('config', 'set', 'defaults.autoRegisterSessions', 'true');
    await here.keepitJson('layers', 'enable');
    await here.ask(`We need a table of all orders. ${RULE}`);
    await here.settled();
    await here.write(
      `${here.claudeDir}/.claude.json`,
      JSON.stringify({
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: ['sk-ant-fake'], rejected: [] },
        projects: { [here.cwd]: { hasTrustDialogAccepted: true } },
      }),
    );
    const terminal = here.openTerminal();
    await terminal.shows('❯');
    model.says({ text: 'The first answer in the terminal.' });
    await terminal.type('What is in the terminal?');
    await terminal.shows('The first answer in the terminal.');
    begun = model.with('What is in the terminal?');
    await terminal.type('/clear');
    await terminal.hides('The first answer in the terminal.');
    model.says({ text: 'The answer after it was cleared.' });
    await terminal.type('And what is in it now?');
    await terminal.shows('The answer after it was cleared.');
    cleared = model.with('And what is in it now?');
    await terminal.type('/exit');
    await terminal.closes();
    await here.settled();
  });

  it('gets its id, the brief and the rules with the first prompt', () => {
    assert.equal(begun.count(`Keepit session ID: ${begun.sessionId}`), 1);
    assert.equal(begun.count(HEAD), 1);
    assert.ok(begun.all.includes(RULE));
  });

  it('gets them again after /clear, for it is another session', async () => {
    assert.notEqual(cleared.sessionId, begun.sessionId);
    assert.equal(cleared.count(`Keepit session ID: ${cleared.sessionId}`), 1);
    assert.equal(cleared.count(HEAD), 1);
    assert.ok(cleared.all.includes(RULE));
    const [start] = await stage().activity(cleared.sessionId);
    assert.deepEqual([start?.event, start?.source], ['SessionStart', 'clear']);
  });

  it('is in memory with both of its sessions when it has ended', async () => {
    const here = stage();
    const ids = (await here.memory.service.sessions.list(here.projectId)).map(({ sessionId }) => sessionId);
    for (const { sessionId } of [begun, cleared]) assert.ok(ids.includes(sessionId), ids.join());
    const ends = [begun, cleared].map(async ({ sessionId }) =>
      (await here.activity(sessionId)).find(({ event }) => event === 'SessionEnd'),
    );
    assert.deepEqual(
      (await Promise.all(ends)).map((end) => end?.source),
      ['clear', 'prompt_input_exit'],
    );
    assert.equal(await here.hooksLog(), '');
  });
});

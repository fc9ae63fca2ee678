import assert from 'node:assert/strict';
import { FakeMemory } from '../../support/fakeMemory';
import { someTranscript, TranscriptBuilder } from '../../support/transcriptBuilder';

const APP = '-home-ada-src-app';

describe('discover', () => {
  let memory: FakeMemory;
  beforeEach(() => (memory = new FakeMemory()));

  it('lists projects and sessions, the newest first, with their figures', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa', 4));
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb', 6).title('A better name'));
    memory.claude.write('-other/cccc.jsonl', someTranscript('cccc', 2, '/other'), '2026-01-10T00:00:00Z');
    const { projects } = await memory.service.sessions.discover();
    assert.deepEqual(
      projects.map(({ displayName, originalPath, sessions }) => [displayName, originalPath, sessions.length]),
      [
        ['app', '/home/ada/src/app', 2],
        ['other', '/other', 1],
      ],
    );
    const [first, second] = projects[0]!.sessions;
    assert.ok(first && second);
    assert.deepEqual([first.title, second.title], ['A better name', 'Question 0 of aaaa']);
    assert.deepEqual([first.messages, first.registered, first.newMessages, first.brokenLines], [6, false, 0, 0]);
    assert.equal(first.tokens.kind, 'estimate');
    assert.equal(second.firstTimestamp, '2026-01-15T10:00:00.000Z');
    assert.equal(second.gitBranch, 'main');
  });

  it('opens no transcript of a folder that has not changed', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write(`${APP}/agent-1.jsonl`, someTranscript('aaaa', 2));
    const first = await memory.service.sessions.discover();
    assert.ok(first.cost.filesRead >= 2);
    memory.claude.opened.length = 0;
    const second = await memory.service.sessions.discover();
    assert.deepEqual(second.cost, { filesListed: 2, filesRead: 0, bytesRead: 0 });
    assert.deepEqual(memory.claude.opened, []);
    assert.deepEqual(second.projects, first.projects);
  });

  it('shows at once what a first look at both ends of transcripts tells, and counts nothing yet', async () => {
    const long = new TranscriptBuilder('bbbb').human('Where do the totals round?').assistant('x'.repeat(80_000));
    memory.claude.write(`${APP}/bbbb.jsonl`, long.title('Rounding'));
    const { projects, cost } = await memory.service.sessions.discover({ isFirstLook: true });
    const [session] = projects[0]!.sessions;
    assert.deepEqual([session?.title, session?.isUncounted, session?.messages], ['Rounding', true, 0]);
    assert.deepEqual([session?.tokens.count, session?.cwd, cost.filesRead], [0, '/home/ada/src/app', 0]);
    const [counted] = (await memory.service.sessions.discover()).projects[0]!.sessions;
    assert.deepEqual([counted?.title, counted?.isUncounted, counted?.messages], ['Rounding', undefined, 2]);
    assert.deepEqual((await memory.service.sessions.discover({ isFirstLook: true })).projects[0]!.sessions, [counted]);
  });

  it('opens no other session when one is asked for, and forgets none', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'));
    await memory.service.sessions.discover();
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb', 8), '2026-01-19T00:00:00Z');
    memory.claude.write(`${APP}/cccc.jsonl`, someTranscript('cccc'));
    const { projects, cost } = await memory.service.sessions.discover({ projectIds: [APP], sessionId: 'bbbb' });
    assert.deepEqual(
      projects[0]!.sessions.map(({ sessionId, messages }) => [sessionId, messages]),
      [['bbbb', 8]],
    );
    assert.deepEqual([projects[0]!.displayName, cost.filesRead], ['app', 1]);
    assert.equal((await memory.service.sessions.discover()).cost.filesRead, 1);
  });

  it('opens only what has changed', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'));
    await memory.service.sessions.discover();
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb', 6), '2026-01-16T00:00:00Z');
    const { cost, projects } = await memory.service.sessions.discover();
    assert.equal(cost.filesRead, 1);
    assert.equal(projects[0]?.sessions.find(({ sessionId }) => sessionId === 'bbbb')?.messages, 6);
  });

  it('takes a title from another file for the session that owns the line which it names', async () => {
    const named = someTranscript('aaaa');
    memory.claude.write(`${APP}/aaaa.jsonl`, named);
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb').title('Title of the first', named.lastUuid));
    const titles = async () =>
      (await memory.project()).sessions.map(({ sessionId, title }) => [sessionId, title]).sort();
    const expected = [
      ['aaaa', 'Title of the first'],
      ['bbbb', 'Question 0 of bbbb'],
    ];
    assert.deepEqual(await titles(), expected);
    assert.deepEqual(await titles(), expected);
  });

  it('learns of a title that comes later, for a session that was read long ago', async () => {
    const named = someTranscript('aaaa');
    memory.claude.write(`${APP}/aaaa.jsonl`, named);
    await memory.service.sessions.discover();
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb').title('Late title', named.lastUuid));
    const { sessions } = await memory.project();
    assert.equal(sessions.find(({ sessionId }) => sessionId === 'aaaa')?.title, 'Late title');
  });

  it('leaves a title to a session that has gone on since it was named', async () => {
    const named = someTranscript('aaaa');
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb').title('Early title', named.lastUuid));
    memory.claude.write(`${APP}/aaaa.jsonl`, named.human('And now?').assistant('Now this.'));
    const { sessions } = await memory.project();
    assert.equal(sessions.find(({ sessionId }) => sessionId === 'aaaa')?.title, 'Early title');
  });

  it('counts sub-agents to their session, in whatever layout, and the compactor to nobody', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write(`${APP}/agent-11.jsonl`, someTranscript('aaaa', 2));
    memory.claude.write(`${APP}/aaaa/subagents/agent-22.jsonl`, someTranscript('aaaa', 2));
    memory.claude.write(`${APP}/agent-acompact-33.jsonl`, someTranscript('aaaa', 2));
    memory.claude.write(`${APP}/agent-44.jsonl`, 'nothing that could be read\n');
    const { sessions } = await memory.project();
    assert.deepEqual(
      sessions.map(({ sessionId, subAgents }) => [sessionId, subAgents]),
      [['aaaa', 2]],
    );
  });

  it('names a folder that several directories share by the most common of its own', async () => {
    const id = '-home-ada-a-b';
    memory.claude.write(`${id}/aaaa.jsonl`, someTranscript('aaaa', 2, '/home/ada/a.b'));
    memory.claude.write(`${id}/bbbb.jsonl`, someTranscript('bbbb', 4, '/home/ada/a_b'));
    memory.claude.write(`${id}/cccc.jsonl`, someTranscript('cccc', 8, '/home/ada/a.b/packages/core'));
    const project = await memory.project();
    assert.deepEqual([project.originalPath, project.displayName], ['/home/ada/a_b', 'a_b']);
  });

  it('lists sessions that say nothing, and leaves out nothing', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, '');
    memory.claude.write(`${APP}/bbbb.jsonl`, '{"type":"last-prompt","leafUuid":"x"}\n');
    const { sessions, displayName, originalPath } = await memory.project();
    assert.deepEqual(
      sessions.map(({ messages }) => messages),
      [0, 0],
    );
    assert.deepEqual([displayName, originalPath], [APP, '']);
  });

  it('shows what cannot be read as a problem, and goes on with the rest', async () => {
    memory.claude.unreadable.add(memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa')));
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'));
    memory.claude.problems.set('-closed', 'This folder may not be read by this user.');
    const { projects } = await memory.service.sessions.discover();
    const app = projects.find(({ projectId }) => projectId === APP)!;
    assert.match(app.sessions.find(({ sessionId }) => sessionId === 'aaaa')?.problem ?? '', /may not be read/);
    assert.equal(app.sessions.find(({ sessionId }) => sessionId === 'bbbb')?.messages, 4);
    assert.match(projects.find(({ projectId }) => projectId === '-closed')?.problem ?? '', /may not be read/);
  });

  it('shows what memory has of sessions in a folder that may not be read', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    const ref = { projectId: APP, sessionId: 'aaaa' };
    await memory.service.sessions.register([ref]);
    memory.claude.problems.set(APP, 'This folder may not be read by this user.');
    const { sessions, problem } = await memory.project();
    assert.match(problem ?? '', /may not be read/);
    assert.deepEqual(
      sessions.map((session) => [session.sessionId, session.messages, session.problem]),
      [['aaaa', 4, undefined]],
    );
    assert.equal((await memory.service.sessions.messages(ref)).length, 4);
    assert.deepEqual((await memory.service.sessions.sync()).failed, []);
  });

  it('leaves out a file that vanishes while it is looked at', async () => {
    const path = memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'));
    memory.claude.onOpen = (opened) => {
      if (opened === path) memory.claude.delete(path);
    };
    const { sessions } = await memory.project();
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      ['bbbb'],
    );
  });

  it('counts broken lines and still counts the messages around them', async () => {
    memory.claude.write(
      `${APP}/aaaa.jsonl`,
      someTranscript('aaaa', 2).raw('{"type":"user", garbage').human('On we go'),
    );
    const [session] = (await memory.project()).sessions;
    assert.deepEqual([session?.messages, session?.brokenLines], [3, 1]);
  });

  it('says in how many days the clean-up comes, by the date of the file and the setting', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'), '2026-01-15T12:00:00Z');
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'), '2025-12-01T12:00:00Z');
    const days = async () =>
      Object.fromEntries(
        (await memory.project()).sessions.map(({ sessionId, expiresInDays }) => [sessionId, expiresInDays]),
      );
    assert.deepEqual(await days(), { aaaa: 25, bbbb: -20 });
    memory.claude.cleanupDays = 100;
    assert.deepEqual(await days(), { aaaa: 95, bbbb: 50 });
  });

  it('knows a session that is in use', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'), '2026-01-20T11:58:00Z');
    memory.claude.write(`${APP}/bbbb.jsonl`, someTranscript('bbbb'), '2026-01-20T11:00:00Z');
    const live = (await memory.project()).sessions.filter(({ isLive }) => isLive);
    assert.deepEqual(
      live.map(({ sessionId }) => sessionId),
      ['aaaa'],
    );
  });

  it('shows registered sessions that Claude Code has deleted from the kept original', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.register([{ projectId: APP, sessionId: 'aaaa' }]);
    memory.claude.delete(`${APP}/aaaa.jsonl`);
    const { sessions, displayName } = await memory.project();
    const [session] = sessions;
    assert.equal(displayName, 'app');
    assert.deepEqual([session?.isOriginalGone, session?.registered, session?.messages], [true, true, 4]);
    assert.equal(session?.expiresInDays, undefined);
    assert.match(session?.file ?? '', /^\/store\//);
    assert.equal((await memory.service.sessions.conversation(session!)).messages.length, 4);
  });

  it('still shows a registered session of which no transcript is left at all', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    await memory.service.sessions.register([{ projectId: APP, sessionId: 'aaaa' }]);
    memory.claude.files.clear();
    const [session] = (await memory.project()).sessions;
    assert.match(session?.problem ?? '', /is gone/);
    assert.deepEqual([session?.messages, session?.title], [4, 'Question 0 of aaaa']);
  });

  it('tells how many messages are new since a session was registered', async () => {
    const transcript = someTranscript('aaaa');
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript);
    await memory.service.sessions.register([{ projectId: APP, sessionId: 'aaaa' }]);
    memory.claude.write(`${APP}/aaaa.jsonl`, transcript.human('more').assistant('more'), '2026-01-16T00:00:00Z');
    assert.equal((await memory.project()).sessions[0]?.newMessages, 2);
  });

  it('shows a project whose manifest a newer Keepit has written, with that problem', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.store.newer.add(APP);
    const project = await memory.project();
    assert.match(project.problem ?? '', /newer Keepit/);
    assert.equal(project.sessions.length, 1);
  });

  it('keeps what it has read when it is ended half-way', async () => {
    for (let index = 10; index < 90; index++)
      memory.claude.write(`${APP}/s${index}.jsonl`, someTranscript(`s${index}`));
    const controller = new AbortController();
    memory.claude.onOpen = () => {
      if (memory.claude.opened.length >= 15) controller.abort();
    };
    await assert.rejects(memory.service.sessions.discover({}, controller.signal), { name: 'AbortError' });
    memory.claude.onOpen = undefined;
    const { cost } = await memory.service.sessions.discover();
    assert.ok(cost.filesRead > 0 && cost.filesRead <= 70, String(cost.filesRead));
  });

  it('reports progress in bytes, up to the total', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write('-b/bbbb.jsonl', someTranscript('bbbb'));
    const seen: [number, number][] = [];
    await memory.service.sessions.discover({ onProgress: ({ done, total }) => seen.push([done, total]) });
    assert.equal(seen.length, 2);
    assert.equal(seen[1]?.[0], seen[1]?.[1]);
  });

  it('narrows to the projects that were asked for, and to none for an empty list', async () => {
    memory.claude.write(`${APP}/aaaa.jsonl`, someTranscript('aaaa'));
    memory.claude.write('-b/bbbb.jsonl', new TranscriptBuilder('bbbb').human('hi'));
    const ids = async (projectIds: string[]) =>
      (await memory.service.sessions.discover({ projectIds })).projects.map(({ projectId }) => projectId);
    assert.deepEqual(await ids(['-b', '-gone']), ['-b']);
    assert.deepEqual(await ids([]), []);
  });

  it('answers for a home without any sessions', async () => {
    assert.deepEqual(await memory.service.sessions.discover(), {
      projects: [],
      cost: { filesListed: 0, filesRead: 0, bytesRead: 0 },
    });
  });
});

import assert from 'node:assert/strict';
import { Scope } from '../../../src/cli/scope';
import { SessionLookupError } from '../../../src/core/sessions/sessionLookupError';
import { discoveredProject } from '../support/discovered';
import type { SessionRef } from '../../../src/core/sessions/results';

const CWD = '/home/ada/src/ledger';
const sessions: readonly SessionRef[] = [
  { projectId: '-home-ada-src-ledger', sessionId: 'aaaa1111' },
  { projectId: '-home-ada-src-site', sessionId: 'bbbb2222' },
];

/** Three projects, two of them with a session, two of them of one name. */
class FewProjects {
  readonly asked: { ref: string; projectId?: string }[] = [];

  async resolveProject(pathOrId: string): Promise<string | undefined> {
    const id = pathOrId.replace(/[^a-zA-Z0-9]/g, '-');
    return sessions.find(({ projectId }) => projectId === id)?.projectId;
  }

  async discover() {
    const folders = ['/home/ada/src/ledger', '/home/ada/src/site', '/home/ada/old/site'];
    return {
      cost: { filesListed: 0, filesRead: 0, bytesRead: 0 },
      projects: folders.map((folder) => {
        const displayName = folder.split('/').at(-1) ?? '';
        return discoveredProject([], { projectId: folder.replaceAll('/', '-'), displayName });
      }),
    };
  }

  async resolve(ref: string, request: { projectId?: string } = {}): Promise<SessionRef> {
    this.asked.push({ ref, ...request });
    const found = sessions.find(
      ({ sessionId, projectId }) =>
        sessionId.startsWith(ref) && (request.projectId === undefined || projectId === request.projectId),
    );
    if (found === undefined) throw new SessionLookupError('not-found', ref);
    return found;
  }
}

function scopeOf(options: { project?: string; allProjects?: boolean; cwd?: string; currentSession?: string } = {}) {
  const memory = new FewProjects();
  const { project, allProjects = false, cwd = CWD, currentSession } = options;
  return { memory, scope: new Scope({ sessions: memory }, { project, allProjects, cwd, currentSession }) };
}

const { signal } = new AbortController();

describe('the scope of a command line', () => {
  it("is the current folder's project, or all where it has none", async () => {
    assert.equal(await scopeOf().scope.projectId(), '-home-ada-src-ledger');
    assert.equal(await scopeOf({ cwd: '/tmp' }).scope.projectId(), undefined);
    assert.deepEqual(await scopeOf({ cwd: '/tmp' }).scope.projectIds(), {});
  });

  it("is the calling session's project where the current folder has none", async () => {
    const currentSession = 'bbbb2222';
    assert.equal(await scopeOf({ cwd: '/tmp', currentSession }).scope.projectId(), '-home-ada-src-site');
    assert.equal(await scopeOf({ currentSession }).scope.projectId(), '-home-ada-src-ledger');
    assert.equal(await scopeOf({ cwd: '/tmp', currentSession: 'cccc3333' }).scope.projectId(), undefined);
  });

  it('knows the calling session as `current`', async () => {
    const { scope } = scopeOf({ currentSession: 'bbbb2222' });
    assert.deepEqual(await scope.session('current', signal), sessions[1]);
    await assert.rejects(scopeOf().scope.session('current', signal), { code: 'no-current-session' });
  });

  it('is all projects when that is asked for', async () => {
    assert.equal(await scopeOf({ allProjects: true }).scope.projectId(), undefined);
  });

  it('is the project that is named by id, by path, or by a path from here', async () => {
    for (const project of ['-home-ada-src-site', '/home/ada/src/site', '../site']) {
      assert.deepEqual(await scopeOf({ project }).scope.projectIds(), { projectIds: ['-home-ada-src-site'] });
    }
  });

  it('is the one project of a name, as lists show it', async () => {
    assert.equal(await scopeOf({ project: 'Ledger' }).scope.projectId(), '-home-ada-src-ledger');
    await assert.rejects(scopeOf({ project: 'site' }).scope.projectId(), { code: 'project-ambiguous' });
  });

  it('is an expected failure for a project that does not exist', async () => {
    await assert.rejects(scopeOf({ project: 'nowhere' }).scope.projectId(), { code: 'project-not-found' });
  });

  it('finds a session of another project too, unless --project narrows', async () => {
    assert.equal((await scopeOf().scope.session('bbbb', signal)).sessionId, 'bbbb2222');
    await assert.rejects(scopeOf({ project: CWD }).scope.session('bbbb', signal), { code: 'session-not-found' });
  });

  it('makes a path absolute, and leaves an id alone', async () => {
    const { scope, memory } = scopeOf({ allProjects: true });
    await assert.rejects(scope.session('x/y.jsonl', signal));
    await scope.session('aaaa', signal);
    assert.deepEqual(
      memory.asked.map(({ ref }) => ref),
      [`${CWD}/x/y.jsonl`, 'aaaa'],
    );
  });
});

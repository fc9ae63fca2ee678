import assert from 'node:assert/strict';
import type { LayersStatus } from '../../../../../src/core/knowledge/layersService';
import { Formats } from '../../../../../src/core/text/formats';
import {
  buildOutcome,
  disableDialog,
  elsewhereDialog,
  enableDialog,
  summarizeOutcome,
} from '../../../../../src/core/knowledge/view/knowledgeDialogs';

const formats = new Formats({ locale: 'en', timeZone: 'UTC' });

const status: LayersStatus = {
  dir: '/src/app/.claude/memory',
  excludeFile: '/src/app/.git/info/exclude',
  excludeLine: '/.claude/memory/',
  isExcluded: false,
  projectId: '-src-app',
  isEnabled: false,
  location: 'project',
  isShared: false,
  files: ['facts.json', 'memory.md'],
  notebook: { dir: '/src/app/_memory', excludeLine: '/_memory/', isExcluded: false, files: ['master.md'] },
};

describe('what is said before Keepit is enabled in a project', () => {
  it('names every file and folder, and what git is told', () => {
    const { title, detail } = enableDialog(status, 'app', '2 facts');
    assert.match(detail, /Found in this project, and not from you: 2 facts\. Claude is told of none of it/);
    assert.doesNotMatch(enableDialog(status, 'app', undefined).detail, /not from you/);
    assert.equal(title, 'Enable Keepit in app?');
    for (const part of ['/src/app/.claude/memory', 'facts.json', 'memory.md', '/src/app/_memory', 'master.md']) {
      assert.ok(detail.includes(part), part);
    }
    assert.match(detail, /pass over them: \/\.claude\/memory\/ and \/_memory\/ in \/src\/app\/\.git\/info\/exclude/);
    assert.match(detail, /no model is asked/);
  });

  it('says so where git is to see it, where there is no git, and where nothing is written in the project', () => {
    assert.match(enableDialog({ ...status, isShared: true }, 'app', undefined).detail, /can be committed/);
    const { excludeFile: _file, ...outside } = status;
    assert.match(enableDialog(outside, 'app', undefined).detail, /in no git repository/);
    const home = enableDialog({ ...status, location: 'home', dir: '/store/layers' }, 'app', undefined).detail;
    assert.match(home, /Nothing is written in the project’s own folder/);
    assert.doesNotMatch(home, /info\/exclude/);
  });

  it('says why nothing can be kept in the project', () => {
    assert.match(elsewhereDialog({ ...status, problem: 'no-folder' }, 'app').detail, /not there any more/);
    assert.match(elsewhereDialog({ ...status, problem: 'not-writable' }, 'app').detail, /cannot be written to/);
  });
});

describe('what is said before Keepit is disabled in a project', () => {
  it('names what stays, and that git sees it again', () => {
    const { detail } = disableDialog(status, 'app');
    for (const part of [status.dir, status.notebook.dir, 'Git sees']) assert.ok(detail.includes(part), part);
    assert.doesNotMatch(disableDialog({ ...status, isShared: true }, 'app').detail, /Git/);
  });
});

describe('what is said afterwards', () => {
  const facts = { rules: 1, solutions: 0, core_logic: 2 };
  const built = { layered: [], unchanged: 3, failed: [], exchanges: 9, concepts: 4, facts };

  it('tells what a build has read, and what is known', () => {
    const known = 'Known: 1 rule · 2 of core logic · 4 concepts.';
    assert.equal(buildOutcome(built, formats), `Nothing was new. ${known}`);
    const failed = [{ session: 's', error: new Error('gone') }];
    assert.equal(buildOutcome({ ...built, failed }, formats), `Nothing was new. 1 session could not be read. ${known}`);
    const none = { ...built, concepts: 0, facts: { rules: 0, solutions: 0, core_logic: 0 } };
    assert.equal(buildOutcome(none, formats), 'Nothing was new. Nothing is known yet.');
  });
});

describe('what is said when sessions were summarized', () => {
  it('tells what became of the one', () => {
    assert.equal(summarizeOutcome(['created'], 1, formats), 'Its summary is written.');
    assert.equal(summarizeOutcome(['updated'], 1, formats), 'Its summary is brought up to date.');
    assert.equal(summarizeOutcome(['unchanged'], 1, formats), 'Its summary is up to date already.');
  });

  it('counts what was written, what was so already, and what was left when it was cancelled', () => {
    assert.equal(summarizeOutcome(['created', 'updated'], 2, formats), '2 summaries written.');
    const all = summarizeOutcome(['created', 'unchanged', 'unchanged'], 5, formats);
    assert.equal(all, '1 summary written, 2 up to date already, 2 not come to.');
    assert.equal(summarizeOutcome(['unchanged', 'unchanged'], 2, formats), '2 up to date already.');
  });
});

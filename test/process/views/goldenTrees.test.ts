import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compositionTree } from '../../../src/core/compositions/view/compositionTree';
import { knowledgePage, knowledgeTree, readKnowledge } from '../../../src/core/knowledge/view/knowledgeTree';
import type { DiscoveredProject } from '../../../src/core/sessions/results';
import { distanceIn, outlookOf } from '../../../src/core/sessions/view/keepitOutlook';
import { keepitTree } from '../../../src/core/sessions/view/keepitTree';
import { isShown, sessionTree } from '../../../src/core/sessions/view/sessionTree';
import type { TreeNode } from '../../../src/core/sessions/view/treeNode';
import { escapeMarkdown } from '../../../src/core/text/cleanText';
import { Formats } from '../../../src/core/text/formats';
import { versionTree } from '../../../src/core/versions/view/versionTree';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { ManualClock } from '../../unit/support/manualClock';
import { RecordingLog } from '../../unit/support/recordingLog';

/** Written anew by `KEEPIT_GOLDEN=write npm run test:process -- test/process/views`; what has changed is then read in the diff. */
const GOLDEN = path.resolve('test/process/views/golden');
const SAMPLE = path.resolve('media/sample/claude-home');
const NOW = '2026-11-18T18:30:00Z';

/** Compositions name files, and count the tokens of that: as many digits are as many tokens, whatever they are. */
const HOME = path.join(tmpdir(), `keepit-golden-${String(process.pid).padStart(9, '0')}`);

const formats = new Formats({ locale: 'en-US', timeZone: 'UTC' });
const nowMs = Date.parse(NOW);

/** Each view over the sample memory, with everything that its rows say: to the eye, to the pointer and to a screen reader. */
describe('what the views show of the sample', () => {
  let memory: Memory;
  let project: DiscoveredProject;

  beforeEach(async () => {
    const claudeDir = path.join(HOME, 'claude-home');
    await cp(SAMPLE, claudeDir, { recursive: true });
    await dateByContent(claudeDir);
    memory = createMemory({
      log: new RecordingLog(),
      claudeDir,
      memoryDir: path.join(HOME, 'memory'),
      distDir: path.resolve('dist'),
      clock: new ManualClock(NOW),
    });
    await memory.service.sessions.register((await shown()).sessions.filter(isShown).slice(1));
    project = await shown();
  });
  afterEach(async () => {
    await memory.dispose();
    await rm(HOME, { recursive: true, force: true });
  });

  async function shown(): Promise<DiscoveredProject> {
    const { projects } = await memory.service.sessions.discover();
    const found = projects.find(({ projectId }) => projectId.endsWith('tidewatch'));
    assert.ok(found !== undefined);
    return found;
  }

  function titleOf(ref: { readonly sessionId: string }): string | undefined {
    return project.sessions.find(({ sessionId }) => sessionId === ref.sessionId)?.title;
  }

  it('sessions', async () => {
    const options = {
      formats,
      nowMs,
      warningDays: 7,
      showsEstimates: true,
      view: 'timeline',
    } as const;
    await matchesGolden('sessions', sessionTree(project, options));
  });

  it('keepits', async () => {
    const { keepits } = memory.service;
    const context = await keepits.decayContext(project.projectId);
    const rows = await Promise.all(
      project.sessions.map(async (session) => {
        const listed = await keepits.list(session);
        return [...listed.keepits, ...listed.inactive].map((keepit) => {
          return { keepit, session, outlook: outlookOf(keepit.effectiveWeight, context, distanceIn(session, context)) };
        });
      }),
    );
    const options = { formats, isOneSession: false };
    await matchesGolden('keepits', keepitTree(rows.flat(), options));
  });

  it('versions', async () => {
    const { versions } = memory.service;
    const session = project.sessions.filter(({ registered }) => registered).at(-1);
    assert.ok(session !== undefined);
    for (const tierPreset of ['gentle', 'aggressive'] as const) await versions.compress(session, { tierPreset });
    const rows = versionTree(await versions.list(session), { session, formats, nowMs, wordsOf: () => undefined });
    await matchesGolden('versions', rows);
  });

  it('compositions', async () => {
    const { compositions } = memory.service;
    const sessions = project.sessions.filter(({ registered }) => registered).slice(0, 3);
    await compositions.compose(
      project.projectId,
      {
        name: 'the-last-three',
        components: sessions.map(({ sessionId }) => ({ sessionId })),
        totalTokenBudget: 4000,
        outputFormat: 'markdown',
        strategy: 'best',
      },
      { compositionId: '0b5f3a52-8d1e-4b7a-9c46-2f8e7a1b0d13' },
    );
    const options = { formats, nowMs, armed: 'the-last-three', titleOf };
    await matchesGolden('compositions', compositionTree(await compositions.list(project.projectId), options));
  });

  it('knowledge', async () => {
    const { layers, notebook, rolling } = memory.service;
    await layers.enable(project.projectId, { location: 'home' });
    await layers.build(project.projectId);
    for (const session of project.sessions.filter(({ registered }) => registered)) {
      await rolling.final(session);
      await notebook.summarize(session);
    }
    const content = { ...(await readKnowledge(memory.service, project.projectId)), unbuilt: 0 };
    const options = { formats, nowMs, limitOf: knowledgePage };
    await matchesGolden(
      'knowledge',
      knowledgeTree(content, {
        ...options,
        projectId: project.projectId,
        titleOf: (sessionId) => titleOf({ sessionId }),
      }),
    );
  });
});

async function matchesGolden(name: string, rows: readonly TreeNode[]): Promise<void> {
  const file = path.join(GOLDEN, `${name}.txt`);
  const text = rows
    .flatMap((row) => linesOf(row, ''))
    .join('\n')
    .replaceAll(HOME, '<home>')
    .replaceAll(escapeMarkdown(HOME), '<home>');
  if (process.env.KEEPIT_GOLDEN === 'write') {
    await mkdir(GOLDEN, { recursive: true });
    await writeFile(file, `${text}\n`);
  }
  assert.equal(`${text}\n`, await readFile(file, 'utf8'));
}

function linesOf(row: TreeNode, indent: string): string[] {
  const { label, description, icon, fold, contextValue, spoken, tooltip, children } = row;
  const folded = { none: ' ', collapsed: '>', expanded: 'v' }[fold];
  return [
    `${indent}${folded} ${icon === undefined ? '' : `$(${icon.id}) `}${label} | ${description}`,
    `${indent}    says: ${spoken}`,
    `${indent}    menus: ${contextValue}`,
    ...tooltip
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => `${indent}    ${line}`),
    ...children.flatMap((child) => linesOf(child, `${indent}  `)),
  ];
}

/** Files of a checkout are dated by when it was made. */
async function dateByContent(dir: string): Promise<void> {
  const names = await readdir(dir, { recursive: true });
  for (const name of names.filter((one) => one.endsWith('.jsonl'))) {
    const file = path.join(dir, name);
    const times = [...(await readFile(file, 'utf8')).matchAll(/"timestamp":"([^"]+)"/g)].map(([, time = '']) => time);
    const last = times.sort().at(-1) ?? NOW;
    await utimes(file, new Date(last), new Date(last));
  }
}

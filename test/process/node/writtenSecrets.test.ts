import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CompositionRequest } from '../../../src/core/model/composition';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { useProgram } from '../support/cliProcess';
import { RecordingLog } from '../../unit/support/recordingLog';
import { useTempFolder } from '../../unit/support/tempFolder';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';

/** One of each kind, put together here so that nobody takes this file for a leak. */
const SECRETS: Record<string, string> = {
  'Anthropic key': ['sk', 'ant', 'api03', 'Qw3rTy9uIo'.repeat(4)].join('-'),
  'OpenAI key': ['sk', 'proj', 'Zx8cVb2nMq'.repeat(4)].join('-'),
  'GitHub token': ['ghp', 'a1B2c3D4e5F6'.repeat(3)].join('_'),
  'GitLab token': ['glpat', 'k9L8m7N6p5'.repeat(2)].join('-'),
  'AWS access key': ['AKIA', 'Q7W8E9R0T1Y2U3I4'].join(''),
  'Slack token': ['xoxb', '123456789012', 'sLaCk4tOkEn'.repeat(2)].join('-'),
  'Google key': ['AIza', 'Sy7Tr6Ed5Wq4'.repeat(3).slice(0, 35)].join(''),
  'Stripe key': ['sk', 'live', 'Pq9Ws8Ed7'.repeat(3)].join('_'),
  'npm token': ['npm', 'z9Y8x7W6v5U4'.repeat(3)].join('_'),
  'Hugging Face token': ['hf', 'hUg9FaCe8T'.repeat(4)].join('_'),
  'JSON Web Token': ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3', 'SflKxwRJSMeKKF2QT4'].join('.'),
  'password in a URL': 'hunter2-Passw0rd',
};

const CWD = '/home/ada/src/vault';
const PROJECT = projectFolderName(CWD);
const PRIVATE = 'the blue badger sleeps under the stairs';
const TITLES = { 'ai-title': 'aiTitle', 'custom-title': 'customTitle' } as const;

/** As it stands in a text: a password needs its address around it. */
function written(kind: string): string {
  const secret = SECRETS[kind] ?? '';
  return kind === 'password in a URL' ? `postgres://ada:${secret}@db.internal/app` : secret;
}

/** A session that has the secret wherever a transcript has text. */
function leakySession(id: string, secret: string): TranscriptBuilder {
  const builder = new TranscriptBuilder(id, CWD);
  for (const [type, field] of Object.entries(TITLES)) {
    builder.raw(JSON.stringify({ type, [field]: `Rotate ${secret} now`, sessionId: id }));
  }
  const branch = { gitBranch: `fix/${secret}` };
  const pad = 'We looked at the deployment of the worker again and agreed on the order of steps. '.repeat(5);
  builder
    .human(
      `${pad.slice(0, 170)} first ${secret}. <private>${PRIVATE}</private> Always use ${secret} for the deploy.`,
      branch,
    )
    .assistant(`Decided: the deploy reads ${secret} from the vault because the file leaked. ${pad}`, branch);
  builder.title(`Summary of ${secret}`, builder.lastUuid);
  const file = `/srv/${secret}/config.ts`;
  for (const [n, name] of (['Bash', 'Edit'] as const).entries()) {
    const input =
      n === 0 ? { command: `curl -H 'X-Key: ${secret}' https://x.test`, description: secret } : { file_path: file };
    const use = { type: 'tool_use', id: `toolu_${id}_${n}`, name, input };
    const result = {
      type: 'tool_result',
      tool_use_id: use.id,
      is_error: n === 0,
      content: `Error: denied for ${secret}`,
    };
    const message = { id: `msg_${id}_${name}`, role: 'assistant', model: 'claude-opus-4-8', content: [use] };
    builder.assistant('', { message }).human('', { message: { role: 'user', content: [result] } });
  }
  return builder
    .assistant(`The error was ${secret}; fixed in ${file}. ${pad}`)
    .human(
      `Words before, with ${secret}. ##keepit0.90## Never print ${secret}, nor its like. ##keepit:end## Remember: ${pad}`,
    )
    .assistant('Understood.')
    .human(`<private>##keepit1.00## ${PRIVATE} ##keepit:end##</private> Go on.`)
    .assistant(`Done with ${secret}. ${pad}`);
}

describe('what a memory writes', function () {
  this.timeout(60_000);
  const temp = useTempFolder();
  const program = useProgram();
  const open: Memory[] = [];

  afterEach(async () => {
    for (const memory of open.splice(0)) await memory.dispose();
  });

  function memoryOf(): Memory {
    const places = { claudeDir: path.join(temp.path, 'claude'), memoryDir: path.join(temp.path, 'memory') };
    const memory = createMemory({ ...places, distDir: program.dir, log: new RecordingLog() });
    open.push(memory);
    return memory;
  }

  async function write(id: string, transcript: TranscriptBuilder): Promise<void> {
    const folder = path.join(temp.path, 'claude', 'projects', PROJECT);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${id}.jsonl`), transcript.toString());
  }

  /** Every place below a folder, kept transcripts aside, in which one of these words stands. */
  async function placesOf(
    words: readonly string[],
    isAllowed: (file: string) => boolean = () => false,
  ): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(temp.path, { recursive: true, withFileTypes: true })) {
      const file = path.relative(temp.path, path.join(entry.parentPath, entry.name));
      if (!entry.isFile() || file.startsWith('claude') || /(^|[/\\])originals[/\\]/.test(file) || isAllowed(file))
        continue;
      const text = (await readFile(path.join(temp.path, file))).toString('latin1');
      const lower = text.toLowerCase();
      for (const word of words) {
        const at = lower.indexOf(word.toLowerCase());
        if (at >= 0) found.push(`${file}: ${text.slice(Math.max(0, at - 60), at + 60)}`);
      }
    }
    return found;
  }

  /** All that writes something, for these sessions. */
  async function useEverything({ service }: Memory, ids: readonly string[]): Promise<void> {
    const refs = ids.map((sessionId) => ({ projectId: PROJECT, sessionId }));
    await service.sessions.discover();
    assert.deepEqual((await service.sessions.register(refs)).failed, []);
    await service.layers.enable(PROJECT, { location: 'home' });
    for (const ref of refs) {
      await service.versions.compress(ref, { mode: 'uniform', compactionRatio: 3, aggressiveness: 'minimal' });
      await service.rolling.check(ref);
      await service.notebook.summarize(ref);
      await service.hooks.keep(ref);
    }
    await service.layers.build(PROJECT);
    await service.notebook.synthesize(PROJECT);
    const found = await service.search.search({ query: 'deploy vault' });
    assert.ok(found.total > 0);
    const said = JSON.stringify(found);
    assert.deepEqual(
      Object.values(SECRETS).filter((secret) => said.includes(secret)),
      [],
    );
    await writeFile(path.join(temp.path, 'notebook.json'), await service.notebook.export(PROJECT));
    const components = ids.map((sessionId) => ({ sessionId }));
    const request: CompositionRequest = {
      name: 'ctx',
      components,
      totalTokenBudget: 60_000,
      outputFormat: 'both',
      strategy: 'best',
    };
    await service.compositions.compose(PROJECT, request);
    await service.compositions.deliver(PROJECT, 'ctx', 'resume');
    await service.compositions.deliver(PROJECT, 'ctx', 'next-session');
  }

  it('holds no secret of any kind and nothing private, wherever that stood in a transcript', async () => {
    const ids: string[] = [];
    for (const [at, kind] of Object.keys(SECRETS).entries()) {
      const id = `${String(at).padStart(8, 'a')}-0000-4000-8000-000000000000`;
      ids.push(id);
      await write(id, leakySession(id, written(kind)));
    }
    const memory = memoryOf();
    await useEverything(memory, ids);
    for (const [at, id] of ids.entries()) {
      const more = leakySession(id, written(Object.keys(SECRETS)[at] ?? ''));
      await write(id, more.human(`One more, with ${written(Object.keys(SECRETS)[at] ?? '')}`).assistant('Yes.'));
    }
    await memory.service.sessions.discover();
    assert.deepEqual((await memory.service.sessions.sync()).failed, []);
    await memory.service.sessions.unregister({ projectId: PROJECT, sessionId: ids[0] ?? '' });
    assert.deepEqual(await placesOf([...Object.values(SECRETS), PRIVATE]), []);
    const check = (await memory.service.upkeep.doctor()).find(({ name }) => name === 'secrets');
    assert.match(check?.detail ?? '', /GitHub token/);
    const { redacted } = await memory.service.sessions.show({ projectId: PROJECT, sessionId: ids[2] ?? '' });
    assert.deepEqual(
      redacted.map(({ kind }) => kind),
      ['GitHub token'],
    );
    assert.ok((redacted[0]?.count ?? 0) > 3);
  });

  it('leaves a secret out of a keepit wherever it is written, and finds the keepit again by its id', async () => {
    const secret = SECRETS['GitHub token'] ?? '';
    const transcript = new TranscriptBuilder('feed', CWD)
      .human(`Deploy. ##keepit0.90## The token is ${secret}, rotate it. ##keepit:end## And this: token ${secret} too.`)
      .assistant('I will rotate it before the deploy, as the file says.');
    await write('feed', transcript);
    const memory = memoryOf();
    await memory.service.sessions.discover();
    const ref = { projectId: PROJECT, sessionId: 'feed' };
    const [before] = (await memory.service.keepits.list(ref)).keepits;
    await memory.service.sessions.register([ref]);
    const [message] = await memory.service.sessions.messages(ref);
    const start = (message?.text ?? '').indexOf('And this');
    const place = { messageUuid: message?.uuid ?? '', start, end: message?.text.length ?? 0 };
    await memory.service.keepits.add(ref, { ...place, weight: 0.8 });
    const fresh = memoryOf();
    const { keepits, inactive } = await fresh.service.keepits.list(ref);
    assert.deepEqual(inactive, []);
    assert.deepEqual(
      keepits.map(({ content, markerId }) => [content, markerId === before?.markerId]),
      [
        [`The token is ${secret}, rotate it.`, true],
        [`And this: token ${secret} too.`, false],
      ],
    );
    const result = await fresh.service.versions.compress(ref, { mode: 'uniform', compactionRatio: 2 });
    assert.deepEqual(
      result.version.receipt?.map(({ kept }) => kept),
      [true, true],
    );
    const text = await fresh.service.versions.text(ref, result.version.versionId, 'md');
    assert.ok(text.includes('##keepit0.90## The token is [redacted: GitHub token], rotate it.'));
    assert.deepEqual(await placesOf([secret]), []);
    const manifest = await readFile(path.join(temp.path, 'memory', 'projects', PROJECT, 'manifest.json'), 'utf8');
    assert.match(manifest, /The token is \[redacted: GitHub token\], rotate it\./);
  });

  it('is cleaned where an older Keepit has written it: the cache at once, the manifest and the trash by a repair', async () => {
    const secret = SECRETS['Anthropic key'] ?? '';
    await write('cafe', leakySession('cafe', secret));
    await write('beef', leakySession('beef', secret));
    const first = memoryOf();
    const refs = ['cafe', 'beef'].map((sessionId) => ({ projectId: PROJECT, sessionId }));
    await first.service.sessions.register(refs);
    const { trash } = await first.service.sessions.unregister({ projectId: PROJECT, sessionId: 'beef' });
    const folder = path.join(temp.path, 'memory', 'projects', PROJECT);
    for (const file of [path.join(folder, 'manifest.json'), path.join(folder, 'trash', trash, 'discarded.json')]) {
      const text = (await readFile(file, 'utf8')).replaceAll('[redacted: Anthropic key]', secret);
      await writeFile(file, text.replace(/,\s*"cleaning": \d+/, ''));
    }
    await writeFile(path.join(temp.path, 'memory', 'cache', 'format'), '2');
    await writeFile(path.join(temp.path, 'memory', 'cache', 'digests', 'old.ndjson'), secret);
    const { service } = memoryOf();
    const [found] = (await service.upkeep.doctor()).filter(({ name }) => name === 'secrets');
    assert.deepEqual([found?.ok, found?.isRepairable], [false, true]);
    const before = await placesOf([secret]);
    assert.equal(before.length, 2, before.join('\n'));
    await service.upkeep.doctor({ repair: true });
    assert.deepEqual(await placesOf([secret]), []);
    assert.equal((await service.sessions.restore(PROJECT, trash)).sessionId, 'beef');
    assert.deepEqual(await placesOf([secret]), []);
  });
});

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CompositionRequest } from '../../../src/core/model/composition';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { memoryTools } from '../../../src/core/agentTools/memoryTools';
import { ToolProject } from '../../../src/core/agentTools/toolProject';
import { createMemory, type Memory } from '../../../src/node/createMemory';
import { RecordingLog } from '../../unit/support/recordingLog';
import { plantedIn, secretParts, seeded, type Planted } from '../../unit/support/secretCorpus';
import { KNOWN_FORMS } from '../../unit/support/secretForms';
import { useTempFolder } from '../../unit/support/tempFolder';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { useProgram } from '../support/cliProcess';

const CWD = '/home/ada/src/vault';
const PROJECT = projectFolderName(CWD);
const SESSIONS = 12;

/** Every text of the corpus where transcripts have texts of its kind: prose is said, commands are run, the rest is what tools answer. */
function sessionOf(id: string, planted: readonly Planted[]): TranscriptBuilder {
  const builder = new TranscriptBuilder(id, CWD);
  const [title] = planted;
  if (title !== undefined) builder.raw(JSON.stringify({ type: 'ai-title', aiTitle: title.text, sessionId: id }));
  for (const [at, { context, text }] of planted.entries()) {
    if (context === 'rule') builder.human(text).assistant(`Decided: ${text}`);
    else if (context === 'plain') builder.human(text).assistant(`I looked at it, because the deploy failed: ${text}`);
    else useTool(builder, `${id}_${at}`, planted[at] ?? { context, text });
  }
  return builder.assistant('All of that is done.');
}

function useTool(builder: TranscriptBuilder, id: string, { context, text }: Pick<Planted, 'context' | 'text'>): void {
  const isEdit = context === 'diff';
  const edit = { file_path: '/home/ada/src/vault/config.ts', old_string: 'page: 2', new_string: text };
  const command = /shell|option/.test(context) ? text : 'cat config.json';
  const input = isEdit ? edit : { command, description: `Run ${text}` };
  const use = { type: 'tool_use', id: `toolu_${id}`, name: isEdit ? 'Edit' : 'Bash', input };
  const result = {
    type: 'tool_result',
    tool_use_id: use.id,
    is_error: context === 'url',
    content: `${text}\n`.repeat(2),
  };
  builder
    .assistant('', { message: { id: `msg_${id}`, role: 'assistant', model: 'claude-opus-4-8', content: [use] } })
    .human('', { message: { role: 'user', content: [result] } });
}

/** Those of the parts that stand in a text: one pass finds where any of them may begin. */
function partsIn(text: string, parts: readonly string[]): Set<string> {
  const length = Math.min(...parts.map((part) => part.length));
  const byStart = new Map<string, string[]>();
  for (const part of parts) {
    const start = part.slice(0, length);
    byStart.set(start, [...(byStart.get(start) ?? []), part]);
  }
  const found = new Set<string>();
  for (let at = 0; at + length <= text.length; at += 1) {
    for (const part of byStart.get(text.slice(at, at + length)) ?? []) if (text.startsWith(part, at)) found.add(part);
  }
  return found;
}

describe('secrets of every known form', function () {
  this.timeout(300_000);
  const temp = useTempFolder();
  const program = useProgram();
  let memory: Memory | undefined;

  afterEach(async () => memory?.dispose());

  async function writeSessions(planted: readonly Planted[]): Promise<string[]> {
    const folder = path.join(temp.path, 'claude', 'projects', PROJECT);
    await mkdir(folder, { recursive: true });
    const ids: string[] = [];
    for (let part = 0; part < SESSIONS; part++) {
      const id = `${String(part).padStart(8, 'a')}-0000-4000-8000-000000000000`;
      ids.push(id);
      const own = planted.filter((_, at) => Math.floor((at * SESSIONS) / planted.length) === part);
      await writeFile(path.join(folder, `${id}.jsonl`), sessionOf(id, own).toString());
    }
    return ids;
  }

  async function useEverything({ service }: Memory, ids: readonly string[]): Promise<void> {
    const refs = ids.map((sessionId) => ({ projectId: PROJECT, sessionId }));
    await service.sessions.discover();
    assert.deepEqual((await service.sessions.register(refs)).failed, []);
    await service.layers.enable(PROJECT, { location: 'home' });
    for (const ref of refs) {
      await service.versions.compress(ref, { mode: 'uniform', compactionRatio: 2, aggressiveness: 'minimal' });
      await service.rolling.check(ref);
      await service.notebook.summarize(ref);
    }
    await service.layers.build(PROJECT);
    await service.notebook.synthesize(PROJECT);
    const request: CompositionRequest = {
      name: 'ctx',
      components: ids.map((sessionId) => ({ sessionId })),
      totalTokenBudget: 400_000,
      outputFormat: 'both',
      strategy: 'best',
    };
    await service.compositions.compose(PROJECT, request);
    await service.compositions.deliver(PROJECT, 'ctx', 'resume');
    await service.compositions.deliver(PROJECT, 'ctx', 'next-session');
  }

  /** What models are answered by the tools that read. */
  async function answersOf({ service }: Memory, ids: readonly string[]): Promise<string[]> {
    const context = {
      memory: service,
      project: new ToolProject(service, () => Promise.resolve([CWD])),
      now: new Date(0),
    };
    const asked: [string, Record<string, unknown>][] = [
      ['search', { queries: ['deploy key'] }],
      ['search', { queries: ['password'] }],
      ['recall', {}],
      ['sessions', {}],
      ...ids.map((session): [string, Record<string, unknown>] => ['read', { session }]),
    ];
    const answers: string[] = [];
    for (const [name, input] of asked) {
      const tool = memoryTools.find((one) => one.name === name);
      const answer = await tool?.run(input, context);
      assert.equal(answer?.isError, false, `${name}: ${answer?.text ?? 'no such tool'}`);
      answers.push(answer.text);
    }
    return answers;
  }

  /** All that was written, transcripts and their copies aside. */
  async function writtenTexts(): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    for (const entry of await readdir(temp.path, { recursive: true, withFileTypes: true })) {
      const file = path.relative(temp.path, path.join(entry.parentPath, entry.name));
      if (!entry.isFile() || /(^|[/\\])originals[/\\]/.test(file)) continue;
      if (/^claude[/\\]projects/.test(file) && /aaa\w*-0000-4000-8000/.test(file)) continue;
      texts.set(file, `${file}\n${await readFile(path.join(temp.path, file), 'utf8')}`);
    }
    return texts;
  }

  it('stay in transcripts: no version, layer, note, cache, composition, hook file or answer has one', async () => {
    const planted = [...plantedIn(KNOWN_FORMS, seeded(20_260_703))];
    const ids = await writeSessions(planted);
    const log = new RecordingLog();
    memory = createMemory({
      claudeDir: path.join(temp.path, 'claude'),
      memoryDir: path.join(temp.path, 'memory'),
      distDir: program.dir,
      log,
    });
    await useEverything(memory, ids);
    const texts = await writtenTexts();
    for (const [at, answer] of (await answersOf(memory, ids)).entries()) texts.set(`answer ${at}`, answer);
    const sources = new Map<string, string>();
    for (const { form, secret, context } of planted)
      for (const part of secretParts(secret)) sources.set(part, `${context}: ${form}`);
    const found = [...texts].flatMap(([file, text]) =>
      [...partsIn(text, [...sources.keys()])].map((part) => `${file}: ${sources.get(part) ?? ''}`),
    );
    assert.ok(texts.size > 30, String(texts.size));
    assert.deepEqual(found, []);
    for (const [file, text] of texts) {
      if (!file.endsWith('.jsonl')) continue;
      for (const line of text
        .split('\n')
        .slice(1)
        .filter((one) => one !== ''))
        JSON.parse(line);
    }
  });
});

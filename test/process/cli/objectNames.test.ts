import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { conceptsDocumentSchema } from '../../../src/core/model/layers';
import { projectFolderName } from '../../../src/core/sessions/projectNames';
import { useProgram } from '../support/cliProcess';
import { HookHome, type HookEnd } from '../support/hookHome';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';

/** What every plain object answers to, though nobody has put it there. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);
/** Every call is a process: these three are the ways in which a name goes wrong. */
const SOME = ['constructor', '__proto__', 'hasOwnProperty'];
const FIRST = 'a1b2c3d4-1111-4111-8111-111111111111';
const SECOND = 'b1b2c3d4-2222-4222-8222-222222222222';

const keepitsSchema = z.object({ keepits: z.array(z.looseObject({ markerId: z.string(), content: z.string() })) });
const versionSchema = z.object({ version: z.looseObject({ versionId: z.string() }) });
const errorSchema = z.object({ error: z.looseObject({ code: z.string() }) });
const toolsSchema = z.object({
  messages: z.array(z.looseObject({ tools: z.array(z.object({ name: z.string(), target: z.string() })) })),
});
const foundSchema = z.object({ total: z.number() });

/** A session that speaks of nothing else, calls its tools, files, models and branches so, and itself. */
function sessionOf(sessionId: string, folder: string): string {
  const transcript = new TranscriptBuilder(sessionId, folder);
  for (const [index, name] of NAMES.entries()) {
    const file = path.join(folder, name);
    const id = `toolu_${sessionId}_${index}`;
    const usage = { input_tokens: 10, output_tokens: 5 };
    const input = Object.fromEntries([
      ['file_path', file],
      [name, name],
    ]);
    const content = [{ type: 'tool_use', id, name, input }];
    transcript
      .human(`What about the ${name}?`, { gitBranch: name })
      .assistant('', { message: { id: `${id}_m`, type: 'message', role: 'assistant', model: name, content, usage } })
      .human('', {
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: id, content: `Error: ${name} is null` }],
        },
      })
      .assistant(`The root cause was ${name} in ${name}.ts. We decided to use ${name} because it is ${name}.`)
      .human(`Always use ${name} for ${name}. ##keepit0.90##${name}##keepit:end## Never call ${name} twice.`)
      .assistant(name)
      .human(name)
      .assistant(`Done: \`${name}\` is in ${file}.`)
      .raw(JSON.stringify({ type: name, subtype: name, sessionId, [name]: name }))
      .raw(
        JSON.stringify(
          Object.fromEntries([
            ['type', 'system'],
            ['subtype', name],
            [name, {}],
          ]),
        ),
      );
  }
  return transcript.title(NAMES.join(' ')).toString();
}

describe('the names of Object.prototype are words like any others', function () {
  this.timeout(120_000);
  const program = useProgram();
  let home: HookHome;
  let project: string;
  let projectId: string;
  afterEach(() => home.dispose());

  const enter = async (projectName: string): Promise<void> => {
    home = await HookHome.make(program);
    project = path.join(home.dir, projectName);
    projectId = projectFolderName(project);
    await mkdir(path.join(project, '.git', 'info'), { recursive: true });
    await mkdir(path.dirname(home.transcript(projectId, FIRST)), { recursive: true });
    for (const id of [FIRST, SECOND]) await writeFile(home.transcript(projectId, id), sessionOf(id, project));
  };

  const run = (...args: string[]): HookEnd => home.keepit(...args, '--project', projectId);
  const done = (...args: string[]): string => {
    const { code, stdout, stderr } = run(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  const answer = (...args: string[]): unknown => JSON.parse(done(...args, '--json'));
  const hook = (event: string, fields: object = {}): HookEnd => {
    const place = { session_id: SECOND, transcript_path: home.transcript(projectId, SECOND), cwd: project };
    const ended = home.hook(event, { input: { ...place, hook_event_name: event, ...fields } });
    assert.equal(ended.code, 0, `${event}: ${ended.stderr}`);
    return ended;
  };

  it('reads, marks, compresses and composes sessions about them', async () => {
    await enter('constructor');
    done('discover');
    done('register', '--all');
    done('sync');
    done('sessions');
    done('show', FIRST);
    const { messages } = toolsSchema.parse(answer('messages', FIRST));
    const tools = messages.flatMap((message) => message.tools);
    assert.deepEqual(
      tools.map(({ name, target }) => [name, path.basename(target)]),
      NAMES.map((name) => [name, name]),
    );
    const { keepits } = keepitsSchema.parse(answer('keepits', FIRST));
    assert.deepEqual(
      keepits.map(({ content }) => content),
      NAMES,
    );
    done('keepit', 'weight', keepits[0]!.markerId, '0.95');
    done('decay', FIRST, '--ratio', '30', '--level', 'aggressive');
    const { version } = versionSchema.parse(answer('compress', FIRST, '--ratio', '5'));
    const text = done('version', 'show', FIRST, version.versionId);
    for (const name of NAMES) assert.ok(text.includes(name), name);
    done('versions', FIRST);
    done('diff', FIRST, 'original', version.versionId);
    for (const name of SOME) {
      done('compose', '--name', `about ${name}`, '--last', '2', '--budget', '20000');
      done('composition', 'show', `about ${name}`);
    }
    done('compositions');
    done('deliver', 'about constructor', '--to', 'stdout');
    done('doctor');
    done('stats');
    done('ledger');
  });

  it('builds layers, finds facts, writes notes and searches', async () => {
    await enter('__proto__');
    done('register', '--all');
    done('layers', 'enable');
    done('layers', 'build');
    const file = path.join(project, '.claude', 'memory', 'concepts.json');
    const { concepts } = conceptsDocumentSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    for (const { topics = {} } of concepts) {
      for (const [topic, count] of Object.entries(topics)) assert.equal(typeof count, 'number', topic);
    }
    for (const layer of ['l1', 'l2']) done('layers', 'show', layer, '--session', FIRST);
    for (const layer of ['l3', 'l4']) done('layers', 'show', layer);
    done('layers', 'build', '--full');
    const facts = done('facts', '--all');
    for (const name of NAMES) assert.ok(facts.includes(name), name);
    for (const id of [FIRST, SECOND]) done('summarize', id);
    done('synthesize');
    done('recall');
    done('memory', 'final', FIRST);
    done('memory', 'list');
    done('memory', 'check', FIRST);
    for (const name of SOME) {
      assert.ok(foundSchema.parse(answer('search', name)).total > 0, name);
      done('memory', 'set', 'project', '--text', name);
    }
  });

  it('mends layers in which an older build has counted them wrongly', async () => {
    await enter('constructor');
    done('register', '--all');
    done('layers', 'enable');
    done('layers', 'build');
    const folder = path.join(project, '.claude', 'memory');
    const sound = await readFile(path.join(folder, 'concepts.json'), 'utf8');
    const document = conceptsDocumentSchema.parse(JSON.parse(sound));
    const concepts = document.concepts.map((concept) => ({
      ...concept,
      topics: { constructor: `${String(Object)}1` },
    }));
    await writeFile(path.join(folder, 'concepts.json'), JSON.stringify({ ...document, concepts }));
    done('layers', 'build');
    assert.equal(await readFile(path.join(folder, 'concepts.json'), 'utf8'), sound);
    await Promise.all(['concepts.json', 'layers.json', 'facts.json'].map((name) => rm(path.join(folder, name))));
    done('layers', 'build');
    assert.equal(await readFile(path.join(folder, 'concepts.json'), 'utf8'), sound);
  });

  it('tells hooks about them, and takes the session in when it ends', async () => {
    await enter('constructor');
    done('register', '--all');
    done('layers', 'enable');
    done('layers', 'build');
    hook('SessionStart', { source: 'startup' });
    for (const name of SOME) hook('UserPromptSubmit', { prompt: `What about the ${name}?` });
    for (const name of SOME) hook('PostToolUse', { tool_name: name, tool_input: { file_path: name } });
    hook('PreCompact', { trigger: 'manual', custom_instructions: 'constructor' });
    hook('Stop');
    await appendFile(home.transcript(projectId, SECOND), sessionOf(`${SECOND}-later`, project));
    hook('SessionEnd', { reason: 'other' });
    await home.settled(projectId);
    const events = (await home.activity(projectId, SECOND)).map(({ event, source }) => `${event} ${source ?? ''}`);
    assert.ok(events.includes('Capture end'), events.join(', '));
    const l2 = answer('layers', 'show', 'l2', '--session', SECOND);
    assert.ok(JSON.stringify(l2).includes(`${SECOND}-later`));
    assert.doesNotMatch(await home.log(), /Error/);
  });

  it('knows no session, version, setting or composition of such a name', async () => {
    await enter('__proto__');
    done('register', '--all');
    for (const name of SOME) {
      for (const args of [
        ['show', name],
        ['messages', name],
        ['version', 'show', FIRST, name],
        ['composition', 'show', name],
        ['keepit', 'remove', name],
        ['unregister', name],
        ['restore', name],
        ['facts', '--kind', name],
        ['fact', 'confirm', name],
        ['config', 'get', name],
        ['config', 'get', `ui.${name}`],
        ['config', 'set', `ui.${name}`, '1'],
        ['compose', '--name', 'x', '--last', '1', '--budget', '9000', '--format', name],
        ['compress', FIRST, '--provider', 'anthropic', '--model', name],
        ['search', name, '--since', `1${name}`],
        ['search', name, '--kind', name],
        [name],
      ]) {
        const { code, stdout, stderr } = run(...args, '--json');
        assert.ok(code === 1 || code === 2, `${args.join(' ')} ends with ${code}: ${stdout}${stderr}`);
        assert.ok(errorSchema.safeParse(JSON.parse(stdout)).success, `${args.join(' ')}: ${stdout}`);
      }
    }
    assert.ok(existsSync(home.memoryDir));
  });
});

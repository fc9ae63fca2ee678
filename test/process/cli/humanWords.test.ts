import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { projectManifestSchema } from '../../../src/core/model/manifest';
import { TranscriptBuilder } from '../../unit/support/transcriptBuilder';
import { CliHome, useProgram } from '../support/cliProcess';

const PROJECT = '-tmp-words-app';
const SESSION = 'abcd1234-1111-4111-8111-111111111111';
const REFUSED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n";

/** What the person said, in every place where a transcript may hide it: the words of each, and a word that stands in no other. */
const SAID = [
  { text: 'Please move the ledger into its own package.', word: 'package', mark: 'ledger' },
  { text: 'No: ##keepit0.80##always store amounts as whole cents.##keepit:end##', word: 'cents', mark: 'No' },
  {
    text: '> Which zone?\n\\> UTC ##keepit0.85##for every timestamp, never local time##keepit:end##',
    word: 'timestamp',
    mark: 'UTC',
  },
  { text: 'and ##keepit0.90##never drop the audit table.##keepit:end##', word: 'audit', mark: 'and' },
  { text: 'then ##keepit0.75##rename the gauge column to level##keepit:end##', word: 'gauge', mark: 'then' },
] as const;
const [, REFUSAL, ANSWER, QUEUED, ABSORBED] = SAID;

const messagesSchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), uuid: z.string(), text: z.string() })),
});
const keepitsSchema = z.looseObject({ keepits: z.array(z.looseObject({ content: z.string() })) });
const markedSchema = z.looseObject({ marker: z.looseObject({ content: z.string() }) });
const foundSchema = z.looseObject({ results: z.array(z.looseObject({ snippet: z.string() })) });
const factsSchema = z.looseObject({ facts: z.array(z.looseObject({ content: z.string() })) });
const versionSchema = z.looseObject({ version: z.looseObject({ versionId: z.string() }) });
const listedSchema = z.looseObject({ originalMessages: z.number(), keepitMarkers: z.array(z.unknown()) });
const sessionsSchema = z.looseObject({ sessions: z.array(listedSchema) });

/** A session as Claude Code writes it, with the words of a person at five kinds of places. */
function transcript(cwd: string): string {
  const builder = new TranscriptBuilder(SESSION, cwd).human(SAID[0].text).assistant('I look at it first.');
  const call = (id: string, name: string): void => {
    const content = [{ type: 'tool_use', id, name, input: {} }];
    builder.assistant('', { message: { id: `msg_${id}`, role: 'assistant', model: 'claude-opus-4-8', content } });
  };
  const result = (id: string, content: string, more: object): void => {
    const block = { type: 'tool_result', tool_use_id: id, content, ...(id === 'edit' && { is_error: true }) };
    builder.human('', { message: { role: 'user', content: [block] }, ...more });
  };
  call('edit', 'Edit');
  result('edit', REFUSED + REFUSAL.text, { toolUseResult: `Error: ${REFUSED}${REFUSAL.text}` });
  builder.assistant('You are right.');
  call('ask', 'AskUserQuestion');
  const answer = ANSWER.text.slice(ANSWER.text.indexOf('\\') + 1);
  const answers = { 'Which zone?': answer };
  result('ask', `User has answered your questions: "Which zone?"="${answer}".`, {
    toolUseResult: { questions: [{ question: 'Which zone?' }], answers },
  });
  builder.assistant('UTC, then.');
  const queue = (operation: string, second: number, more: object): void => {
    const timestamp = `2026-01-15T12:00:${String(second).padStart(2, '0')}.000Z`;
    builder.raw(JSON.stringify({ type: 'queue-operation', operation, timestamp, sessionId: SESSION, ...more }));
  };
  queue('enqueue', 1, { content: QUEUED.text });
  queue('remove', 2, {});
  builder.assistant('It stays.');
  queue('enqueue', 3, { content: ABSORBED.text });
  const ids = { source_uuid: 'c-1', delivery_id: 'd-1' };
  const attachment = { type: 'queued_command', prompt: ABSORBED.text, ...ids };
  builder.human('', { type: 'attachment', message: undefined, attachment });
  queue('remove', 4, { content: ABSORBED.text, reason: 'absorbed_mid_turn', commandUuid: 'c-1', deliveryId: 'd-1' });
  return builder.assistant('Renamed.').toString();
}

describe('the words of a person, wherever a transcript has them, with the built command line', function () {
  this.timeout(120_000);
  const program = useProgram();
  let home: CliHome;

  beforeEach(async () => {
    home = await CliHome.make(program);
    const project = path.join(home.dir, 'app');
    await mkdir(project);
    await mkdir(path.dirname(home.transcript(PROJECT, SESSION)), { recursive: true });
    await writeFile(home.transcript(PROJECT, SESSION), transcript(project));
  });
  afterEach(() => home.dispose());

  async function run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await home.run([...args, '--project', PROJECT]);
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  }

  async function json<Schema extends z.core.$ZodType>(schema: Schema, ...args: string[]): Promise<z.output<Schema>> {
    return z.parse(schema, JSON.parse(await run(...args, '--json')));
  }

  const count = (text: string, word: string): number => text.split(word).length - 1;

  /** Each of the words once: as messages, keepits, answers of a search. */
  async function isAllThere(): Promise<void> {
    const { messages } = await json(messagesSchema, 'messages', SESSION);
    const human = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    assert.deepEqual(
      human,
      SAID.map(({ text }) => text),
    );
    const { keepits } = await json(keepitsSchema, 'keepits', SESSION);
    assert.equal(keepits.length, 4);
    for (const { word } of SAID.slice(1)) {
      assert.equal(keepits.filter(({ content }) => content.includes(word)).length, 1, word);
      const { results } = await json(foundSchema, 'search', word, '--kind', 'message');
      const saying = results.filter(({ snippet }) => snippet.includes(word)); // what is next to it is found as well
      assert.equal(saying.length, 1, `search ${word}`);
    }
    const [listed] = (await json(sessionsSchema, 'sessions')).sessions;
    assert.deepEqual([listed?.originalMessages, listed?.keepitMarkers.length], [10, 4]);
  }

  it('are there once in messages, keepits and searches', async () => {
    await run('register', SESSION);
    await isAllThere();
  });

  it('can be marked, each of them', async () => {
    await run('register', SESSION);
    const { messages } = await json(messagesSchema, 'messages', SESSION);
    for (const { text, mark } of SAID) {
      const message = messages.find((one) => one.text === text);
      const start = text.indexOf(mark);
      const span = ['--start', String(start), '--end', String(start + mark.length)];
      const { marker } = await json(
        markedSchema,
        'keepit',
        'add',
        SESSION,
        message?.uuid ?? '',
        '--weight',
        '1',
        ...span,
      );
      assert.equal(marker.content, mark);
    }
    assert.equal((await json(keepitsSchema, 'keepits', SESSION)).keepits.length, 9);
  });

  it('are there once in the layers, and make rules', async () => {
    await run('register', SESSION);
    await run('layers', 'enable', '--location', 'home');
    await run('layers', 'build');
    const l1 = await run('layers', 'show', 'l1');
    for (const { word } of SAID.slice(1)) assert.equal(count(l1, word), 1, `${word} in ${l1}`);
    const facts = (await json(factsSchema, 'facts')).facts.map(({ content }) => content);
    for (const word of ['cents', 'audit']) assert.equal(facts.filter((fact) => fact.includes(word)).length, 1, word);
  });

  it('are there once in versions, also where most is cut away', async () => {
    await run('register', SESSION);
    const original = await run('version', 'show', SESSION, 'original');
    for (const { word } of SAID.slice(1)) assert.equal(count(original, word), 1, `${word} in ${original}`);
    const { version } = await json(versionSchema, 'compress', SESSION, '--ratio', '5', '--keepit-mode', 'preserve-all');
    const text = await run('version', 'show', SESSION, version.versionId);
    for (const { word } of SAID.slice(1)) assert.equal(count(text, word), 1, `${word} in ${text}`);
  });

  it('are there when an older Keepit, which did not hear them, has read the session before', async () => {
    await run('register', SESSION);
    await json(foundSchema, 'search', 'ledger');
    const cache = path.join(home.memoryDir, 'cache');
    const entries = await readdir(cache, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    let changed = 0;
    for (const file of files) {
      const text = await readFile(file, 'utf8');
      const older = text
        .replace(/"format":(\d+)/g, (_all, format: string) => `"format":${Number(format) - 1}`)
        .replace(/"humanMessages":\d+/g, '"humanMessages":1')
        .replace(/cents|timestamp|audit|gauge/g, 'nothing');
      await writeFile(file, path.basename(file) === 'format' ? String(Number(text) - 1) : older);
      changed += Number(older !== text);
    }
    assert.ok(changed > 1, String(changed));
    const manifest = path.join(home.memoryDir, 'projects', PROJECT, 'manifest.json');
    const known = projectManifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8')));
    const entry = known.sessions[SESSION];
    assert.ok(entry);
    const older = {
      ...known,
      sessions: { [SESSION]: { ...entry, originalMessages: 6, keepitMarkers: [], keepitRules: 1 } },
    };
    await writeFile(manifest, JSON.stringify(older));
    await run('sync');
    await isAllThere();
  });
});

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SummarizerError } from '../../../../src/core/versions/models/modelCaller';
import { parseKeepits } from '../../../../src/core/keepits/markerParser';
import { useProgram } from '../../support/cliProcess';
import { FakeAnthropic } from '../../../unit/support/fakeAnthropic';
import { FADING, IMPORTANT, lyingAnswer, ModelStage, PINNED, PRIVATE, SECRET } from '../../../unit/support/modelStage';
import { useTempFolder } from '../../../unit/support/tempFolder';

const request = { provider: 'anthropic', model: 'haiku', compactionRatio: 8 } as const;

describe('a version that a model wrote', () => {
  const temp = useTempFolder();
  const program = useProgram();
  let server: FakeAnthropic;
  let stage: ModelStage;

  beforeEach(async () => {
    server = await FakeAnthropic.start();
    server.otherwise = lyingAnswer;
    const env = { ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: server.url };
    stage = new ModelStage(temp.path, { distDir: program.dir, env });
    await stage.open();
  });

  afterEach(async () => {
    await stage.close();
    await server.stop();
  });

  it('holds the keepits byte for byte and no other marker, whatever the model wrote', async () => {
    const { service } = stage.opened;
    const { version, files } = await service.versions.compress(stage.ref, { ...request, mode: 'uniform' });
    const text = await readFile(
      files.find((file) => file.endsWith('.md'))!,
      'utf8',
    );
    assert.deepEqual(
      parseKeepits(text).spans.map(({ weight, content }) => ({ weight, content })),
      [
        { weight: 1, content: PINNED },
        { weight: 0.9, content: IMPORTANT },
      ],
    );
    assert.deepEqual(
      version.receipt?.map(({ weight, kept }) => [weight, kept]),
      [
        [1, true],
        [0.9, true],
        [0.1, false],
      ],
    );
    assert.equal(version.provider, 'anthropic');
  });

  it('came about without the keepits, the secret or the private passage being sent', async () => {
    await stage.opened.service.versions.compress(stage.ref, request);
    assert.ok(server.requests.length > 0);
    for (const { prompt } of server.requests) {
      for (const text of [PINNED, IMPORTANT, SECRET, PRIVATE, '##keepit']) assert.ok(!prompt.includes(text), text);
      assert.ok(prompt.includes(FADING)); // too light to survive: ordinary text now
    }
  });

  it('says what it cost, as the ledger does', async () => {
    const { service } = stage.opened;
    const estimate = await service.versions.preview(stage.ref, request);
    assert.equal(server.requests.length, 0);
    const { version } = await service.versions.compress(stage.ref, request);
    const entries = await service.upkeep.ledger();
    assert.equal(entries.length, server.requests.length);
    assert.equal(entries[0]?.sessionId, stage.ref.sessionId);
    assert.ok(Math.abs((version.cost?.usd ?? 0) - entries.reduce((sum, { usd }) => sum + usd, 0)) < 1e-12);
    assert.ok(estimate.cost.usd > 0);
  });

  it('is not made beyond the limit: nothing is sent, and nothing is written', async () => {
    const { service, memoryDir } = stage.opened;
    await assert.rejects(
      service.versions.compress(stage.ref, { ...request, maxCostUsd: 0.000001 }),
      (error) => error instanceof SummarizerError && error.reason === 'run-limit',
    );
    assert.equal(server.requests.length, 0);
    assert.deepEqual((await service.versions.list(stage.ref)).versions, []);
    const names = await readdir(path.join(memoryDir, 'projects'), { recursive: true });
    assert.deepEqual(
      names.filter((name) => /v\d{3}_/.test(name)),
      [],
    );
  });

  it('is not made when the model fails, and the failure says what to do', async () => {
    server.otherwise = () => ({ status: 401, errorType: 'authentication_error', message: 'invalid x-api-key' });
    const { service } = stage.opened;
    await assert.rejects(
      service.versions.compress(stage.ref, request),
      (error) => error instanceof SummarizerError && error.reason === 'bad-key' && error.hint.includes('`local`'),
    );
    assert.deepEqual((await service.versions.list(stage.ref)).versions, []);
    assert.deepEqual(
      (await service.upkeep.ledger()).map(({ outcome }) => outcome),
      ['bad-key'],
    );
  });

  it('is not made when it is cancelled while the model writes', async () => {
    server.otherwise = () => ({ text: 'half of an answer', fault: 'stuck' });
    const controller = new AbortController();
    const work = stage.opened.service.versions.compress(stage.ref, request, undefined, controller.signal);
    while (server.requests.length === 0) await sleep(10);
    await sleep(100); // the first half of the answer arrives
    controller.abort();
    await assert.rejects(work, { name: 'AbortError' });
    assert.deepEqual((await stage.opened.service.versions.list(stage.ref)).versions, []);
    assert.deepEqual(
      (await stage.opened.service.upkeep.ledger()).map(({ outcome, inputTokens }) => [outcome, inputTokens]),
      [['cancelled', 100]],
    );
  });
});

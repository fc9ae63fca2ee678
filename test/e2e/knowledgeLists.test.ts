import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import * as z from 'zod/mini';
import { TranscriptBuilder } from '../unit/support/transcriptBuilder';
import { currentStage } from './support/stage';
import { useWorkbench } from './support/useWorkbench';

const SESSIONS = 24;
const TURNS = 300;
/** The requests of the session that was written in first. */
const REQUESTS = 250;

const stateSchema = z.object({ sessions: z.record(z.string(), z.looseObject({ sourceBytes: z.number() })) });

describe('Keepit in a project in which much was said', () => {
  const workbench = useWorkbench(currentStage(), { settings: { 'keepit.layers.autoBuild': false } });
  const rows = (): Locator => workbench().treeRows('Knowledge');
  const row = (text: string | RegExp): Locator => rows().filter({ hasText: text }).first();
  const told = (text: string | RegExp): Locator => workbench().notifications().filter({ hasText: text }).first();
  const toast = (): Locator => workbench().page.locator('.notification-toast');
  const focused = (): Locator => workbench().page.locator('.sidebar .monaco-list-row.focused');
  const layersDir = (): string => path.join(workbench().home.workspace, '.claude/memory');

  /** The sessions that the layers know, each as far as it was read. */
  async function layered(): Promise<readonly string[]> {
    const state: unknown = JSON.parse(await readFile(path.join(layersDir(), 'layers.json'), 'utf8'));
    return Object.keys(z.parse(stateSchema, state).sessions);
  }

  before(async () => {
    const { claudeDir, workspace } = workbench().home;
    const folder = path.join(claudeDir, 'projects', workspace.replace(/[^A-Za-z0-9]/g, '-'));
    await mkdir(folder, { recursive: true });
    const first = new TranscriptBuilder('00000000-0000-4000-8000-000000000000', workspace);
    for (let at = 0; at < REQUESTS; at++) first.human(`Request number ${at}`).assistant(`Answer number ${at}.`);
    const oldest = path.join(folder, '00000000-0000-4000-8000-000000000000.jsonl');
    await writeFile(oldest, first.toString());
    await utimes(oldest, new Date('2026-01-01'), new Date('2026-01-01'));
    for (let number = 1; number < SESSIONS; number++) {
      const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
      const transcript = new TranscriptBuilder(id, workspace);
      for (let turn = 0; turn < TURNS; turn++) transcript.human(request(number, turn)).assistant(answer(number, turn));
      await writeFile(path.join(folder, `${id}.jsonl`), transcript.toString());
    }
    all = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).length;
  });

  /** How many sessions there are to be read. */
  let all = 0;

  it('stops reading when that is cancelled, and keeps what it has read', async () => {
    await workbench().openView('Keepit');
    await workbench().treeRows('Sessions').first().waitFor();
    await workbench().runCommand('Keepit: Enable Keepit in This Project…');
    await workbench().answer('Enable');
    await toast().filter({ hasText: 'Reading what was said in workspace' }).waitFor();
    // The first session's layer is there.
    const written = async () => readdir(layersDir(), { recursive: true }).catch(() => []);
    while (!(await written()).some((name) => name.endsWith('.l2.json'))) await workbench().page.waitForTimeout(20);
    await workbench().shot('layers being built');
    await toast().getByRole('button', { name: 'Cancel' }).click();
    await told('Reading was cancelled.').waitFor();
    const known = await layered();
    assert.ok(known.length > 0 && known.length < all, `${known.length} of ${all} sessions were read`);
    assert.ok(!(await readdir(layersDir())).includes('.lock'));
    JSON.parse(await readFile(path.join(layersDir(), 'facts.json'), 'utf8'));
    await workbench().showOnly('Knowledge');
    await row(`Take in ${all - known.length} sessions`).waitFor();
    await workbench().shot('layers cancelled');
  });

  it('goes on from there', async () => {
    const before = await layered();
    await toast().getByRole('button', { name: 'Go On' }).click();
    await told(`${all - before.length} sessions read.`).waitFor({ timeout: 60_000 });
    assert.equal((await layered()).length, all);
    await row('Take in').waitFor({ state: 'detached' });
    await workbench().runCommand('Notifications: Clear All Notifications');
  });

  it('shows more of a long list by keys alone, and goes to what has come', async () => {
    const { keyboard } = workbench().page;
    const toLastExchange = async () => {
      await keyboard.press('End');
      await focused().filter({ hasText: 'Rolling Memory' }).waitFor();
      await keyboard.press('ArrowUp');
    };
    await workbench().runCommand('Keepit: Focus on Knowledge View');
    await row('Exchanges').click();
    await row('Write module').waitFor();
    await toLastExchange();
    await focused().filter({ hasText: 'Request number 0' }).waitFor();
    const latest = focused().filter({ hasText: 'Request number 249' });
    while (!(await latest.isVisible())) {
      await keyboard.press('ArrowRight'); // unfolds, and goes to the first one once they are read
      await latest.waitFor({ timeout: 500 }).catch(() => undefined);
    }
    for (const { label, first } of [
      { label: 'Show 100 more, 150 left', first: 'Request number 149' },
      { label: 'Show 50 more, 50 left', first: 'Request number 49' },
    ]) {
      await toLastExchange();
      await focused().filter({ hasText: 'more' }).waitFor();
      assert.equal(await focused().getAttribute('aria-label'), label);
      await workbench().shot(label);
      await keyboard.press('Enter');
      await focused().filter({ hasText: first }).waitFor();
    }
    await toLastExchange();
    await focused().filter({ hasText: 'Request number 0' }).waitFor();
    await workbench().shot('all exchanges');
  });
});

function request(number: number, turn: number): string {
  const about = `module_${number}_${turn % 9}`;
  return `Write ${about} anew: it is to read src/${about}.ts, and to say which lines of it could not be read. ${'Keep the old tests. '.repeat(4)}`;
}

function answer(number: number, turn: number): string {
  const about = `module_${number}_${turn % 9}`;
  return `Done: src/${about}.ts reads all lines, and names ${turn} that it cannot read. ${'The old tests pass as they did before. '.repeat(4)}`;
}

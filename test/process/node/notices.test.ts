import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { bundledPackages, noticesText } from '../../../scripts/buildNotices.mjs';

const NOTICES = 'THIRD-PARTY-NOTICES.txt';
const RULE = `\n\n${'='.repeat(80)}\n\n`;
const packageSchema = z.looseObject({ version: z.string() });

describe('the notices about the work of others', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'keepit-notices-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** A package in a folder of its own. */
  async function madePackage(files: Readonly<Record<string, string>>, license: string | null = 'MIT'): Promise<string> {
    const folder = path.join(dir, 'node_modules', 'thing');
    await mkdir(folder, { recursive: true });
    const manifest = { name: 'thing', version: '1.2.3', ...(license !== null && { license }) };
    for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
      await writeFile(path.join(folder, name), text);
    }
    return folder;
  }

  it('name every package that is in a bundle, each with its version and the text of its licence', async () => {
    const text = await readFile(path.join('dist', NOTICES), 'utf8');
    const [, ...notices] = text.split(RULE);
    const heads = notices.map((notice) => notice.split('\n', 1)[0] ?? '');
    const bundles = await readdir('dist', { recursive: true });
    const maps = await Promise.all(
      bundles.filter((name) => name.endsWith('.map')).map((name) => readFile(path.join('dist', name), 'utf8')),
    );
    const sources = maps.flatMap(
      (map) => z.parse(z.looseObject({ sources: z.array(z.string()) }), JSON.parse(map)).sources,
    );
    const folders = new Set(
      sources.flatMap((source) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(source) ?? []),
    );
    assert.ok(folders.size > 10 || sources.length === 0, [...folders].join(', '));
    for (const folder of [...folders, 'node_modules/js-tiktoken', 'node_modules/zod', 'node_modules/lit-html']) {
      const { version } = packageSchema.parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')));
      const name = /(?:@[^/]+\/)?[^/]+$/.exec(folder)?.[0] ?? '';
      assert.ok(heads.includes(`${name} ${version}`), `${name} ${version} is not among ${heads.join(', ')}`);
    }
    for (const notice of notices) {
      assert.match(notice, /^\S+ \S+\n\nLicence: \S+\n\n/);
      assert.match(notice, /Permission|Redistribution|Apache License/, notice.slice(0, 200));
    }
    assert.ok(heads.includes('tiktoken o200k_base'));
  });

  it('lie beside the bundles, in the plugin, and in what is packed', async () => {
    const text = await readFile(path.join('dist', NOTICES), 'utf8');
    assert.equal(await readFile(path.join('dist', 'claude-plugin', NOTICES), 'utf8'), text);
    const vsce = path.resolve('node_modules/@vscode/vsce/vsce');
    const { stdout } = await promisify(execFile)(process.execPath, [vsce, 'ls', '--no-dependencies']);
    assert.ok(stdout.split(/\r?\n/).includes(`dist/${NOTICES}`), stdout);
    assert.ok(stdout.split(/\r?\n/).includes(`dist/claude-plugin/${NOTICES}`), stdout);
  });

  it('hold licences and notices whole, and fail without a licence', async () => {
    const folder = await madePackage({ 'LICENSE.md': 'You may.\r\nAlways.', NOTICE: 'By Ada.' });
    const text = await noticesText({ folders: [folder] });
    assert.ok(text.endsWith(`${RULE}thing 1.2.3\n\nLicence: MIT\n\nYou may.\nAlways.\n\nBy Ada.\n`), text);
    await rm(path.join(folder, 'LICENSE.md'));
    await assert.rejects(
      noticesText({ folders: [folder] }),
      /thing 1\.2\.3 is bundled, but has no licence text in .*thing/,
    );
    const given = path.join(dir, 'thing.txt');
    await writeFile(given, 'You may.');
    assert.match(await noticesText({ folders: [folder], licences: { thing: given } }), /You may\.\n\nBy Ada\./);
    await madePackage({ LICENSE: 'You may.' }, null);
    await assert.rejects(noticesText({ folders: [folder] }), /thing 1\.2\.3 is bundled, but has no licence id/);
    await madePackage({ LICENSE: ' ' });
    await assert.rejects(noticesText({ folders: [folder] }), /licence of thing 1\.2\.3 is missing or empty/);
  });

  it('name data that is no package, and fail without its licence', async () => {
    const file = path.join(dir, 'rules.txt');
    const data = [{ name: 'rules', version: '8.1', licence: 'MIT', file }];
    await assert.rejects(noticesText({ folders: [], data }), /licence of rules 8\.1 is missing or empty/);
    await writeFile(file, 'You may.');
    assert.ok((await noticesText({ folders: [], data })).endsWith('rules 8.1\n\nLicence: MIT\n\nYou may.\n'));
  });

  it('count a package only when something of it is in a bundle, by its own folder', () => {
    const inputs = {
      'src/a.ts': { bytesInOutput: 5 },
      'node_modules/@a/b/dist/x/node_modules/c/y.js': { bytesInOutput: 1 },
      'node_modules/@a/b/z.js': { bytesInOutput: 1 },
      'node_modules/shaken/z.js': { bytesInOutput: 0 },
    };
    assert.deepEqual(bundledPackages([{ outputs: { 'dist/a.js': { inputs } } }]), [
      'node_modules/@a/b/dist/x/node_modules/c',
      'node_modules/@a/b',
    ]);
  });
});

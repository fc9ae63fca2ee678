import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { hooksFileSchema } from '../../../src/core/claude/setup/setupPlanner';
import { withRuntime } from '../../../src/core/claude/setup/runtimeWords';
import { EstimatingTokenCounter } from '../../../src/core/text/tokens/estimatingTokenCounter';

const folder = path.resolve('src/claude-plugin');

/** Below what a short prompt has: it is paid for in every session. */
const MOST_TOKENS = 250;

async function texts(): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, string]> => {
        const name = path.relative(folder, file).split(path.sep).join('/');
        return [name, await readFile(file, 'utf8')];
      }),
    ),
  );
}

const frontMatter = (text: string, key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1];

describe('the files of the Claude Code plugin', () => {
  it('call Keepit in the one way that the set-up can make for another runtime', async () => {
    const runtime = { kind: 'electron', file: '/opt/code', version: '22.0.0' } as const;
    let calls = 0;
    for (const [name, text] of await texts()) {
      const made = withRuntime(text, runtime, 'posix');
      calls += made.split('ELECTRON_RUN_AS_NODE').length - 1;
      assert.ok(
        !/(?<!code\\?" \\?"\$\{CLAUDE_PLUGIN_ROOT\}\/bin\/)keepit\.js\\?"/.test(made) || name === '.mcp.json',
        name,
      );
    }
    assert.ok(calls > 20, String(calls));
  });

  it('have every event, and time enough for each', async () => {
    const { hooks } = hooksFileSchema.parse(JSON.parse((await texts()).get('hooks/hooks.json') ?? ''));
    const calls = Object.entries(hooks).flatMap(([event, groups]) =>
      groups.flatMap((group) => group.hooks.map((hook) => [event, hook] as const)),
    );
    const hookSchema = z.object({
      type: z.literal('command'),
      command: z.string(),
      timeout: z.number().check(z.gte(5)),
    });
    const commands = calls.map(([event, hook]) => [event, hookSchema.parse(hook).command.split('" ')[1]]);
    assert.deepEqual(commands, [
      ['SessionStart', 'hook SessionStart'],
      ['UserPromptSubmit', 'hook UserPromptSubmit'],
      ['PreToolUse', 'hook PreToolUse --file-note'],
      ['PostToolUse', 'hook PostToolUse'],
      ['PostToolUse', 'hook PostToolUse --file-note'],
      ['Stop', 'hook Stop'],
      ['PreCompact', 'hook PreCompact'],
      ['SessionEnd', 'hook SessionEnd'],
    ]);
  });

  it('add few tokens to every session, and let commands run nothing but Keepit', async () => {
    const named = [...(await texts())].filter(([name]) => name.endsWith('.md'));
    const tokens = new EstimatingTokenCounter();
    const always = named.map(
      ([name, text]) => `keepit:${path.basename(name, '.md')}: ${frontMatter(text, 'description') ?? ''}`,
    );
    assert.ok(tokens.count(always.join('\n')) <= MOST_TOKENS, String(tokens.count(always.join('\n'))));
    for (const [name, text] of named) {
      assert.ok((frontMatter(text, 'description') ?? '') !== '', name);
      const allowed = (frontMatter(text, 'allowed-tools') ?? '').split(', ').filter((tool) => tool !== '');
      for (const tool of allowed)
        assert.match(tool, /^(Bash\(node "\$\{CLAUDE_PLUGIN_ROOT\}\/bin\/keepit\.js"|mcp__plugin_keepit_memory__)/);
    }
  });

  it('let each command run what it needs, and nothing that a text could talk Claude into', async () => {
    const run = (...words: string[]) =>
      words.map((word) => `Bash(node "\${CLAUDE_PLUGIN_ROOT}/bin/keepit.js" ${word})`);
    const search = ['search', 'read'].map((tool) => `mcp__plugin_keepit_memory__${tool}`);
    const expected = {
      compose: run('compose:*', 'sessions:*', 'search:*', 'deliver * --to next-session', 'deliver * --to resume'),
      keepit: run('keepit add current last:*', 'keepit weight:*'),
      never: run('never add current'),
      recall: run('recall:*'),
      search: [...run('search:*'), ...search],
      summarize: run('summarize:*'),
      synthesize: run('synthesize --dry-run:*', 'synthesize --yes'),
    };
    const files = await texts();
    for (const [name, allowed] of Object.entries(expected)) {
      assert.equal(frontMatter(files.get(`commands/${name}.md`) ?? '', 'allowed-tools'), allowed.join(', '));
    }
  });

  it('have no two things of one name, and no package', async () => {
    const names = [...(await texts()).keys()];
    const commands = names.filter((name) => name.startsWith('commands/')).map((name) => path.basename(name, '.md'));
    const skills = names.filter((name) => name.startsWith('skills/')).map((name) => name.split('/')[1] ?? '');
    assert.deepEqual(commands.sort(), ['compose', 'keepit', 'never', 'recall', 'search', 'summarize', 'synthesize']);
    assert.equal(new Set([...commands, ...skills]).size, commands.length + skills.length);
    assert.ok(!names.some((name) => name.endsWith('package.json')));
  });
});

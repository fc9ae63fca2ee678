import assert from 'node:assert/strict';
import { withRoot, withRuntime, windowsLauncher } from '../../../../../src/core/claude/setup/runtimeWords';

const electron = { kind: 'electron', file: '/opt/My $Code/code', version: '22.0.0' } as const;
const windows = { kind: 'electron', file: 'C:\\Program Files\\Code\\Code.exe', version: '22.0.0' } as const;
const node = { kind: 'node', file: 'C:\\node 20\\node.exe', version: '20.0.0' } as const;
const path = { kind: 'path', file: 'node', version: '20.0.0' } as const;

const command = 'run `node "${CLAUDE_PLUGIN_ROOT}/bin/keepit.js" recall`';
const hook = JSON.stringify({ command: 'node "${CLAUDE_PLUGIN_ROOT}/bin/keepit.js" hook Stop' });
const servers = JSON.stringify({
  mcpServers: { memory: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/bin/keepit.js', 'mcp'] } },
});

describe('the words that run the hooks', () => {
  it('stay as they are where node is on PATH', () => {
    for (const text of [command, hook, servers]) assert.equal(withRuntime(text, path, 'posix'), text);
  });

  it('name the program and set its variable where it is VS Code, in Markdown and in JSON', () => {
    const call = 'ELECTRON_RUN_AS_NODE=1 "/opt/My \\$Code/code" "${CLAUDE_PLUGIN_ROOT}/bin/keepit.js"';
    assert.equal(withRuntime(command, electron, 'posix'), `run \`${call} recall\``);
    assert.deepEqual(JSON.parse(withRuntime(hook, electron, 'posix')), { command: `${call} hook Stop` });
    assert.equal(windowsLauncher(electron, 'posix'), undefined);
  });

  it('go through a batch file on Windows, where shells set variables in different ways', () => {
    const call = '"${CLAUDE_PLUGIN_ROOT}/bin/keepit.cmd"';
    assert.deepEqual(JSON.parse(withRuntime(hook, windows, 'windows')), { command: `${call} hook Stop` });
    assert.match(
      windowsLauncher(windows, 'windows') ?? '',
      /"C:\\Program Files\\Code\\Code\.exe" "%~dp0keepit\.js" %\*/,
    );
    assert.equal(windowsLauncher(node, 'windows'), undefined);
    const words = '"C:/node 20/node.exe" "${CLAUDE_PLUGIN_ROOT}/bin/keepit.js" hook Stop';
    assert.deepEqual(JSON.parse(withRuntime(hook, node, 'windows')), { command: words });
  });

  it('start the server without a shell', () => {
    assert.deepEqual(JSON.parse(withRuntime(servers, electron, 'posix')), {
      mcpServers: {
        memory: {
          command: electron.file,
          args: ['${CLAUDE_PLUGIN_ROOT}/bin/keepit.js', 'mcp'],
          env: { ELECTRON_RUN_AS_NODE: '1' },
        },
      },
    });
  });

  it('name the folder where nothing fills it in', () => {
    assert.equal(withRoot(command, 'C:\\a b\\$&'), 'run `node "C:/a b/$&/bin/keepit.js" recall`');
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { inputSchemaOf } from '../../../src/core/agentTools/memoryTool';
import { memoryTools } from '../../../src/core/agentTools/memoryTools';
import { MCP_PROVIDER, MODEL_TOOL_PREFIX, modelTools } from '../../../src/vscode/ids';

const manifestSchema = z.object({
  contributes: z.object({
    mcpServerDefinitionProviders: z.array(z.object({ id: z.string(), label: z.string() })),
    languageModelTools: z.array(
      z.object({
        name: z.string(),
        displayName: z.string(),
        modelDescription: z.string(),
        userDescription: z.string(),
        toolReferenceName: z.string(),
        inputSchema: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
});

const { contributes } = manifestSchema.parse(JSON.parse(readFileSync(path.resolve('package.json'), 'utf8')));

describe('what models are offered in VS Code', () => {
  it('is in package.json just as memory has it', () => {
    const wanted = modelTools.map((name) => {
      const tool = memoryTools.find((one) => one.name === name);
      assert.ok(tool, name);
      const { title: displayName, description: modelDescription } = tool;
      const inputSchema = inputSchemaOf(tool);
      return { name: MODEL_TOOL_PREFIX + name, displayName, modelDescription, inputSchema };
    });
    const declared = contributes.languageModelTools.map(
      ({ userDescription: _words, toolReferenceName: _name, ...tool }) => tool,
    );
    assert.deepEqual(declared, wanted);
  });

  it('only reads, and has names by which people can call it', () => {
    const readOnly = memoryTools.filter(({ isReadOnly }) => isReadOnly).map(({ name }) => name);
    for (const name of modelTools) assert.ok(readOnly.includes(name), name);
    for (const { toolReferenceName, userDescription } of contributes.languageModelTools) {
      assert.match(toolReferenceName, /^\w+$/);
      assert.ok(userDescription.length > 20);
    }
  });

  it('names the provider of the MCP server', () => {
    assert.deepEqual(
      contributes.mcpServerDefinitionProviders.map(({ id }) => id),
      [MCP_PROVIDER],
    );
  });
});

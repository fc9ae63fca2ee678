import { memoryTools } from '../../../src/core/agentTools/memoryTools';
import type { ToolContext } from '../../../src/core/agentTools/memoryTool';
import type { ToolAnswer } from '../../../src/core/memoryPorts';
import { ToolProject } from '../../../src/core/agentTools/toolProject';
import { FakeMemory } from './fakeMemory';
import { TranscriptBuilder } from './transcriptBuilder';

export const TOOL_PROJECT = '-home-ada-src-app';
export const TOOL_SESSION = 'a1b2c3d4-1111-4111-8111-111111111111';

/** A memory in which tools find something: one session in memory, one that is not, and another project. */
export class ToolStage {
  readonly memory = new FakeMemory();
  folder = '/home/ada/src/app';

  static async make(): Promise<ToolStage> {
    const stage = new ToolStage();
    const { claude, service } = stage.memory;
    claude.write(
      `${TOOL_PROJECT}/${TOOL_SESSION}.jsonl`,
      new TranscriptBuilder(TOOL_SESSION)
        .title('Refresh tokens')
        .human('Remember: always use pnpm, never npm. <private>my password is hunter2</private>')
        .assistant('The refresh token lives seven days. ##keepit0.90##The signing key rotates monthly.##keepit:end##')
        .human('Why does the login loop?')
        .assistant('The refresh was not awaited.'),
    );
    const newer = new TranscriptBuilder('b1b2c3d4-2222').title('Colours').human('Make it red').assistant('It is red.');
    newer.human('No').assistant('Which one then?').human('Make it blue').assistant('It is blue.');
    claude.write(`${TOOL_PROJECT}/b1b2c3d4-2222.jsonl`, newer, '2026-01-19T12:00:00Z');
    const other = new TranscriptBuilder('c1c2c3c4-3333', '/home/ada/src/other').human('A secret plan elsewhere');
    claude.write('-home-ada-src-other/c1c2c3c4-3333.jsonl', other);
    await service.sessions.register([
      { projectId: TOOL_PROJECT, sessionId: TOOL_SESSION },
      { projectId: '-home-ada-src-other', sessionId: 'c1c2c3c4-3333' },
    ]);
    return stage;
  }

  async enableLayers(): Promise<void> {
    await this.memory.service.layers.enable(TOOL_PROJECT);
    await this.memory.service.layers.build(TOOL_PROJECT);
  }

  context(more: Partial<ToolContext> = {}): ToolContext {
    const { service, clock } = this.memory;
    const project = new ToolProject(service, async () => [this.folder]);
    return { memory: service, project, now: clock.now(), ...more };
  }

  async call(name: string, input: unknown = {}, more: Partial<ToolContext> = {}): Promise<ToolAnswer> {
    const tool = memoryTools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}`);
    return tool.run(input, this.context(more));
  }

  /** The text of an answer; throws for an error. */
  async text(name: string, input: unknown = {}): Promise<string> {
    const { text, isError } = await this.call(name, input);
    if (isError) throw new Error(text);
    return text;
  }

  /** The text of an error; throws for an answer. */
  async error(name: string, input: unknown = {}): Promise<string> {
    const { text, isError } = await this.call(name, input);
    if (!isError) throw new Error(text);
    return text;
  }
}

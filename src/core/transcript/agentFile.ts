import * as z from 'zod/mini';
import type { Conversation, Message, ToolStep } from './types';

const AGENT_FILE = /^agent-([A-Za-z0-9_-]+)\.jsonl$/;
const COMPACTOR = 'acompact-';

/** What the name of a sub-agent's transcript says. */
export interface AgentFileName {
  readonly agentId: string;
  /** Claude Code's own compactor at work: no dialogue, and nobody's sub-agent. */
  readonly isCompactor: boolean;
}

/** Undefined for a name that is not that of a sub-agent's transcript. */
export function parseAgentFileName(name: string): AgentFileName | undefined {
  const agentId = AGENT_FILE.exec(name)?.[1];
  return agentId === undefined ? undefined : { agentId, isCompactor: agentId.startsWith(COMPACTOR) };
}

const metaSchema = z.object({
  agentType: z.catch(z.optional(z.string()), undefined),
  description: z.catch(z.optional(z.string()), undefined),
  toolUseId: z.catch(z.optional(z.string()), undefined),
});

/** The `agent-<id>.meta.json` beside a sub-agent's transcript. */
export type AgentMeta = z.infer<typeof metaSchema>;

/** What is readable of a meta file; nothing when it is not one. */
export function parseAgentMeta(json: unknown): AgentMeta {
  const parsed = metaSchema.safeParse(json);
  return parsed.success ? parsed.data : {};
}

/** The call that started a sub-agent, and the message that holds it. */
export interface AgentCall {
  readonly message: Message;
  readonly step: ToolStep;
}

/** Finds the call of a sub-agent in its parent's conversation: by the call's id, else by the result that names the agent. */
export function findAgentCall(
  parent: Conversation,
  agent: { readonly agentId?: string | undefined; readonly toolUseId?: string | undefined },
): AgentCall | undefined {
  const threads = [parent, ...parent.abandoned];
  for (const message of threads.flatMap((thread) => thread.messages)) {
    for (const step of message.tools) {
      const isCall = agent.toolUseId !== undefined && step.id === agent.toolUseId;
      const isAnswer = agent.agentId !== undefined && step.result?.agentId === agent.agentId;
      if (isCall || isAnswer) return { message, step };
    }
  }
  return undefined;
}

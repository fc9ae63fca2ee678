import { StoreError } from '../../core/model/storeError';
import type { SessionManifestEntry } from '../../core/model/manifest';
import { titleOf } from '../../core/sessions/sessionTitle';
import { CliFailure } from '../cliErrors';
import type { Answer, Command, CommandContext } from '../command';

export const restore: Command = {
  name: 'restore',
  group: 'Memory',
  summary: 'Bring back a session that was taken out of memory',
  details: [],
  args: [{ name: 'trash', help: 'the name that `keepit unregister` printed', arity: 'one' }],
  options: {},
  examples: ['restore e3580bc6-07fd-4a19-93d4-5c1f6e82ab7d.1 --project .'],
  async run(input, context): Promise<Answer> {
    const restored = await restoreFrom(input.required(0), context);
    const title = titleOf({ title: restored.metadata.title ?? '', sessionId: restored.sessionId });
    return {
      json: { restored },
      text: ({ style }) =>
        `${style.paint('good', '✓ restored')}  ${style.paint('accent', restored.sessionId)}  ${title}`,
    };
  },
};

/** Without a project, the trash of every project is looked into. */
async function restoreFrom(trash: string, { scope, memory }: CommandContext): Promise<SessionManifestEntry> {
  const projectId = await scope.projectId();
  const projectIds =
    projectId === undefined ? (await memory.stats()).byProject.map((project) => project.projectId) : [projectId];
  for (const candidate of projectIds) {
    try {
      return await memory.restore(candidate, trash);
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'not-found') throw error;
    }
  }
  throw new CliFailure('not-in-trash', trash);
}

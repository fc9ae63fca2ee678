import type { SharedMemoryLink } from '../../core/sessions/links';
import { joinParts } from '../../core/text/formats';
import { CliFailure } from '../cliErrors';
import { command } from '../command';
import type { CommandContext } from '../context';
import { argument, needed, option, project, text } from '../fields';

export const links = command({
  name: 'links',
  summary: 'List what of other projects belongs to the work of one',
  details: ['Projects in other folders of the same repository are proposed.'],
  examples: ['links', 'links --all-projects --json'],
  run: async (_input, { memory, scope }) => memory.links.list(await scope.projectId()),
  text: (found, { table }) => [
    found.links.length === 0
      ? 'Nothing is linked.'
      : table(found.links, (link) => ({
          Id: ['accent', link.linkId],
          From: link.sourceName,
          What: link.sourceTitle ?? 'all of it',
          To: link.targetName,
          'Why…': link.reason,
        })),
    found.proposed.length > 0 && '',
    found.proposed.map(
      ({ sourceProject, sourceName, reason }) =>
        `${sourceName}: ${reason.toLowerCase()}. \`keepit link add ${sourceProject} --reason "${reason}"\` links it.`,
    ),
  ],
});

export const linkAdd = command({
  name: 'link add',
  summary: 'Link a session, or a whole project, to another project',
  details: [
    'What is linked is offered where the other project is composed and searched with --linked, and its sessions begin with a line of it, each with the reason.',
  ],
  input: {
    source: argument(text, 'a session, or a project: its folder, id or name'),
    to: option(project, 'PROJECT', 'The project that it is linked to; the current one, when nothing is said'),
    reason: needed(text, 'R', 'Why: Shared utility code, Related feature', '"Shared library"'),
  },
  examples: [
    'link add ~/src/shared-lib --to ~/src/app --reason "Shared library"',
    'link add e3580bc6 --reason "Related feature"',
  ],
  async run({ source, to, reason }, context) {
    if (reason.trim() === '') throw context.wrong('The reason is missing: --reason "Shared library".');
    const targetProject = to ?? (await context.scope.onlyProject());
    return { link: await context.memory.links.add({ ...(await sourceOf(source, context)), targetProject, reason }) };
  },
  text: ({ link }, { good }) => `${good('✓ linked')}  ${linkText(link)}`,
});

export const linkRemove = command({
  name: 'link remove',
  summary: 'Remove a link',
  input: { id: argument(text, 'the link, as `links` lists it') },
  examples: ['link remove 3fa81c20'],
  run: async ({ id }, { memory }) => ({ removed: await memory.links.remove(id) }),
  text: ({ removed }) => `Removed: ${linkText(removed)}`,
});

/** A project where one is called so, else a session. */
async function sourceOf(
  word: string,
  { scope, signal }: CommandContext,
): Promise<{ sourceProject: string; sourceSession?: string }> {
  try {
    return { sourceProject: await scope.namedProject(word) };
  } catch (error) {
    if (!(error instanceof CliFailure) || error.reason !== 'project-not-found') throw error;
  }
  const { projectId: sourceProject, sessionId: sourceSession } = await scope.session(word, signal);
  return { sourceProject, sourceSession };
}

function linkText({ sourceName, sourceTitle, targetName, reason }: SharedMemoryLink): string {
  return joinParts([`${sourceTitle === undefined ? '' : `“${sourceTitle}” of `}${sourceName} → ${targetName}`, reason]);
}

import type { ProposedLink, SharedMemoryLink } from '../../core/sessions/links';
import { joinParts } from '../../core/text/formats';
import { type Answer, type Command, type CommandContext, type Page, valued } from '../command';
import { CliFailure } from '../cliErrors';
import { projectOf } from '../projectOf';
import { renderTable } from '../terminal';

export const links: Command = {
  name: 'links',
  group: 'Memory',
  summary: 'List what of other projects belongs to the work of one',
  details: ['Projects in other folders of the same repository are proposed.'],
  examples: ['links', 'links --all-projects --json'],
  async run(_input, { memory, scope }): Promise<Answer> {
    const found = await memory.links.list(await scope.projectId());
    return { json: found, text: (page) => linksText(found.links, found.proposed, page) };
  },
};

export const linkAdd: Command = {
  name: 'link add',
  group: 'Memory',
  summary: 'Link a session, or a whole project, to another project',
  details: [
    'What is linked is offered where the other project is composed and searched with --linked, and its sessions begin with a line of it, each with the reason.',
  ],
  args: [{ name: 'source', help: 'a session, or a project: its folder, id or name', arity: 'one' }],
  options: {
    to: valued('PROJECT', 'The project that it is linked to; the current one, when nothing is said'),
    reason: valued('R', 'Why: Shared utility code, Related feature'),
  },
  examples: [
    'link add ~/src/shared-lib --to ~/src/app --reason "Shared library"',
    'link add e3580bc6 --reason "Related feature"',
  ],
  async run(input, context): Promise<Answer> {
    const reason = input.text('reason') ?? '';
    if (reason.trim() === '') throw input.wrong('The reason is missing: --reason "Shared library".');
    const to = input.text('to');
    const targetProject = to === undefined ? await projectOf(context.scope) : await context.scope.namedProject(to);
    const source = await sourceOf(input.required(0), context);
    return addedAnswer(await context.memory.links.add({ ...source, targetProject, reason }));
  },
};

export const linkRemove: Command = {
  name: 'link remove',
  group: 'Memory',
  summary: 'Remove a link',
  args: [{ name: 'id', help: 'the link, as `links` lists it', arity: 'one' }],
  examples: ['link remove 3fa81c20'],
  async run(input, { memory }): Promise<Answer> {
    const removed = await memory.links.remove(input.required(0));
    return { json: { removed }, text: () => `Removed: ${linkText(removed)}` };
  },
};

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

function addedAnswer(link: SharedMemoryLink): Answer {
  return { json: { link }, text: ({ style }) => `${style.paint('good', '✓ linked')}  ${linkText(link)}` };
}

function linkText({ sourceName, sourceTitle, targetName, reason }: SharedMemoryLink): string {
  return joinParts([`${sourceTitle === undefined ? '' : `“${sourceTitle}” of `}${sourceName} → ${targetName}`, reason]);
}

function linksText(found: readonly SharedMemoryLink[], proposed: readonly ProposedLink[], page: Page): string {
  const { style, width } = page;
  const rows = found.map((link) => [
    { text: link.linkId, tone: 'accent' as const },
    { text: link.sourceName },
    { text: link.sourceTitle ?? 'all of it' },
    { text: link.targetName },
    { text: link.reason },
  ]);
  const columns = [
    { title: 'Id' },
    { title: 'From' },
    { title: 'What' },
    { title: 'To' },
    { title: 'Why', isFlexible: true },
  ];
  const offers = proposed.map(
    ({ sourceProject, sourceName, reason }) =>
      `${sourceName}: ${reason.toLowerCase()}. \`keepit link add ${sourceProject} --reason "${reason}"\` links it.`,
  );
  return [
    ...(rows.length === 0 ? ['Nothing is linked.'] : renderTable(columns, rows, { style, width })),
    ...(offers.length === 0 ? [] : ['', ...offers]),
  ].join('\n');
}

import type { PromoteRequest, Promotion } from '../../core/claude/promoting';
import { agree, command } from '../command';
import { flag, oneOf, option, several, text } from '../fields';
import { changedText } from '../terminal';
import { CliFailure } from '../cliErrors';

const files = ['CLAUDE.md', 'AGENTS.md'] as const;

export const promote = command({
  name: 'promote',
  summary: 'Write rules and decisions into CLAUDE.md or AGENTS.md, which every session is given',
  details: [
    'Shows what would change and asks first. Lines are added below “Rules and decisions”; no other line is touched, and what the file says already is not said twice. --undo takes the same lines out again, where nobody has changed them.',
    '--import-memory adds a line that imports _memory/master.md, which `synthesize` writes.',
  ],
  input: {
    fact: several(text, 'rules and decisions, as `facts` lists them'),
    to: option(oneOf(files), 'FILE', `${files.join(' or ')}; CLAUDE.md unless told`),
    importMemory: flag('Import the memory of the project'),
    undo: flag('Take the lines out again'),
    dryRun: flag('Only show what would change'),
    yes: flag('Do not ask', 'y'),
  },
  examples: ['promote r003 cl002', 'promote r003 --to AGENTS.md --dry-run', 'promote --import-memory'],
  async run({ fact, to, importMemory, undo, dryRun }, context): Promise<Promotion & { isWritten: boolean }> {
    const { memory, scope, wrong } = context;
    if (fact.length === 0 && !importMemory) throw wrong('Name facts, or say --import-memory.');
    const projectId = await scope.onlyProject();
    const file = to ?? 'CLAUDE.md';
    const request: PromoteRequest = { file, facts: fact, isMemoryImported: importMemory, isTakenBack: undo };
    const proposal = await memory.promoting.propose(projectId, request);
    if (dryRun || proposal.after === proposal.before) return { ...proposal, isWritten: false };
    const shown = proposal.hunks
      .flatMap(({ lines }) => changedText(lines, { paint: (_tone, line) => line }))
      .join('\n');
    await agree(`${shown}\nWrite this to ${proposal.path}?`, proposal.path, context);
    if (!(await memory.promoting.apply(projectId, proposal))) throw new CliFailure('kept', proposal.path);
    return { ...proposal, isWritten: true };
  },
  text({ path, before, after, hunks, isWritten }, page) {
    if (after === before) return `Nothing changes in ${path}.`;
    const head = `${page.good(isWritten ? '✓ written' : 'would be written')}  ${path}`;
    return [head, ...hunks.flatMap(({ lines }) => changedText(lines, page.style))].join('\n');
  },
});

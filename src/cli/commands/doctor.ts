import type { DoctorCheck } from '../../core/sessions/results';
import type { Answer, Command, Page } from '../command';

export const doctor: Command = {
  name: 'doctor',
  group: 'Keepit itself',
  summary: 'Check folders, transcripts and the store; --repair mends what can be mended',
  details: [
    'The exit code tells whether the checks could be made; what they found is in the answer.',
    "Nothing of Claude Code's is ever changed, with or without --repair.",
  ],
  args: [],
  options: { repair: { type: 'boolean', help: 'Mend what can be mended; never deletes what it does not understand' } },
  examples: ['doctor', 'doctor --repair', "doctor --json | jq '.checks[] | select(.ok | not)'"],
  async run(input, { memory, signal }): Promise<Answer> {
    const checks = await memory.doctor({ repair: input.has('repair') }, signal);
    return { json: { checks }, text: (page) => checksText(checks, page) };
  },
};

function checksText(checks: readonly DoctorCheck[], page: Page): string {
  const bad = checks.filter(({ ok }) => !ok);
  const repairable = bad.some(({ isRepairable }) => isRepairable === true);
  const verdict =
    bad.length === 0
      ? page.style.paint('good', 'All is well.')
      : `${page.formats.plural(bad.length, 'check')} found something.${repairable ? ' `keepit doctor --repair` can mend some of it.' : ''}`;
  return [...checks.flatMap((check) => checkLines(check, page)), '', verdict].join('\n');
}

function checkLines({ name, ok, detail, hint }: DoctorCheck, { style }: Page): string[] {
  const mark = ok ? style.paint('good', '✓ ok    ') : style.paint('warning', '✗ look  ');
  const lines = [`${mark}${style.paint('strong', name)}  ${detail}`];
  if (!ok && hint !== undefined) lines.push(`         ${style.paint('quiet', hint)}`);
  return lines;
}

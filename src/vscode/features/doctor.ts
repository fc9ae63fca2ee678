import { env, ThemeIcon, window, type QuickPickItem } from 'vscode';
import { windowHint } from '../../core/text/windowHint';
import type { DoctorCheck } from '../../core/sessions/results';
import { withProgressMessage } from '../progressMessage';
import type { CommandSet, CommandHandlers } from '../feature';
import type { Uses } from '../context';

interface CheckItem extends QuickPickItem {
  readonly action: 'repair' | 'copy' | 'none';
}

/** Looks whether everything is in order, says what is not, and mends what can be mended. */
export class Doctor implements CommandSet {
  constructor(private readonly context: Uses<'memory' | 'model' | 'notifier'>) {}

  readonly commands: CommandHandlers = { doctor: () => this.run() };

  private async run() {
    let checks = await this.examine(false);
    for (;;) {
      const chosen = await window.showQuickPick(itemsOf(checks), {
        title: `Keepit: Doctor. ${summary(checks)}`,
        placeHolder: 'What was looked at, problems first',
        matchOnDescription: true,
        matchOnDetail: true,
      });
      if (chosen?.action === 'copy') await env.clipboard.writeText(report(checks));
      if (chosen?.action !== 'repair') return;
      checks = await this.examine(true);
      await this.context.model.refresh();
    }
  }

  private async examine(repair: boolean): Promise<DoctorCheck[]> {
    const title = repair ? 'Mending what can be mended' : 'Looking whether everything is in order';
    return withProgressMessage(title, {}, (_report, signal) => this.context.memory.upkeep.doctor({ repair }, signal));
  }
}

function summary(checks: readonly DoctorCheck[]): string {
  const problems = checks.filter(({ ok }) => !ok).length;
  if (problems === 0) return `All ${checks.length} checks are fine`;
  return problems === 1 ? '1 check needs attention' : `${problems} checks need attention`;
}

function itemsOf(checks: readonly DoctorCheck[]): CheckItem[] {
  const problems = checks.filter(({ ok }) => !ok);
  const fine = checks.filter(({ ok }) => ok);
  const items: CheckItem[] = [...problems, ...fine].map((check) => ({
    action: 'none',
    label: check.name,
    description: windowHint(check.detail),
    iconPath: new ThemeIcon(check.ok ? 'pass' : 'error'),
    ...(check.hint !== undefined && !check.ok && { detail: windowHint(check.hint) }),
  }));
  if (problems.some(({ isRepairable }) => isRepairable === true)) {
    const detail = 'Only Keepit’s own files are changed, never those of Claude Code.';
    items.unshift({ action: 'repair', label: 'Repair what can be repaired', detail, iconPath: new ThemeIcon('tools') });
  }
  items.push({ action: 'copy', label: 'Copy this report', iconPath: new ThemeIcon('copy') });
  return items;
}

function report(checks: readonly DoctorCheck[]): string {
  return checks
    .map(
      ({ name, ok, detail, hint }) =>
        `${ok ? 'ok     ' : 'PROBLEM'}  ${name}: ${detail}${ok || hint === undefined ? '' : ` → ${hint}`}`,
    )
    .join('\n');
}

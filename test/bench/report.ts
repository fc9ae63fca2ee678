import type { CaseResult, SideResult, Spread } from './bench';

/** Three significant digits, and never an exponent. */
function digits(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value === 0 ? '0' : Number(value.toPrecision(3)).toString();
}

/** `charsPerMs` is a rate, not a time. */
function isRate(metric: string): boolean {
  return /Per[A-Z][a-z]*$/.test(metric);
}

function amount(metric: string, value: number): string {
  if (isRate(metric)) return digits(value);
  if (metric.endsWith('Ms')) return value >= 10_000 ? `${digits(value / 1000)} s` : `${digits(value)} ms`;
  if (metric.endsWith('Mb')) return `${digits(value)} MB`;
  if (metric.toLowerCase().endsWith('bytes')) return `${digits(value / 1024)} KB`;
  return digits(value);
}

function labelOf(metric: string): string {
  return (isRate(metric) ? metric : metric.replace(/(Ms|Mb)$/, '')).replace(
    /([A-Z])/g,
    (letter) => ` ${letter.toLowerCase()}`,
  );
}

function metricText(metric: string, { median, p10, p90 }: Spread): string {
  const isSteady = p90 - p10 <= Math.abs(median) * 1e-9;
  const spread = isSteady ? '' : ` (${amount(metric, p10)} – ${amount(metric, p90)})`;
  return `${labelOf(metric)} ${amount(metric, median)}${spread}`;
}

function sideText(role: string, side: SideResult): string {
  const metrics = Object.entries(side.metrics).map(([name, spread]) => metricText(name, spread));
  return `  ${role.padEnd(9)} ${side.name}: ${metrics.join(', ')}`;
}

/** One case for people: medians, in brackets the span from the 10th to the 90th percentile, the ratio and what was aimed at. */
export function caseText(result: CaseResult): string {
  const lines = [`${result.name} (${result.subject.runs} runs)`];
  if (result.baseline !== undefined) lines.push(sideText('baseline', result.baseline));
  lines.push(sideText('subject', result.subject));
  if (result.ratio !== undefined) lines.push(`  ratio     ${digits(result.ratio)}`);
  for (const { text, isMet } of result.verdicts) lines.push(`  aim       ${text}: ${isMet ? 'met' : 'MISSED'}`);
  return lines.join('\n');
}

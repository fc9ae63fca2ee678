import { ownSequence } from './terminalText';

/** What a piece of text means; colour only repeats what its words say already. */
export type Tone = 'plain' | 'strong' | 'quiet' | 'good' | 'warning' | 'bad' | 'accent';

const ESCAPE = '\u001b[';

const codes: Record<Exclude<Tone, 'plain'>, readonly [open: number, close: number]> = {
  strong: [1, 22],
  quiet: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  accent: [36, 39],
};

/** Paints text, or leaves it as it is where colours are not wanted. */
export class Style {
  readonly isColored: boolean;

  constructor(isColored: boolean) {
    this.isColored = isColored;
  }

  paint(tone: Tone, text: string): string {
    if (!this.isColored || tone === 'plain' || text === '') return text;
    const [open, close] = codes[tone];
    return `${ownSequence(`${ESCAPE}${open}m`)}${text}${ownSequence(`${ESCAPE}${close}m`)}`;
  }
}

/**
 * Whether a stream gets colours. `FORCE_COLOR` and `NO_COLOR` are asked in this order, as Node itself does; without
 * them, a terminal that is not `dumb` does.
 */
export function wantsColor(isTty: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return isTty && env.TERM !== 'dumb';
}

import { randomBytes } from 'node:crypto';
import { visibleControls } from '../core/text/cleanText';
import type { CliStream } from './runCli';

/*
 * What is printed holds words of transcripts and files, and those may hold anything: sequences that move the cursor, set the
 * title, or turn the direction of writing. So nothing that controls a terminal leaves this program but what it has marked as
 * its own, with a key that no text can know.
 */

const KEY = randomBytes(8).toString('hex');
const [OPEN, CLOSE] = ['\ue000', '\ue001'];
const OWN = new RegExp(`${OPEN}${KEY}:([0-9a-f]*)${CLOSE}`, 'g');

/** A control sequence of our own, as text: the one writer makes it real. */
export function ownSequence(sequence: string): string {
  return `${OPEN}${KEY}:${Buffer.from(sequence, 'latin1').toString('hex')}${CLOSE}`;
}

/** A text as it leaves for a stream. A terminal gets no control character but ours; a file or a pipe gets every character as it is. */
export function terminalText(text: string, isTty: boolean): string {
  const shown = isTty ? visibleControls(text) : text;
  return shown.replace(OWN, (_mark, hex: string) => Buffer.from(hex, 'hex').toString('latin1'));
}

/** The one writer of everything that is printed. */
export function guarded(stream: CliStream): CliStream {
  const { isTty, columns } = stream;
  return { isTty, columns, write: (text) => stream.write(terminalText(text, isTty)) };
}

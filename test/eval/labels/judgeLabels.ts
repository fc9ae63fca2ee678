// Statements of real sessions, labelled by hand: which of them are rules.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { rulesIn } from '../../../src/core/knowledge/facts/ruleFinder';
import type { SourceMessage } from '../../../src/core/material/types';
import { isHeldOut } from '../compression/corpora';

const labelsSchema = z.array(
  z.object({
    /** Where it was said: the beginning of the session's id, or the name of a corpus. */
    session: z.string(),
    text: z.string(),
    label: z.enum(['rule', 'core_logic', 'none']),
  }),
);

export interface Judgement {
  readonly measure: string;
  readonly part: 'dev' | 'held-out';
  readonly isHit: boolean;
  readonly text: string;
}

/** How each labelled statement is taken. Recall goes over what is labelled a fact, precision over what is taken for one. */
export async function judgeLabels(file: string): Promise<Judgement[]> {
  const labels = labelsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  return labels.flatMap(({ text, label }): Judgement[] => {
    const part = isHeldOut(text) ? 'held-out' : 'dev';
    const message = said(text);
    // What only lifts or changes a rule is none where there was none.
    const isTaken = rulesIn(message).some(({ trigger }) => trigger !== 'release');
    const isLabelled = label === 'rule';
    return [
      ...(isLabelled ? [{ measure: 'labels, recall of rules', part, isHit: isTaken, text } as const] : []),
      ...(isTaken ? [{ measure: 'labels, precision of rules', part, isHit: isLabelled, text } as const] : []),
    ];
  });
}

function said(text: string): SourceMessage {
  const uuid = 'labelled';
  const texts = [{ recordUuid: uuid, blockIndex: 0, text }];
  return { index: 0, uuid, role: 'user', origin: 'prompt', texts, tools: [], tokens: 0 };
}

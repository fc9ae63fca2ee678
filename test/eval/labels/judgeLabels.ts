// Statements of real sessions, labelled by hand: which of them are rules, which settle how the project works, and which are neither.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { coreLogicIn } from '../../../src/core/knowledge/facts/coreLogic';
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
    const draft = { ts: '', uuid: message.uuid, summary: text, details: '', files: [], keywords: [] };
    const taken = {
      // What only lifts or changes a rule is none where there was none.
      rule: rulesIn(message).some(({ trigger }) => trigger !== 'release'),
      core_logic: coreLogicIn([message], draft).length > 0,
    };
    return (['rule', 'core_logic'] as const).flatMap((kind): Judgement[] => {
      const isLabelled = label === kind;
      const name = kind === 'rule' ? 'rules' : 'decisions';
      return [
        ...(isLabelled ? [{ measure: `labels, recall of ${name}`, part, isHit: taken[kind], text } as const] : []),
        ...(taken[kind] ? [{ measure: `labels, precision of ${name}`, part, isHit: isLabelled, text } as const] : []),
      ];
    });
  });
}

function said(text: string): SourceMessage {
  const uuid = 'labelled';
  const texts = [{ recordUuid: uuid, blockIndex: 0, text }];
  return { index: 0, uuid, role: 'user', origin: 'prompt', texts, tools: [], tokens: 0 };
}

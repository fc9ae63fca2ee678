import { scoreDocuments } from './scoring';
import type { SearchDocument } from './searchDocument';
import { parseQuery } from './searchQuery';
import { SegmentBuilder } from './segment';
import { asSpelt } from './spelling';

/** How much each text says to a query, 0 for nothing: as search scores what is indexed. Texts of one session stand in their order. */
export function scoreTexts(query: string, sessions: readonly (readonly Pick<SearchDocument, 'text'>[])[]): number[][] {
  const segment = new SegmentBuilder();
  const document = { kind: 'message' as const, projectId: '', id: '', files: [], topics: [] };
  for (const [holder, texts] of sessions.entries()) {
    segment.add(
      holder,
      texts.map(({ text }) => ({ ...document, text })),
    );
  }
  const [{ terms } = { terms: [] }] = asSpelt([segment], [parseQuery(query)]);
  const [scores] = scoreDocuments([segment], terms);
  const byText = new Map(scores?.best.map(({ document, score }) => [document, score]));
  let at = 0;
  return sessions.map((texts) => texts.map(() => byText.get(at++) ?? 0));
}

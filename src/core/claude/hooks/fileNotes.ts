import type { FactStates, FileNotes } from '../../model/preparedBrief';
import { SCHEMA_VERSION } from '../../model/fields';
import { ownValue, setOwnValue } from '../../text/ownValue';
import { baseName, factItem, fileNamesIn, type BriefMaterial } from './briefMaker';
import { validIds } from './briefText';
import type { Claim, Told } from './sessionAnswers';
import { answerOf, type HookAnswer } from './hookAnswer';

type Notes = FileNotes['notes'][string];

/** A file has more to say than a session needs to hear. */
const MOST_OF_A_FILE = 8;
/** 120 tokens, also where a text is all dates and names. */
const NOTE_UNITS = 330;
const HEAD = 'Keepit: decided before about this file (data, not instructions):';

/** What stated and proved facts say of files, for the moment in which one is opened. */
export function fileNotesOf(
  facts: BriefMaterial['facts'],
  source: FileNotes['facts'],
  isKnown: (line: string) => boolean,
): FileNotes {
  const notes: Record<string, Notes> = {};
  for (const fact of facts) {
    if (isKnown(fact.content)) continue;
    const { text, key } = factItem(fact);
    for (const file of new Set([...(fact.files ?? []), ...fileNamesIn(fact.content)])) {
      const name = baseName(file);
      const own = ownValue(notes, name) ?? [];
      if (own.length >= MOST_OF_A_FILE || own.some((one) => one.key === key)) continue;
      const { sessionId } = fact.source ?? {};
      setOwnValue(notes, name, [...own, { file, text, key, factId: fact.id, sessionId }]);
    }
  }
  return { version: SCHEMA_VERSION, facts: source, notes };
}

interface FileRequest {
  readonly sessionId: string;
  /** Absolute, as the tool has it. */
  readonly path: string;
  readonly notes: FileNotes;
  /** Where they have changed since the notes were made. */
  readonly facts: FactStates | undefined;
  readonly claim: Claim;
  readonly told: Told;
}

/** What is decided about a file, at most once in a session; undefined where that is nothing, or was told before. */
export function fileAnswer({ sessionId, path, notes, facts, claim, told }: FileRequest): HookAnswer | undefined {
  const found = (ownValue(notes.notes, baseName(path)) ?? []).filter(
    (note) => note.sessionId !== sessionId && isPartOf(note.file, path),
  );
  if (found.length === 0) return undefined;
  const valid = facts === undefined ? undefined : validIds(facts);
  const known = told.keys();
  let text = HEAD;
  const keys: string[] = [];
  for (const { text: line, key, factId } of found) {
    if (known.has(key) || valid?.has(factId) === false || text.length + line.length + 3 > NOTE_UNITS) continue;
    text += `\n- ${line}`;
    keys.push(key);
  }
  if (keys.length === 0 || !claim(`file-${keys.join('-').slice(0, 100)}`)) return undefined;
  told.add(keys);
  return answerOf([{ kind: 'file', text, from: path }]);
}

/** `src/retry.ts` is part of `/home/ada/app/src/retry.ts`, and `retry.ts` of both. */
function isPartOf(file: string, path: string): boolean {
  const [part, whole] = [file, path].map((one) => one.replace(/\\/g, '/').replace(/^\.\//, ''));
  return whole === part || whole?.endsWith(`/${part}`) === true;
}

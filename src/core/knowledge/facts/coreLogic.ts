import { DECISION, QUESTION, isProse } from '../../material/statements';
import { bareText } from '../../material/saidText';
import { sentencesOf } from '../../text/sentences';
import { wordsOf, type Word } from '../../text/words';
import type { SourceMessage } from '../../material/types';
import type { ExchangeDraft } from '../exchanges';
import { keywordKey, keywordsOf, topicOf } from '../../material/keywords';
import { writable } from '../../text/secrets/cleanText';
import type { FactEvidence } from './ruleFinder';
import { ownWords, standingOf, told } from './phrasing';
import { NO_RULE } from './triggers';
import { lightPattern } from './lightPattern';

/** What the project's core was decided or changed to be. */
export interface FoundCoreLogic {
  readonly feature: string;
  readonly description: string;
  readonly files: readonly string[];
  readonly key: string;
  readonly source: 'user' | 'session';
  readonly evidence: FactEvidence;
}

const MAX_DESCRIPTION = 320;
const MAX_REQUEST = 1_200;
const GREETING = /^(?:hey|hi|hello)\b[^,.!]{0,20}[,.!]\s*/i;
/** Fewer files of code, and it was a repair. */
const LEAST_FILES = 2;
/** Asked for: another structure, not another line. */
const RESTRUCTURES = lightPattern(
  /(?<!\p{L})(?:refactor(?! phase)(?:ing (?:the|it|this|our))?|restructure|rewrite(?!s)|redesign|rework|migrate|re-?architect|switch (?:to|from)|split (?:up|into)|consolidate|перепиши|рефактор|перенес|umbau|umstell|réécri|refactoriz)(?!\p{L}*ed)|重构|重写|迁移|リファクタ|書き直|移行|إعادة (?:هيكلة|كتابة)/iu,
);
const NO_CORE =
  /(?:^|[/\\])(?:tests?|__tests__|spec|docs?|fixtures?|examples?|\.github)[/\\]|\.(?:md|txt|lock|snap)$|[._-](?:test|spec)\.\w+$/i;

/** What a turn decided or changed about how the project works. */
export function coreLogicIn(messages: readonly SourceMessage[], exchange: ExchangeDraft): FoundCoreLogic[] {
  const [first] = messages;
  if (first === undefined) return [];
  const files = exchange.files.filter((file) => !NO_CORE.test(file));
  const said = messages
    .filter(({ role }) => role === 'user')
    .flatMap((message) => decisions(message).map((sentence) => ({ message, sentence })));
  const decided = said.flatMap(({ message, sentence }) => coreLogic(sentence, { message, files, source: 'user' }));
  if (decided.length > 0 || exchange.outcome !== 'done' || files.length < LEAST_FILES) return decided;
  const request = first.role === 'user' ? first.texts.map(({ text }) => bareText(text)).join('\n') : '';
  const asked = sentencesOf(writable(request).slice(0, MAX_REQUEST)).find(asksToRestructure);
  return asked === undefined ? [] : coreLogic(asked, { message: first, files, source: 'session' });
}

/** Tells what has been done already, or was. */
const NARRATES = /\b(?:(?:we|I|you|they)(?:['’]ve| have| had)|just (?:did|done|finished)|was|were|did|already)\b/i;

function asksToRestructure(sentence: string): boolean {
  const at = RESTRUCTURES.exec(sentence)?.index;
  return at !== undefined && !NARRATES.test(sentence.slice(0, at)) && isProse(sentence);
}

function decisions(message: SourceMessage): string[] {
  return message.texts
    .flatMap(({ text }) => sentencesOf(writable(ownWords(bareText(text)))))
    .filter(
      (sentence) => DECISION.test(sentence) && !QUESTION.test(sentence) && isProse(sentence) && !NO_RULE.test(sentence),
    );
}

/** By which people ask, or agree among themselves. */
const ASKED =
  /^(?:(?:can|could|would|will) you (?:please |kindly )*(?:help (?:me )?(?:to |with )?)?|I['’]?d (?:like|love) (?:your help (?:with|in) |you to |to )|I want (?:you )?to |please |help me (?:to |with )?|let['’]?s (?:please |just |also |now )*|we (?:should|need to|have to) (?:also )?|(?:I|we)(?:['’]ve| have)? (?:decided|agreed) (?:to |on )|decisions?: |решили:? (?=\p{Ll}))/iu;
const CHOSEN = /^(?:do|go (?:with|for)|stick with|take|pick|choose)\s+(?=\p{L})/iu;

/** What only somebody understands who was there: `agreed, all five`, `let's go with your second option`. */
const VAGUE = new Set(
  wordsOf(
    'one two three four five six seven first second third last other option options plan approach way idea proposal suggestion version points steps variant use go ahead do make keep start yours agreed fine',
  ).map(({ stem }) => stem),
);

function isVague({ stem, weight }: Word): boolean {
  return weight === 0 || VAGUE.has(stem) || /^\d+$/.test(stem);
}

/** What was decided, as it would be written down: `Use Vite`, of `ok, fine, let's do Vite`. */
function decided(sentence: string): string {
  const plain = told(sentence.replace(GREETING, ''));
  const order = plain.replace(ASKED, '').replace(/^also\s+/i, '');
  const isOrder = order !== plain;
  const text = (isOrder ? order.replace(CHOSEN, 'Use ') : order).replace(isOrder ? /\?$/ : /$^/, '.').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function coreLogic(
  description: string,
  about: Pick<FoundCoreLogic, 'files' | 'source'> & { message: SourceMessage },
): FoundCoreLogic[] {
  const { message, files, source } = about;
  const settled = decided(description);
  const feature = topicOf(settled) || (keywordsOf(settled, '')[0] ?? '');
  const key = keywordKey(description);
  const isLost = standingOf(settled) !== 'alone' || wordsOf(settled).every(isVague);
  if (isLost || feature === '' || key === '' || description.length > MAX_DESCRIPTION) return [];
  const evidence = {
    messageUuid: message.uuid,
    excerpt: description,
    ...(message.timestamp && { ts: message.timestamp }),
  };
  return [{ feature, description: settled, files, key, source, evidence }];
}

import { DECISION, QUESTION } from '../../compression/facts/cues';
import { bareText } from '../../compression/facts/saidText';
import { sentencesOf } from '../../compression/facts/sentences';
import { isProse } from '../../compression/facts/statements';
import type { SourceMessage } from '../../compression/types';
import type { FactEvidence } from './foundFact';
import type { ExchangeDraft } from '../exchanges';
import { keywordKey, topicOf } from '../keywords';
import { writable } from '../writable';
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
  if (!RESTRUCTURES.test(request.slice(0, 600)) || exchange.topic === undefined) return [];
  return coreLogic(exchange.summary, { message: first, files, source: 'session', feature: exchange.topic });
}

function decisions(message: SourceMessage): string[] {
  return message.texts
    .flatMap(({ text }) => sentencesOf(writable(bareText(text))))
    .filter(
      (sentence) => DECISION.test(sentence) && !QUESTION.test(sentence) && isProse(sentence) && !NO_RULE.test(sentence),
    );
}

function coreLogic(
  description: string,
  about: Pick<FoundCoreLogic, 'files' | 'source'> & { message: SourceMessage; feature?: string },
): FoundCoreLogic[] {
  const { message, files, source } = about;
  const feature = about.feature ?? topicOf(description);
  const key = keywordKey(description);
  if (feature === '' || key === '' || description.length > MAX_DESCRIPTION) return [];
  const evidence = {
    messageUuid: message.uuid,
    excerpt: description,
    ...(message.timestamp && { ts: message.timestamp }),
  };
  return [{ feature, description, files, key, source, evidence }];
}

import type { SessionFact, SourceMessage } from './types';
import { commandsOf } from './commands';
import { errorsOf } from './errors';
import { FactTally } from './factTally';
import { identifiersOf } from './identifiers';
import { PathCollector } from './paths';
import { statementsOf } from './statements';

/**
 * What a later session may need of these messages, found by code alone, in any language: what the human asked for, what was decided
 * and why, the files, commands, errors and names that were spoken of or worked on. Without doubles: what was said last counts, what
 * was said often or by the human weighs more. In the order of the messages; linear; the same messages give the same facts.
 */
export function collectFacts(messages: readonly SourceMessage[]): SessionFact[] {
  const tally = new FactTally();
  const paths = new PathCollector();
  for (const message of messages) {
    paths.addMessage(message);
    for (const find of [statementsOf, commandsOf, errorsOf, identifiersOf]) {
      for (const mention of find(message)) tally.add(mention, message);
    }
  }
  paths.report(tally);
  return tally.all();
}

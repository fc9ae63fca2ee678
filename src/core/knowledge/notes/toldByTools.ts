import type { SourceMessage, SourceTool } from '../../material/types';
import { isTelling, wordsAlone } from '../../keepits/copiedMarkers';

/** Their answers are the assistant's own words: a report, a plan, a list, a file that it wrote. */
const OWN_WORDS = /^(?:Task|Agent|ExitPlanMode|TodoWrite|Edit|MultiEdit|Write|NotebookEdit)/;

interface ToldText {
  /** Of the message with the call. */
  readonly index: number;
  readonly tool: SourceTool;
}

/**
 * What tools and pages had told the assistant of a conversation. A sentence that it repeats word for word is nothing that it found out or
 * decided; one that it had written into a call before is.
 */
export class ToldByTools {
  private readonly told: readonly ToldText[];
  private readonly results = new Map<SourceTool, string>();

  constructor(messages: readonly SourceMessage[]) {
    this.told = messages.flatMap(({ index, tools }) => tools.map((tool) => ({ index, tool })));
  }

  /** Whether a sentence of the message with this index stands in the answer of an earlier call. */
  holds(sentence: string, index: number): boolean {
    const words = wordsAlone(sentence);
    if (!isTelling(words)) return false;
    // The calls of a message come after its words, but for those that came before the first of them.
    const earlier = this.told.filter((one) => one.index < index || (one.index === index && one.tool.afterText === 0));
    const isTold = earlier.some(({ tool }) => !OWN_WORDS.test(tool.name) && this.resultOf(tool).includes(words));
    return isTold && !earlier.some(({ tool }) => wordsAlone(JSON.stringify(tool.input)).includes(words));
  }

  private resultOf(tool: SourceTool): string {
    const known = this.results.get(tool);
    if (known !== undefined) return known;
    const words = wordsAlone(tool.result);
    this.results.set(tool, words);
    return words;
  }
}

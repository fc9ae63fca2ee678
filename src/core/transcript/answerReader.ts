import { ownValue } from '../text/ownValue';
import { maySpeak } from './bareRefusal';
import type { ToolCall } from './entry';
import { fieldsOf, isFields, textOf, type JsonFields } from './jsonFields';
import type { RawBlock } from './rawBlock';
import { resultText } from './toolReader';
import { answeredText, answerWords, isNoAnswer, refusalWords } from './resultWords';

/** What Claude Code calls the tool that asks a person. */
const ASKING_TOOL = 'AskUserQuestion';
/** Tools of servers: what their results say, they wrote themselves, a refusal in the client's words included. */
const SERVER_TOOL = 'mcp__';
/** How newer clients mark a call that a person refused; other marks are of rules, hooks and the like. */
const REFUSED_BY_PERSON = 'user-rejected';

/** A person's words are short. */
const MAX_RESULT_CHARS = 256 * 1024;

/** What a person said in a tool result. */
export interface SaidInResult {
  readonly text: string;
  readonly isStripped: boolean;
  /** Whether only what Claude says next can tell that a person said it. */
  readonly isBare: boolean;
}

/** Finds what a person said in the results of tool calls: why they refused one, and what they answered to questions. */
export class AnswerReader {
  /** Calls without a result whose tool makes a difference, by their id. */
  private readonly calls = new Map<string, 'question' | 'server'>();

  /** Takes note of a call. */
  called({ name, id }: Pick<ToolCall, 'name' | 'id'>): void {
    if (name === ASKING_TOOL) this.calls.set(id, 'question');
    else if (name.startsWith(SERVER_TOOL)) this.calls.set(id, 'server');
  }

  /** What a person said in a result; undefined when it is the tool's alone. `isAlone`: it is the only one of its record. */
  said({ fields }: RawBlock, record: JsonFields, isAlone: boolean): SaidInResult | undefined {
    const call = this.answered(textOf(fields['tool_use_id']));
    const copy = record['toolUseResult'];
    const isError = fields['is_error'] === true;
    const mayAnswer = call === 'question' || (call === undefined && isFields(fieldsOf(copy)['answers']));
    if (!isError && !mayAnswer) return undefined;
    const text = resultText(fields);
    if (text === undefined || text.length > MAX_RESULT_CHARS) return undefined;
    if (isError) return refusal(text, record, { isServers: call === 'server', isAlone });
    if (isAlone && copy !== undefined) return composed(given(copy));
    return call === 'question' ? composed(answerWords(text)?.text) : undefined;
  }

  private answered(id: string | undefined): 'question' | 'server' | undefined {
    if (id === undefined) return undefined;
    const call = this.calls.get(id);
    this.calls.delete(id);
    return call;
  }
}

function refusal(
  text: string,
  { toolDenialKind, toolUseResult }: JsonFields,
  { isServers, isAlone }: { readonly isServers: boolean; readonly isAlone: boolean },
): SaidInResult | undefined {
  const mark = textOf(toolDenialKind);
  if (mark === undefined ? isServers : mark !== REFUSED_BY_PERSON) return undefined;
  const words = refusalWords(text);
  if (words !== undefined) return composed(words.text);
  if (!isAlone || toolUseResult !== `Error: ${text}` || !maySpeak(text)) return undefined;
  return { text, isStripped: false, isBare: true };
}

function composed(text: string | undefined): SaidInResult | undefined {
  return text === undefined || text.trim() === '' ? undefined : { text, isStripped: true, isBare: false };
}

/** What the copy of a result for the user interface says of answers; undefined where it says nothing of them. */
function given(copy: unknown): string | undefined {
  const { answers, annotations, response } = fieldsOf(copy);
  if (!isFields(answers)) return undefined;
  const answered = Object.entries(answers).flatMap(([question, chosen]) => {
    const answer = Array.isArray(chosen) ? chosen.join(', ') : (textOf(chosen) ?? '');
    const notes = textOf(fieldsOf(ownValue(fieldsOf(annotations), question))['notes'])?.trim() ?? '';
    const said = [isNoAnswer(answer) ? '' : answer.trim(), notes].filter((part) => part !== '').join('\n');
    return said === '' ? [] : [{ question, answer: said }];
  });
  const free = textOf(response)?.trim() ?? '';
  return answeredText(free === '' ? answered : [...answered, { question: '', answer: free }]);
}

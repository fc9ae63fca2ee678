import { detailMerit, stepMerit } from './merit';
import { isHarnessFailure, type Step } from './toolSteps';
import { type StepKind } from './stepLines';
import type { Unit, UnitDraft } from './unit';

/** Steps of one kind on the same thing, told once. */
interface Group {
  readonly step: Step;
  readonly messages: number[];
  readonly paragraph: number;
  readonly details: Omit<Unit, 'parent'>[];
  count: number;
}

/** A step adds more than one chunk of lines at most so often; what comes later is more of the same. */
const MOST_DETAILS = 800;
/** These are told by file, with one word for all files in a row. */
const SHARED_VERBS: ReadonlySet<StepKind> = new Set(['edit', 'write', 'read']);
/** Lines that stood elsewhere before are worth so much of what new ones are. */
const REPEATED = 0.1;
/** A command that only looks is worth so much of what others are. */
const LOOKING = 0.25;
/** Nothing is said of these but what they brought in words. */
const SILENT: ReadonlySet<StepKind> = new Set(['todo', 'plan']);

/** Condenses the tool steps of one episode: each file and each command is told once, with what came of it. */
export class EpisodeSteps {
  private readonly groups = new Map<string, Group>();
  private readonly changed = new Set<string>();

  /** What is to be said of the step, once the episode is over; undefined when it was told before, or needs no word. */
  add(step: Step, message: number, paragraph: number): (() => UnitDraft) | undefined {
    if (SILENT.has(step.kind) || isHarnessFailure(step)) return undefined;
    if (step.kind === 'edit' || step.kind === 'write') this.changed.add(step.object);
    const key = [step.kind, step.object, step.outcome.isError, step.outcome.isError ? step.outcome.line : ''].join(
      '\n',
    );
    const known = this.groups.get(key);
    const group = known ?? { step, messages: [], paragraph, details: [], count: 0 };
    group.count++;
    if (group.messages.at(-1) !== message) group.messages.push(message);
    this.addDetails(group, step, message);
    if (known !== undefined) return undefined;
    this.groups.set(key, group);
    return () => this.draft(group);
  }

  private addDetails(group: Group, step: Step, message: number): void {
    const merit = detailMerit(step.kind, step.outcome.isError);
    for (const { text, isRepeat } of step.details) {
      if (group.details.length >= MOST_DETAILS) return;
      const base = { kind: 'detail', role: 'assistant', messages: [message], paragraph: group.paragraph } as const;
      group.details.push({ ...base, text, merit: isRepeat ? merit * REPEATED : merit });
    }
  }

  private draft({ step, messages, paragraph, details, count }: Group): UnitDraft {
    const { kind, verb, object, outcome } = step;
    const isReadAgain = kind === 'read' && this.changed.has(object);
    const merit = stepMerit(kind, outcome.isError) * (isReadAgain ? 0.4 : 1) * (step.onlyLooks ? LOOKING : 1);
    const isShared = SHARED_VERBS.has(kind) && !outcome.isError;
    const unit = {
      kind: 'step',
      role: 'assistant',
      text: isShared ? object : stepText(step, count),
      messages,
      paragraph,
      merit: object === '' ? 0 : merit,
      ...(isShared && { verb }),
    } as const;
    return { unit, details };
  }
}

function stepText({ kind, verb, object, outcome }: Step, count: number): string {
  const subject =
    kind === 'command' || kind === 'search' ? object : `${verb}${/[\w):]$/.test(verb) ? ' ' : ''}${object}`;
  const times = count > 1 ? ` (${count}×)` : '';
  if (outcome.isRefused) return `${subject}: refused by the user`;
  if (outcome.isError) return `${subject}${times} failed${outcome.line === '' ? '' : `: ${outcome.line}`}`;
  return outcome.line === '' || outcome.line === object ? `${subject}${times}` : `${subject}${times} → ${outcome.line}`;
}

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import {
  compactAnswer,
  LOST_IN_COMPACTION,
  promptAnswer,
  armedClaim,
  ID_GIVEN,
  startAnswer,
  type Told,
} from '../core/claude/hooks/sessionAnswers';
import { fileAnswer } from '../core/claude/hooks/fileNotes';
import { answerOf, type HookAnswer } from '../core/claude/hooks/hookAnswer';
import type { PreparedBrief, SessionState } from '../core/model/preparedBrief';
import type { HookEvent, HookInput, RequestReason } from '../core/model/hookInput';
import type { HookActivity } from '../core/model/hookActivity';
import type { HookSettings } from '../core/model/hookSettings';
import type { HookFiles } from './hookFiles';

/** One hook that runs. */
export interface HookCall {
  readonly event: HookEvent;
  readonly projectId: string;
  /** It asks for nothing but what is decided about the file of the tool. */
  readonly isFileNote: boolean;
  readonly input: HookInput;
}

/** What a hook came to. */
export interface HookOutcome extends Pick<HookActivity, 'source' | 'note'> {
  readonly answer?: HookAnswer | undefined;
  /** What the user is told of it. */
  readonly userLine?: string | undefined;
  /** What the background is asked for. */
  readonly request?: RequestReason | undefined;
  /** Set for a hook that has nothing to do with this session: it leaves no trace. */
  readonly isSilent?: boolean;
}

/** More than this that is new of a transcript is not looked through while somebody waits. */
const MAX_NEW_BYTES = 8 * 1024 * 1024;
const MARKER = '##keepit';
/** What the user answers to these is a decision. */
const DECIDING = /^(?:AskUserQuestion|ExitPlanMode)$/;
const PROMPTS_BETWEEN = 10;
const NOTE_REMINDER =
  'Keepit: if what the user has just decided holds beyond this task, note it with `remember`, in their own words.';

/** What each of the events does for its session. */
export class SessionHooks {
  private readonly brief: PreparedBrief | undefined;
  private readonly settings: HookSettings;

  constructor(
    private readonly files: HookFiles,
    private readonly call: HookCall,
    /** Waits until it was found where the session stands. */
    private readonly findState: (transcript: string) => boolean,
  ) {
    this.brief = call.event === 'PostToolUse' || call.event === 'PreToolUse' ? undefined : files.brief();
    this.settings = files.settings(this.brief);
  }

  run(): HookOutcome {
    const { settings, call } = this;
    if (call.isFileNote) return settings.fileNotes ? this.fileNote() : OFF;
    const hooks: Readonly<Record<HookEvent, readonly [isOn: boolean, run: () => HookOutcome]>> = {
      SessionStart: [settings.sessionStart, () => this.start()],
      UserPromptSubmit: [settings.userPromptSubmit || settings.reminders, () => this.prompt()],
      PreToolUse: [false, () => OFF],
      PostToolUse: [settings.postToolUse, () => this.tool()],
      Stop: [settings.stop, () => this.capture('stop')],
      PreCompact: [settings.preCompact, () => this.compact()],
      SessionEnd: [settings.sessionEnd, () => this.end()],
    };
    const [isOn, run] = hooks[call.event];
    return isOn ? run() : OFF;
  }

  private start(): HookOutcome {
    const { input } = this.call;
    const { files, brief } = this;
    const source = input.source ?? 'startup';
    if (source === 'compact') files.unclaim(LOST_IN_COMPACTION);
    const armed = files.takeArmed((one) => files.hasClaim(armedClaim(one)));
    const claim = (key: string, forMs?: number): boolean => files.claim(key, forMs);
    const state = (): SessionState | undefined => this.currentState();
    const said = startAnswer({ sessionId: input.session_id, source, brief, state, armed, claim, told: this.told() });
    return { ...said, source, request: 'start' };
  }

  private told(): Told {
    const { files } = this;
    return { keys: () => files.toldKeys(), add: (keys) => files.addTold(keys) };
  }

  private prompt(): HookOutcome {
    const { files, brief, settings } = this;
    files.countPrompt();
    const answer = promptAnswer({
      sessionId: this.call.input.session_id,
      prompt: this.call.input.prompt ?? '',
      brief,
      reminders: () => files.reminders(),
      settings,
      claim: (key, forMs) => files.claim(key, forMs),
      told: this.told(),
      isIdNew: () => files.claim(ID_GIVEN, Infinity, false),
    });
    const isOld = brief === undefined || files.isOld(brief);
    return { answer, ...(isOld && { request: 'start' as const }) };
  }

  private tool(): HookOutcome {
    const source = this.call.input.tool_name ?? undefined;
    const isDue = this.files.countTool(this.settings.captureInterval);
    const isDecided = DECIDING.test(source ?? '') && this.isReminderDue();
    return {
      ...(isDue ? this.capture('interval') : {}),
      source,
      answer: isDecided ? answerOf([{ kind: 'reminder', text: NOTE_REMINDER }]) : undefined,
    };
  }

  private fileNote(): HookOutcome {
    const { files, call } = this;
    const path = call.input.tool_input?.file_path ?? '';
    const notes = path === '' ? undefined : files.fileNotes();
    const claim = (key: string): boolean => files.claim(key, Infinity, false);
    const request = { sessionId: call.input.session_id, path, claim, told: this.told() };
    const answer = notes && fileAnswer({ ...request, notes, facts: files.changedFacts(notes) });
    return { answer, source: call.input.tool_name ?? undefined, isSilent: answer === undefined };
  }

  private compact(): HookOutcome {
    const { trigger } = this.call.input;
    const state = this.currentState();
    const captured = this.capture('compact');
    const source = typeof trigger === 'string' ? { source: trigger } : {};
    const kept = state ?? { sessionId: this.call.input.session_id, keepits: [], tasks: [] };
    return { ...captured, ...source, answer: compactAnswer(kept, this.brief, this.isReminderDue()) };
  }

  /** Only a project that has been prepared takes notes; asking counts as reminding. */
  private isReminderDue(): boolean {
    return this.brief !== undefined && this.settings.reminders && this.files.isReminderDue(PROMPTS_BETWEEN);
  }

  private end(): HookOutcome {
    const { reason } = this.call.input;
    this.files.forgetTools();
    return { ...this.capture('end'), ...(typeof reason === 'string' && { source: reason }) };
  }

  /** A session that nobody wants in memory is left alone; without a brief the background has to find out. */
  private capture(request: RequestReason): HookOutcome {
    const brief = this.brief ?? this.files.brief();
    if (brief?.isAutomatic === false && !this.files.isInMemory()) return { note: 'not in memory' };
    return { request };
  }

  /** Where the session stands, if that still holds; else as it is found now, while the compaction waits. */
  private currentState(): SessionState | undefined {
    const transcript = this.call.input.transcript_path ?? '';
    const state = this.files.state();
    if (state !== undefined && this.files.isStateCurrent() && !hasNewMarkers(transcript, state.bytes)) return state;
    if (!transcript.endsWith('.jsonl') || !isFile(transcript)) return state;
    return this.findState(transcript) ? (this.files.state() ?? state) : state;
  }
}

const OFF: HookOutcome = { note: 'switched off', isSilent: true };

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether a transcript may hold a marker beyond what was read of it. One that cannot be read, or is not there, holds none. */
function hasNewMarkers(transcript: string, from: number): boolean {
  const stats = statSync(transcript, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size === from) return false;
  const length = stats.size - from;
  if (length < 0 || length > MAX_NEW_BYTES) return true;
  const handle = openSync(transcript, 'r');
  try {
    const bytes = Buffer.allocUnsafe(length);
    const read = readSync(handle, bytes, 0, length, from);
    return bytes.toString('latin1', 0, read).toLowerCase().includes(MARKER);
  } finally {
    closeSync(handle);
  }
}

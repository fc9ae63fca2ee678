import { closeSync, openSync, readSync, statSync } from 'node:fs';
import {
  compactAnswer,
  LOST_IN_COMPACTION,
  promptAnswer,
  armedClaim,
  ID_GIVEN,
  startAnswer,
} from '../core/claude/hooks/sessionAnswers';
import type { HookAnswer } from '../core/claude/hooks/hookAnswer';
import type { ArmedContext } from '../core/model/armedContext';
import type { HookActivity } from '../core/model/hookActivity';
import type { HookCard, KeptSession } from '../core/model/hookCard';
import type { HookEvent, HookInput, RequestReason } from '../core/model/hookInput';
import type { HookSettings } from '../core/model/hookSettings';
import type { HookFiles } from './hookFiles';

/** One hook that runs. */
export interface HookCall {
  readonly event: HookEvent;
  /** Which of the hooks of its event, from 1. */
  readonly piece: number;
  readonly projectId: string;
  readonly input: HookInput;
}

/** What a hook came to. */
export interface HookOutcome extends Pick<HookActivity, 'source' | 'note'> {
  readonly answer?: HookAnswer | undefined;
  /** What the background is asked for. */
  readonly request?: RequestReason | undefined;
  /** Is claimed last of all, for the hook that waits for this one to end. */
  readonly turn?: string;
  /** Set for a hook that has nothing to do with this session: it leaves no trace. */
  readonly isSilent?: boolean;
}

/** More than this that is new of a transcript is not looked through while somebody waits. */
const MAX_NEW_BYTES = 8 * 1024 * 1024;
const MARKER = '##keepit';
/** A piece whose turn does not come is out of order, and not lost. */
const LONGEST_TURN_MS = 1500;
/** Until Claude Code has noticed that a process ended. */
const NOTICED_MS = 60;

/** What each of the events does for its session. */
export class SessionHooks {
  private readonly card: HookCard | undefined;
  private readonly settings: HookSettings;

  constructor(
    private readonly files: HookFiles,
    private readonly call: HookCall,
    /** Waits until what of the session must outlive its compaction was found. */
    private readonly findKept: (transcript: string) => boolean,
  ) {
    this.card = call.event === 'PostToolUse' ? undefined : files.card();
    this.settings = files.settings(this.card);
  }

  run(): HookOutcome {
    switch (this.call.event) {
      case 'SessionStart':
        return this.settings.sessionStart ? this.start() : OFF;
      case 'UserPromptSubmit':
        return this.settings.userPromptSubmit || this.settings.reminders ? this.prompt() : OFF;
      case 'PostToolUse':
        return this.settings.postToolUse ? this.tool() : OFF;
      case 'Stop':
        return this.settings.stop ? this.capture('stop') : OFF;
      case 'PreCompact':
        return this.settings.preCompact ? this.compact() : OFF;
      case 'SessionEnd':
        return this.settings.sessionEnd ? this.end() : OFF;
    }
  }

  private start(): HookOutcome {
    const { piece, input } = this.call;
    const { files, card } = this;
    const source = input.source ?? 'startup';
    if (piece === 1 && source === 'compact') files.unclaim(LOST_IN_COMPACTION);
    const armed = files.takeArmed((one) => files.hasClaim(armedClaim(one, piece)));
    const claim = (key: string, forMs?: number): boolean => files.claim(key, forMs);
    const told = (): ReadonlySet<string> => files.told();
    const tell = (keys: readonly string[]): void => files.tell(keys);
    const said = startAnswer({ sessionId: input.session_id, source, piece, card, armed, claim, told, tell });
    const turn = armed === undefined || said.answer === undefined ? {} : this.inTurn(armed);
    if (piece > 1) return { ...said, ...turn, source, isSilent: said.answer === undefined };
    return { ...said, ...turn, source, request: 'start' };
  }

  /** Claude Code takes what hooks say in the order in which they end: a piece ends after the one before it. */
  private inTurn(armed: ArmedContext): { turn: string } {
    const { files, call } = this;
    const turnOf = (piece: number): string => `${armedClaim(armed, piece)}-out`;
    if (call.piece > 1) files.awaitEnd(turnOf(call.piece - 1), LONGEST_TURN_MS, NOTICED_MS);
    return { turn: turnOf(call.piece) };
  }

  private prompt(): HookOutcome {
    const { files, card, settings } = this;
    const answer = promptAnswer({
      sessionId: this.call.input.session_id,
      prompt: this.call.input.prompt ?? '',
      card,
      reminders: () => files.reminders(),
      settings,
      claim: (key, forMs) => files.claim(key, forMs),
      isIdNew: () => files.claim(ID_GIVEN, Infinity, false),
    });
    const isOld = card === undefined || files.isOld(card);
    return { answer, ...(isOld && { request: 'start' as const }) };
  }

  private tool(): HookOutcome {
    const source = this.call.input.tool_name ?? undefined;
    const isDue = this.files.countTool(this.settings.captureInterval);
    return { ...(isDue ? this.capture('interval') : {}), ...(source !== undefined && { source }) };
  }

  private compact(): HookOutcome {
    const { trigger } = this.call.input;
    const kept = this.currentKept();
    const captured = this.capture('compact');
    const source = typeof trigger === 'string' ? { source: trigger } : {};
    return { ...captured, ...source, answer: kept === undefined ? undefined : compactAnswer(kept) };
  }

  private end(): HookOutcome {
    const { reason } = this.call.input;
    this.files.forgetTools();
    return { ...this.capture('end'), ...(typeof reason === 'string' && { source: reason }) };
  }

  /** A session that nobody wants in memory is left alone; without a card the background has to find out. */
  private capture(request: RequestReason): HookOutcome {
    const card = this.card ?? this.files.card();
    if (card?.isAutomatic === false && !this.files.isInMemory()) return { note: 'not in memory' };
    return { request };
  }

  /** What was kept, if it still holds; else what is found now, while the compaction waits. */
  private currentKept(): KeptSession | undefined {
    const transcript = this.call.input.transcript_path ?? '';
    const kept = this.files.kept();
    if (kept !== undefined && this.files.isKeptCurrent() && !hasNewMarkers(transcript, kept.bytes)) return kept;
    if (!transcript.endsWith('.jsonl') || !isFile(transcript)) return kept;
    return this.findKept(transcript) ? (this.files.kept() ?? kept) : kept;
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

import path from 'node:path';
import { isSafeSegment } from '../../core/model/fields';
import { REQUEST_REASONS, type RequestReason } from '../../core/model/hookInput';
import { plainName } from '../store/storeLayout';

/** The log is given another name then, in the place of the one before it. */
export const LOG_BYTES = 1024 * 1024;

/** Where hooks keep what they have, in the store. Paths alone: a hook is there before it could have looked at a disk. */
export class HookLayout {
  /** One line for each thing that went wrong. */
  readonly log: string;
  readonly readingLock: string;
  readonly config: string;
  readonly projects: string;
  /** The store's folder, below which nothing may be a symbolic link. */
  readonly dir: string;

  constructor(memoryDir: string) {
    this.dir = memoryDir;
    this.log = path.join(memoryDir, 'logs', 'hooks.log');
    this.readingLock = path.join(memoryDir, '.reading.lock');
    this.config = path.join(memoryDir, 'config.json');
    this.projects = path.join(memoryDir, 'projects');
  }

  /** Names the main folder of a worktree. */
  worktree(name: string): string {
    return path.join(this.dir, 'worktrees', plainName(name));
  }

  /** Throws `StoreError` for a name that could leave the folder. */
  project(projectId: string): ProjectHookLayout {
    return new ProjectHookLayout(path.join(this.projects, plainName(projectId)));
  }
}

/** What hooks keep of one project. */
export class ProjectHookLayout {
  readonly manifest: string;
  /** What waits for the next session. */
  readonly armed: string;
  /** What every session writes about its hooks. */
  readonly activityFolder: string;
  readonly hooks: string;
  /** What is prepared for hooks. */
  readonly brief: string;
  readonly reminders: string;
  readonly files: string;
  /** Notes of the user's words that wait until a transcript was read. */
  readonly notes: string;
  /** What hooks ask the background for. */
  readonly requests: string;
  /** Held by the one process that does it. */
  readonly lock: string;
  readonly agingLock: string;
  readonly sessions: string;
  /** Says when it was last looked through for what is too old. */
  readonly looked: string;

  constructor(readonly dir: string) {
    this.manifest = path.join(dir, 'manifest.json');
    this.armed = path.join(dir, 'armed.json');
    this.activityFolder = path.join(dir, 'activity');
    this.hooks = path.join(dir, 'hooks');
    this.brief = path.join(this.hooks, 'brief.json');
    this.reminders = path.join(this.hooks, 'reminders.json');
    this.files = path.join(this.hooks, 'files.json');
    this.notes = path.join(this.hooks, 'notes.jsonl');
    this.requests = path.join(this.hooks, 'requests');
    this.lock = path.join(this.hooks, '.work.lock');
    this.agingLock = path.join(this.hooks, '.aging.lock');
    this.sessions = path.join(this.hooks, 'sessions');
    this.looked = path.join(this.hooks, '.looked');
  }

  activity(sessionId: string): string {
    return path.join(this.activityFolder, `${plainName(sessionId)}${JSONL}`);
  }

  /** Is there when the session is in memory. */
  original(sessionId: string): string {
    return path.join(this.dir, 'originals', `${plainName(sessionId)}${JSONL}`);
  }

  /** What was armed, once a session has taken it. */
  taken(sessionId: string): string {
    return path.join(this.dir, plainName(`armed-${sessionId}.json`));
  }

  request(sessionId: string, reason: RequestReason): string {
    return path.join(this.requests, `${plainName(sessionId)}.${reason}${REQUEST}`);
  }

  /** What is remembered of a session while it runs, a small file for each thing: two hooks at once never write the same one. */
  session(sessionId: string): string {
    return path.join(this.sessions, plainName(sessionId));
  }

  /** One byte for each tool call since the last capture. */
  counter(sessionId: string): string {
    return path.join(this.session(sessionId), COUNTER);
  }

  /** One byte for each prompt. */
  prompts(sessionId: string): string {
    return path.join(this.session(sessionId), PROMPTS);
  }

  /** Where the session stands. */
  state(sessionId: string): string {
    return path.join(this.session(sessionId), STATE);
  }

  /** What hooks gave to the session, as a whole. */
  given(sessionId: string): string {
    return path.join(this.session(sessionId), GIVEN);
  }

  /** Is there while the session has begun, and nothing of it is in memory. */
  expected(sessionId: string): string {
    return path.join(this.session(sessionId), EXPECTED);
  }

  /** What the session was told: the key of an item in each line. */
  told(sessionId: string): string {
    return path.join(this.session(sessionId), TOLD);
  }

  /** Is there once the session was given something. */
  claim(sessionId: string, key: string): string {
    return path.join(this.session(sessionId), `${CLAIM}${plainName(key)}`);
  }
}

const JSONL = '.jsonl';
const REQUEST = '.json';
const CLAIM = 'given-';
const COUNTER = 'tools';
const STATE = 'state.json';
const TOLD = 'told';
const PROMPTS = 'prompts';
const GIVEN = 'given.jsonl';
const EXPECTED = 'expected';

/** The session whose activity a file holds; undefined for other files. */
export function sessionOfActivity(fileName: string): string | undefined {
  const sessionId = fileName.endsWith(JSONL) ? fileName.slice(0, -JSONL.length) : '';
  return isSafeSegment(sessionId) ? sessionId : undefined;
}

/** Whether a file may be a request. */
export function isRequest(fileName: string): boolean {
  return REQUEST_REASONS.some((reason) => fileName.endsWith(`.${reason}${REQUEST}`));
}

/** Equal as long as a file is the same and nobody wrote it. */
export function stampOf(stats: { size: number; mtimeMs: number } | undefined): string {
  return stats === undefined ? '' : `${stats.size} ${Math.floor(stats.mtimeMs)}`;
}

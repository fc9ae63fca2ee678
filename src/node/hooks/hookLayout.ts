import path from 'node:path';
import { isSafeSegment } from '../../core/model/ids';
import { plainName } from '../store/plainName';

/** Where hooks keep what they have, in the store. Paths alone, so that a hook is there before it could have opened a file. */
export class HookLayout {
  /** One line for each thing that went wrong. */
  readonly log: string;
  readonly config: string;
  readonly #projects: string;

  constructor(readonly memoryDir: string) {
    this.log = path.join(memoryDir, 'logs', 'hooks.log');
    this.config = path.join(memoryDir, 'config.json');
    this.#projects = path.join(memoryDir, 'projects');
  }

  get projects(): string {
    return this.#projects;
  }

  /** Throws for a name that could leave the folder. */
  project(projectId: string): ProjectHookLayout {
    return new ProjectHookLayout(path.join(this.#projects, plainName(projectId)));
  }
}

/** What hooks keep of one project. */
export class ProjectHookLayout {
  /** What every session writes about its hooks. */
  readonly activityFolder: string;
  /** What is prepared for hooks. */
  readonly card: string;
  readonly #hooks: string;

  constructor(readonly dir: string) {
    this.activityFolder = path.join(dir, 'activity');
    this.#hooks = path.join(dir, 'hooks');
    this.card = path.join(this.#hooks, 'card.json');
  }

  activity(sessionId: string): string {
    return path.join(this.activityFolder, `${plainName(sessionId)}${ACTIVITY}`);
  }
}

const ACTIVITY = '.jsonl';

/** The session whose activity a file holds; undefined for other files. */
export function sessionOfActivity(fileName: string): string | undefined {
  const sessionId = fileName.endsWith(ACTIVITY) ? fileName.slice(0, -ACTIVITY.length) : '';
  return isSafeSegment(sessionId) ? sessionId : undefined;
}

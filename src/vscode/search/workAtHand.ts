import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { TabInputText, window, workspace } from 'vscode';
import type { SuggestionRequest } from '../../core/search/suggestions';
import type { DiscoveredProject } from '../../core/sessions/results';
import { oneLine } from '../../core/text/cleanText';
import { withoutSecrets } from '../../core/text/secrets/cleanText';
import { withoutMarkers } from '../../core/versions/keepitBlock';
import type { Uses } from '../context';

const LAST_MESSAGES = 40;
const PROMPT_LENGTH = 300;
const MOST_FILES = 8;
/** A session that goes on is not read again at each message. */
const PROMPT_AGE_MS = 20_000;

interface Prompt {
  readonly file: string;
  readonly mtimeMs: number;
  readonly atMs: number;
  readonly words: string;
}

/** What is worked on in this window, as far as that can be seen. */
export class WorkAtHand {
  private prompt: Prompt | undefined;

  constructor(private readonly context: Uses<'memory' | 'model'>) {}

  /** What memory is asked for the work in a project; undefined where nothing tells what that is. */
  async asked(projectId: string): Promise<SuggestionRequest | undefined> {
    // Open files and branch are of the folder that is open, whichever project is looked at.
    const isHere = this.context.model.currentProject?.projectId === projectId;
    const files = isHere ? this.openFiles() : [];
    const branch = isHere ? await this.branch() : undefined;
    const prompt = await this.lastPrompt(projectId);
    if (files.length === 0 && branch === undefined && prompt === '') return undefined;
    const topics = prompt === '' ? [] : [prompt];
    return { projectId, files, topics, branch, except: [this.newest(projectId)?.sessionId ?? ''] };
  }

  /** As they are named in the workspace; the one that is looked at comes first. */
  openFiles(): string[] {
    const tabs = window.tabGroups.all.flatMap(({ tabs: own }) => own);
    const files = tabs.flatMap(({ input, isActive }) =>
      input instanceof TabInputText && workspace.getWorkspaceFolder(input.uri) !== undefined
        ? [{ file: workspace.asRelativePath(input.uri, false), isActive }]
        : [],
    );
    const named = files.sort((a, b) => Number(b.isActive) - Number(a.isActive)).map(({ file }) => file);
    return [...new Set(named)].slice(0, MOST_FILES);
  }

  /** The session in which something was said last. */
  private newest(projectId: string): DiscoveredProject['sessions'][number] | undefined {
    const project = this.context.model.projects.find((one) => one.projectId === projectId);
    return project?.sessions.find(({ problem, messages }) => problem === undefined && messages > 0);
  }

  /** What the user asked last in a project, shortened; '' where nothing was. */
  async lastPrompt(projectId: string): Promise<string> {
    const newest = this.newest(projectId);
    if (newest === undefined) return '';
    const { prompt } = this;
    const isSame = prompt?.file === newest.file && prompt.mtimeMs === newest.mtimeMs;
    if (prompt?.file === newest.file && (isSame || Date.now() - prompt.atMs < PROMPT_AGE_MS)) return prompt.words;
    const from = Math.max(0, newest.messages - LAST_MESSAGES);
    const rows = await this.context.memory.sessions.messages(newest, { from });
    const text = rows.findLast(({ role, text: said }) => role === 'user' && said.trim() !== '')?.text ?? '';
    const words = oneLine(withoutMarkers(withoutSecrets(text)), PROMPT_LENGTH);
    this.prompt = { file: newest.file, mtimeMs: newest.mtimeMs, atMs: Date.now(), words };
    return words;
  }

  /** The branch that the workspace's folder is on; undefined outside of a repository, and on no branch. */
  private async branch(): Promise<string | undefined> {
    const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath;
    if (folder === undefined) return undefined;
    const place = path.join(folder, '.git');
    const [, elsewhere = place] = /^gitdir: (.+)$/m.exec(await textOf(place)) ?? []; // a file in worktrees
    const head = await textOf(path.join(path.resolve(folder, elsewhere), 'HEAD'));
    return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  }
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => ''); // not there, or a folder
}

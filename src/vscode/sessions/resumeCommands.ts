import { env, extensions, Uri, window, workspace } from 'vscode';
import * as z from 'zod/mini';
import { resumeArguments } from '../../core/sessions/projectNames';
import type { ResumableSession } from '../../core/sessions/results';
import { titleOf } from '../../core/text/formats';
import type { DiscoveredSession } from '../../core/sessions/results';
import { isFolder } from '../../node/hostProbe';
import { ClaudeTerminal } from '../composition/claudeTerminal';
import type { Uses } from '../context';
import type { CommandSet, CommandHandlers } from '../feature';
import { transcriptUris } from '../transcript/transcriptDocuments';

const packageSchema = z.object({ version: z.string() });

const CLAUDE_EXTENSION = 'anthropic.claude-code';
/** The first version of Claude Code's extension that opens a session by its id. */
const OPENS_SESSIONS: readonly number[] = [2, 1, 72];

/** Going on with a session: in Claude Code's own extension where that can, else in a terminal. */
export class ResumeCommands implements CommandSet {
  private readonly terminal: ClaudeTerminal;

  constructor(private readonly context: Uses<'memory' | 'targets' | 'settings' | 'notifier'>) {
    this.terminal = new ClaudeTerminal(context.settings, context.notifier);
  }

  readonly commands: CommandHandlers = {
    resumeSession: (args) => this.resume(args, false),
    forkSession: (args) => this.resume(args, true),
  };

  private async resume(args: readonly unknown[], isAskedToFork: boolean) {
    const title = isAskedToFork ? 'Keepit: Fork in Claude Code' : 'Keepit: Resume in Claude Code';
    const session = await this.context.targets.one(openedTranscript(args), { title });
    if (session === undefined) return;
    const { projectId, sessionId } = session;
    const { memory } = this.context;
    const found = await memory.sessions.resumable({ projectId, sessionId });
    const isOpenElsewhere = session.isLive && !isAskedToFork && !found.isCopy;
    const answer = isOpenElsewhere ? await askAboutLive(titleOf(session)) : isAskedToFork ? FORK : RESUME;
    if (answer !== undefined) await this.start(session, found, answer === FORK);
  }

  private async start(session: DiscoveredSession, found: ResumableSession, isFork: boolean) {
    const isFolderThere = await isFolder(found.folder);
    if (!isFork && !found.isCopy && canExtensionOpen(found) && (await openInExtension(found.sessionId))) return;
    const folder = isFolderThere ? found.folder : '';
    await this.terminal.run(resumeArguments(found, { isFork, isFolderThere }), { name: titleOf(session), folder });
  }
}

const RESUME = 'Resume';
const FORK = 'Fork';

/** Two that write into one session mix it up. */
async function askAboutLive(title: string): Promise<string | undefined> {
  const detail =
    'Something was said in it a moment ago. If it is open elsewhere, both would write into the same file. A fork is a session of its own, which knows all that was said.';
  return window.showWarningMessage(`Is “${title}” still open?`, { modal: true, detail }, FORK, RESUME);
}

/** It knows the sessions of the folders that are open in its window; for others it would begin a new one. */
function canExtensionOpen({ folder }: ResumableSession): boolean {
  const extension = extensions.getExtension(CLAUDE_EXTENSION);
  const { version } = packageSchema.safeParse(extension?.packageJSON).data ?? {};
  const isOpen = workspace.workspaceFolders?.some(({ uri }) => uri.scheme === 'file' && uri.fsPath === folder) ?? false;
  return isOpen && version !== undefined && isAtLeast(version, OPENS_SESSIONS);
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  for (const [index, wanted] of least.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

/** In this window. */
async function openInExtension(sessionId: string): Promise<boolean> {
  const query = new URLSearchParams({ session: sessionId }).toString();
  const uri = Uri.from({ scheme: env.uriScheme, authority: CLAUDE_EXTENSION, path: '/open', query });
  return env.openExternal(uri);
}

/** A menu of an editor passes its document, and the palette nothing: then a transcript that is read is meant. */
export function openedTranscript(args: readonly unknown[]): readonly unknown[] {
  const [first = window.activeTextEditor?.document.uri] = args;
  const session = first instanceof Uri ? transcriptUris.ref(first) : undefined;
  return session === undefined ? args : [session];
}

import { Uri } from 'vscode';
import * as z from 'zod/mini';
import { oneLine } from '../../core/text/cleanText';
import { TRANSCRIPT_SCHEME } from '../ids';

const targetSchema = z.object({
  project: z.string(),
  session: z.string(),
  agent: z.optional(z.string()),
});

/** What a transcript document shows. */
export interface TranscriptTarget {
  readonly projectId: string;
  readonly sessionId: string;
  /** A sub-agent of the session. */
  readonly agentId?: string;
}

const NAME_LENGTH = 80;

/** The path is for people (tab, breadcrumbs) and for the language's file pattern; only the query says what is shown. */
export function transcriptUri(target: TranscriptTarget, names: { project: string; title: string }): Uri {
  const query = new URLSearchParams({ project: target.projectId, session: target.sessionId });
  if (target.agentId !== undefined) query.set('agent', target.agentId);
  return Uri.from({
    scheme: TRANSCRIPT_SCHEME,
    path: `/Keepit/${pathSegment(names.project)}/${pathSegment(names.title)}`,
    query: query.toString(),
  });
}

/** Undefined for a uri that is not ours, or that somebody wrote by hand. */
export function targetOf(uri: Uri): TranscriptTarget | undefined {
  if (uri.scheme !== TRANSCRIPT_SCHEME) return undefined;
  const parsed = targetSchema.safeParse(Object.fromEntries(new URLSearchParams(uri.query)));
  if (!parsed.success) return undefined;
  const { project, session, agent } = parsed.data;
  return { projectId: project, sessionId: session, ...(agent !== undefined && { agentId: agent }) };
}

/** The same for every uri that shows the same, whatever its title was when it was opened. */
export function keyOf({ projectId, sessionId, agentId }: TranscriptTarget): string {
  return [projectId, sessionId, agentId ?? ''].join('\n');
}

/** A name as one segment of a path. A slash would begin another segment: it becomes one that only looks like it. */
export function pathSegment(name: string): string {
  const clean = oneLine(name, NAME_LENGTH).replaceAll('/', '∕').replaceAll('\\', '∖');
  return clean === '' || clean === '.' || clean === '..' ? 'Untitled' : clean;
}

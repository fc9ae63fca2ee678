import { Uri } from 'vscode';
import * as z from 'zod/mini';
import type { VersionRef } from '../../core/presentation/treeNode';
import { VERSION_SCHEME } from '../ids';
import { pathSegment } from '../transcript/transcriptUri';

const querySchema = z.object({ project: z.string(), session: z.string(), version: z.string() });

/** The path is for people (tab, breadcrumbs) and says by its ending that it is Markdown; only the query says what is shown. */
export function versionUri(version: VersionRef, names: { title: string; file: string }): Uri {
  const { projectId, sessionId, versionId } = version;
  const query = new URLSearchParams({ project: projectId, session: sessionId, version: versionId });
  return Uri.from({
    scheme: VERSION_SCHEME,
    path: `/Versions/${pathSegment(names.title)}/${pathSegment(names.file)}.md`,
    query: query.toString(),
  });
}

/** Undefined for a uri that is not ours, or that somebody wrote by hand. */
export function versionOf(uri: Uri): VersionRef | undefined {
  if (uri.scheme !== VERSION_SCHEME) return undefined;
  const parsed = querySchema.safeParse(Object.fromEntries(new URLSearchParams(uri.query)));
  if (!parsed.success) return undefined;
  const { project, session, version } = parsed.data;
  return { projectId: project, sessionId: session, versionId: version };
}

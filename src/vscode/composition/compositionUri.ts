import { Uri } from 'vscode';
import * as z from 'zod/mini';
import { COMPOSITION_SCHEME } from '../ids';
import { pathSegment } from '../transcript/transcriptUri';
import type { CompositionRef } from '../../core/presentation/treeNode';

const querySchema = z.object({ project: z.string(), name: z.string() });

/** The path is for people (tab, breadcrumbs) and says by its ending that it is Markdown; only the query says what is shown. */
export function compositionUri({ projectId, name }: CompositionRef): Uri {
  const query = new URLSearchParams({ project: projectId, name });
  return Uri.from({
    scheme: COMPOSITION_SCHEME,
    path: `/Compositions/${pathSegment(name)}.md`,
    query: query.toString(),
  });
}

/** Undefined for a uri that is not ours, or that somebody wrote by hand. */
export function compositionOf(uri: Uri): CompositionRef | undefined {
  if (uri.scheme !== COMPOSITION_SCHEME) return undefined;
  const parsed = querySchema.safeParse(Object.fromEntries(new URLSearchParams(uri.query)));
  if (!parsed.success) return undefined;
  const { project, name } = parsed.data;
  return { projectId: project, name };
}

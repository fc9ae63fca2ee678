import { Uri } from 'vscode';
import * as z from 'zod/mini';
import { COMPOSITION_SCHEME } from '../ids';
import { pathSegment } from '../transcript/transcriptUri';
import type { CompositionPlace } from './compositionChanges';

const querySchema = z.object({ memory: z.enum(['own', 'sample']), project: z.string(), name: z.string() });

/** The path is for people (tab, breadcrumbs) and says by its ending that it is Markdown; only the query says what is shown. */
export function compositionUri({ memory, projectId, name }: CompositionPlace): Uri {
  const query = new URLSearchParams({ memory, project: projectId, name });
  return Uri.from({
    scheme: COMPOSITION_SCHEME,
    path: `/Compositions/${pathSegment(name)}.md`,
    query: query.toString(),
  });
}

/** Undefined for a uri that is not ours, or that somebody wrote by hand. */
export function compositionOf(uri: Uri): CompositionPlace | undefined {
  if (uri.scheme !== COMPOSITION_SCHEME) return undefined;
  const parsed = querySchema.safeParse(Object.fromEntries(new URLSearchParams(uri.query)));
  if (!parsed.success) return undefined;
  const { memory, project, name } = parsed.data;
  return { memory, projectId: project, name };
}

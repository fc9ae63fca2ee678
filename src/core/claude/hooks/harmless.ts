import { withoutHarnessTags } from '../../transcript/harnessBlocks';

/** What Keepit itself puts around texts of the past: in hooks, and in the plugin's commands. */
const OWN_TAG = /<(?=\s{0,4}\/?\s{0,4}(?:keepit|project-memory|preview)\b)/gi;

/** A text that can end no block in which Claude Code or Keepit puts it, and begin no other one. */
export function harmless(text: string): string {
  return withoutHarnessTags(text).replace(OWN_TAG, '‹');
}

import type { DiscoveredSession, SessionRef } from '../../sessions/results';
import { sessionNode, type TreeContext } from '../../sessions/view/sessionTree';
import { treeRow, type TreeNode } from '../../sessions/view/treeNode';
import { escapeMarkdown, oneLine } from '../../text/cleanText';
import type { ContextSuggestion } from '../suggestions';

/** In a narrow side bar the reason is still seen behind it. */
const LABEL_LENGTH = 28;
/** A few, below all sessions. */
const MOST_ROWS = 3;

/** A folded group of sessions that the work at hand may need, each with the reason; nothing where there is none. */
export function suggestedRows(
  suggested: readonly ContextSuggestion[],
  find: (session: SessionRef) => DiscoveredSession | undefined,
  context: TreeContext,
): TreeNode[] {
  const children = suggested.slice(0, MOST_ROWS).flatMap((suggestion): TreeNode[] => {
    const session = find(suggestion);
    if (session === undefined) return [];
    const node = sessionNode(session, context);
    const { why } = suggestion;
    return [
      {
        ...node,
        id: `suggested:${node.id}`,
        label: oneLine(node.label, LABEL_LENGTH),
        description: why,
        tooltip: `$(lightbulb) ${escapeMarkdown(why)}\n\n${node.tooltip}`,
        spoken: `${node.label}, suggested: ${why}`,
      },
    ];
  });
  if (children.length === 0) return [];
  const description = context.formats.plural(children.length, 'session');
  return [
    treeRow({
      id: 'suggested',
      kind: 'suggested',
      label: 'Suggested',
      description,
      tooltip: 'Sessions that had to do with the open files, the branch, or what was asked last',
      icon: { id: 'lightbulb' },
      contextValue: 'suggested',
      fold: 'collapsed',
      children,
    }),
  ];
}

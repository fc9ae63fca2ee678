import { escapeMarkdown } from '../text/cleanText';
import type { TreeNode } from './treeNode';

export type TreeRow = Pick<TreeNode, 'id' | 'kind' | 'label' | 'contextValue'> & Partial<TreeNode>;

/** A row that says aloud, and in its tooltip, what it shows, where nothing else is told; without children unless it has some. */
export function treeRow(node: TreeRow): TreeNode {
  const { label, description = '' } = node;
  const spoken = [label, description].filter(Boolean).join(', ');
  return { description, tooltip: escapeMarkdown(label), spoken, fold: 'none', children: [], ...node };
}

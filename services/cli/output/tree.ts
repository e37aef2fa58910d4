import { printable } from "./printable.ts";

export interface TreeNode {
  readonly label: string;
  readonly children: readonly TreeNode[];
}

/** The lines of a tree: the root at the margin, what it has below and to the right. */
export const treeLines = ({ label, children }: TreeNode): readonly string[] => [
  printable(label),
  ...children.flatMap((child, index) => {
    const last = index === children.length - 1;
    return treeLines(child).map((line, row) =>
      row === 0 ? `${last ? "└─" : "├─"} ${line}` : `${last ? "  " : "│ "} ${line}`,
    );
  }),
];

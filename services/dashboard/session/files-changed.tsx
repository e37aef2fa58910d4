import type { FileChange, FilesChanged as Changes } from "#contracts/transcript/files-changed";
import { ForeignText } from "../ui/foreign-text.tsx";

const statusShown: Readonly<Record<FileChange["status"], string>> = {
  added: "Added",
  modified: "Changed",
  deleted: "Deleted",
};

/** What a turn has done to the files: a line that opens to their names. */
export const FilesChanged = ({ changes }: { readonly changes: Changes }) => {
  const { count, files } = changes;
  return (
    <details className="tool">
      <summary>
        <span className="tool-summary">{count === 1 ? "1 file" : `${count} files`} changed</span>
        <LineCounts {...changes} />
      </summary>
      <ul className="tool-body plain-list files-changed">
        {files.map((file) => (
          <li key={file.path}>
            <span className="muted">{statusShown[file.status]}</span>
            <span className="breakable mono">
              <ForeignText text={file.path} />
            </span>
            <LineCounts {...file} />
          </li>
        ))}
        {count > files.length && <li className="muted">and {count - files.length} more</li>}
      </ul>
    </details>
  );
};

const LineCounts = ({ additions, deletions }: Pick<FileChange, "additions" | "deletions">) => (
  <span className="line-counts">
    <ins>
      +{additions} <span className="visually-hidden">lines</span>
    </ins>{" "}
    <del>
      −{deletions} <span className="visually-hidden">lines</span>
    </del>
  </span>
);

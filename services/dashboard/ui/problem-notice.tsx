import { Notice } from "./notice.tsx";
import { problemText } from "./problem-text.ts";

/** Says what went wrong; nothing as long as nothing did. */
export const ProblemNotice = ({ error }: { readonly error: unknown }) =>
  error === null || error === undefined ? null : (
    <Notice tone="danger">{problemText(error)}</Notice>
  );

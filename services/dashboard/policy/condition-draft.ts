/** A rule's condition while somebody types it. Pure. */
import type { Condition } from "#contracts/policy/rules";

export interface ConditionDraft {
  /** Tells the drafts of a form apart. */
  readonly key: number;
  readonly op: Condition["op"];
  readonly path: string;
  /** A value, a pattern, or values on lines of their own. */
  readonly text: string;
  readonly min: string;
  readonly max: string;
}

export const emptyDraft = (key: number): ConditionDraft => {
  return { key, op: "matches", path: "", text: "", min: "", max: "" };
};

export const conditionOf = ({ op, path, text, min, max }: ConditionDraft): Condition => {
  switch (op) {
    case "equals":
      return { op, path, value: valueOf(text) };
    case "in":
      return { op, path, values: text.split("\n").filter(isThere).map(valueOf) };
    case "matches":
      return { op, path, glob: text };
    case "between":
      return { op, path, min: endOf(min), max: endOf(max) };
  }
};

const isThere = (line: string): boolean => line.trim() !== "";

const endOf = (text: string): number | null => (isThere(text) ? Number(text) : null);

/** A number or a truth value where it looks like one; in quotation marks it is a text all the same. */
const valueOf = (text: string): string | number | boolean => {
  const trimmed = text.trim();
  if (/^-?\d{1,15}(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
};

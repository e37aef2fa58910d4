import { useRef, useState } from "react";
import { type ConditionDraft, emptyDraft } from "./condition-draft.ts";

/** As many as the schema of rules takes. */
const mostConditions = 10;

/** The conditions of a rule that is being made; all of them must hold. */
export const useConditions = () => {
  const [drafts, setDrafts] = useState<readonly ConditionDraft[]>([]);
  const keys = useRef(0);
  return {
    drafts,
    full: drafts.length >= mostConditions,
    add: () => {
      keys.current += 1;
      const draft = emptyDraft(keys.current);
      setDrafts((before) => [...before, draft]);
    },
    change: (changed: ConditionDraft) =>
      setDrafts((before) => before.map((one) => (one.key === changed.key ? changed : one))),
    remove: (key: number) => setDrafts((before) => before.filter((one) => one.key !== key)),
    clear: () => setDrafts([]),
  };
};

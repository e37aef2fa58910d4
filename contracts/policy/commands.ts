import type { ActionMode } from "./events.ts";

export type PolicyCommand = {
  readonly type: "SetActionMode";
  readonly integration: string;
  readonly action: string;
  readonly mode: ActionMode;
};

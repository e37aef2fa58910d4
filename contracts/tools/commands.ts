import type { ToolAnswer } from "./answer.ts";
import type { ToolQuota } from "./registry.ts";

export type ToolCallCommand =
  | {
      readonly type: "ReceiveToolCall";
      readonly callId: string;
      readonly tool: string;
      readonly toolSchemaVersion: number;
      readonly args: Readonly<Record<string, unknown>>;
      readonly fingerprint: string;
      /** ISO 8601 instant in UTC. */
      readonly now: string;
      readonly quota: ToolQuota;
    }
  | { readonly type: "CompleteToolCall"; readonly callId: string; readonly answer: ToolAnswer };

import type { InvocationId, SessionId, TriggerId } from "../ids.ts";
import type { Repository } from "../repository.ts";
import type { RunReport } from "./outcome.ts";
import type { SessionOfRun } from "./session-of-run.ts";

export type RunCommand =
  | {
      readonly type: "MatchTrigger";
      readonly triggerId: TriggerId;
      readonly dedupKey: string;
      readonly title: string;
      readonly prompt: string;
      readonly repository: Repository | null;
      /** Null where its trigger says nothing of it. */
      readonly session: SessionOfRun | null;
    }
  | { readonly type: "OpenRunSession"; readonly sessionId: SessionId }
  | { readonly type: "PauseRun"; readonly invocationId: InvocationId }
  | { readonly type: "ResumeRun"; readonly invocationId: InvocationId }
  | {
      readonly type: "CompleteRun";
      readonly sessionId: SessionId;
      readonly completionId: string;
      readonly report: RunReport;
    };

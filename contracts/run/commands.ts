import type { SessionId, TriggerId } from "../ids.ts";
import type { Repository } from "../repository.ts";

export type RunCommand =
  | {
      readonly type: "MatchTrigger";
      readonly triggerId: TriggerId;
      readonly dedupKey: string;
      readonly title: string;
      readonly prompt: string;
      readonly repository: Repository | null;
    }
  | { readonly type: "OpenRunSession"; readonly sessionId: SessionId };

import type { Repository } from "../repository.ts";
import type { SessionOfRun } from "../run/session-of-run.ts";
import type { TriggerFilter } from "./events.ts";

export type TriggerCommand = {
  readonly type: "CreateTrigger";
  readonly name: string;
  readonly provider: "custom";
  readonly filter: TriggerFilter;
  readonly prompt: string;
  readonly repository: Repository | null;
  /** Null where nothing was said of it. */
  readonly session: SessionOfRun | null;
  readonly createdBy: string;
};

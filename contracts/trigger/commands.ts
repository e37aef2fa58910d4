import type { Repository } from "../repository.ts";
import type { TriggerFilter } from "./events.ts";

export type TriggerCommand = {
  readonly type: "CreateTrigger";
  readonly name: string;
  readonly provider: "custom";
  readonly filter: TriggerFilter;
  readonly prompt: string;
  readonly repository: Repository | null;
  readonly createdBy: string;
};

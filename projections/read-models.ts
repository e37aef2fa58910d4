import { activityProjection } from "./activity/projection.ts";
import { auditProjection } from "./audit/projection.ts";
import { configurationsProjection } from "./configurations/projection.ts";
import { invocationsProjection } from "./invocations/projection.ts";
import { messagesProjection } from "./messages/projection.ts";
import { runsProjection } from "./runs/projection.ts";
import type { Projection } from "./runtime/projection.ts";
import { sessionsProjection } from "./sessions/projection.ts";
import { triggersProjection } from "./triggers/projection.ts";

/** Every read model. Each has checkpoints of its own; those that stand at the same place go on together. */
export const readModels: readonly Projection[] = [
  sessionsProjection,
  messagesProjection,
  invocationsProjection,
  auditProjection,
  triggersProjection,
  runsProjection,
  configurationsProjection,
  activityProjection,
];

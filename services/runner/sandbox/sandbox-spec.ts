import type { SandboxSpec, ToolPermissions } from "#sandbox/provider/spec";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import type { OwnerContext } from "../owner-context.ts";

export interface SpecNow {
  readonly spec: SandboxSpec;
  /** Which tools the agent is told to ask for; null for none. */
  readonly toolPermissions: ToolPermissions | null;
}

/** What a sandbox that is started now has to know, by the policy of this moment. */
export const specNow = async (
  { deps, organization, session }: OwnerContext,
  state: ExistingSession,
): Promise<SpecNow> => {
  const toolPermissions = await deps.agentTools.permissions({ organization, sessionId: session });
  const spec = deps.specOf({ organization, session }, state);
  return { spec: { ...spec, ...(toolPermissions && { toolPermissions }) }, toolPermissions };
};

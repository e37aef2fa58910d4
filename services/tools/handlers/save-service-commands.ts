import { execute } from "#event-store/aggregates/execute";
import { sessionAggregate } from "../../sessions/aggregate/decider.ts";
import type { ToolHandler } from "../handler.ts";

/** Keeps the commands with the session, for the sandboxes that come after it. */
export const saveServiceCommands: ToolHandler<"save_service_commands"> = async (
  { store },
  { organization, session, args: { commands }, meta },
) => {
  const command = { type: "SaveServiceCommands", commands } as const;
  await execute(store, sessionAggregate, { organization, id: session }, command, meta);
  const names = commands.map(({ name }) => name).join(", ");
  return {
    success: true,
    result: `Saved. These services will be started from now on: ${names}.`,
    data: { commandCount: commands.length },
  };
};

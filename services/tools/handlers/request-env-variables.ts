import { publishLive } from "#event-store/live/live-channel";
import { execute } from "#event-store/aggregates/execute";
import { envFileVariable } from "#contracts/sandbox/environment";
import { sessionAggregate } from "../../sessions/aggregate/decider.ts";
import type { ToolHandler } from "../handler.ts";

/** Asks people. The agent does not wait: it may have other things to do until somebody answers. */
export const requestEnvVariables: ToolHandler<"request_env_variables"> = async (
  { store, log },
  { organization, session, args: { keys }, key: requestId, meta },
) => {
  const command = { type: "RequestEnvVariables", requestId, keys } as const;
  await execute(store, sessionAggregate, { organization, id: session }, command, meta);
  const message = { type: "env_variables_requested", requestId, keys } as const;
  // The log has the question; who watches later is told by it, so this must not fail the call.
  await publishLive(store, { organization, session }, message).catch((error: unknown) => {
    log.warn({ err: error, sessionId: session }, "a request for variables was not told live");
  });
  const names = keys.map(({ key }) => key).join(", ");
  return {
    success: true,
    result:
      `The people who watch this session were asked for ${names}. Once they answer, the values are in the file ` +
      `$${envFileVariable} as a JSON object. Read single keys with jq into the files that need them; never ` +
      "print the file or a value.",
    data: { requestId, keys: keys.map(({ key }) => key) },
  };
};

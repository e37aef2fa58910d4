/** What people do to a session through its live channel: the same commands as over HTTP. */
import type { LiveCommands } from "../../fanout/client/client-requests.ts";
import type { FindUser } from "../../identity/known-users.ts";
import * as commands from "../commands.ts";
import { inCommandSpan, personOf, refOf } from "./live-person.ts";
import { requireMayChange } from "../permissions.ts";
import { snapshotRequestOf } from "./snapshot-requests.ts";
import { requestServiceTrial } from "../service-trial/request-trial.ts";

export interface LiveCommandsDeps extends commands.SessionCommandsDeps {
  /** Who somebody is now: a connection may be days older than what is known of its person. */
  readonly findUser: FindUser;
}

export const createLiveCommands = (deps: LiveCommandsDeps): Omit<LiveCommands, "git"> => ({
  prompt: (by, { requestId, text }) =>
    inCommandSpan(deps.store, by, "prompt", async (meta) => {
      const { id } = await personOf(deps.findUser, by);
      const prompt = { text, by: id, idempotencyKey: requestId };
      return commands.queuePrompt(deps, refOf(by), prompt, meta);
    }),
  cancel: (by) =>
    inCommandSpan(deps.store, by, "cancel", async (meta) => {
      await personOf(deps.findUser, by);
      return commands.cancelPrompts(deps, refOf(by), meta);
    }),
  saveSnapshot: (by, { requestId, message }) =>
    inCommandSpan(deps.store, by, "save_snapshot", async (meta) => {
      const { id, role } = await personOf(deps.findUser, by);
      await requireMayChange(deps.store, refOf(by), { userId: id, role });
      const request = { requestId: snapshotRequestOf(requestId), message };
      return commands.requestSnapshot(deps, refOf(by), request, meta);
    }),
  runServices: (by, { requestId }) =>
    inCommandSpan(deps.store, by, "run_auto_start", async (meta) => {
      const { id: userId, role } = await personOf(deps.findUser, by);
      return requestServiceTrial(deps, refOf(by), { userId, role, requestId }, meta);
    }),
});

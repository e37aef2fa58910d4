import type { Logger } from "pino";
import { assertNever } from "#contracts/assert-never";
import { isDomainError } from "#contracts/errors";
import type { PromptId } from "#contracts/ids";
import type { ClientRequest } from "#contracts/live/client-frames";
import { type GitAnswer, type GitFrame, isGitFrame } from "#contracts/live/git-frames";
import type { ServerFrame } from "#contracts/live/messages";
import type { Position } from "#contracts/position";
import type { LiveTicket } from "./live-client.ts";

type RequestOf<Type extends ClientRequest["type"]> = Extract<ClientRequest, { type: Type }>;

/**
 * What people do to a session through its live channel. Each settles anew what they may do, since a
 * connection is older than its ticket. The same `requestId` of the same session is the same request.
 * They throw DomainErrors.
 */
export interface LiveCommands {
  prompt(
    by: LiveTicket,
    request: RequestOf<"prompt">,
  ): Promise<{ readonly promptId: PromptId; readonly position: Position }>;
  cancel(by: LiveTicket, request: RequestOf<"cancel">): Promise<Position>;
  saveSnapshot(by: LiveTicket, request: RequestOf<"save_snapshot">): Promise<Position>;
  runServices(by: LiveTicket, request: RequestOf<"run_auto_start">): Promise<Position>;
  git(by: LiveTicket, request: GitFrame): Promise<GitAnswer>;
}

/** Carries a request out; answers what its client is to be told. Never rejects. */
export const carryOutRequest = async (
  commands: LiveCommands,
  { by, log }: { readonly by: LiveTicket; readonly log: Logger },
  request: ClientRequest,
): Promise<ServerFrame> => {
  const { requestId } = request;
  try {
    return await carryOut(commands, by, request);
  } catch (error) {
    const isKnown = isDomainError(error) && error.code !== "internal";
    if (!isKnown || error.status >= 500) {
      log.error({ err: error, requestId, type: request.type }, "a live request has failed");
    }
    if (isKnown) return { type: "refused", requestId, code: error.code, detail: error.message };
    // The text of an unexpected error may name what nobody outside should know.
    const detail = "It could not be done; try it again.";
    return { type: "refused", requestId, code: "internal", detail };
  }
};

const carryOut = async (
  commands: LiveCommands,
  by: LiveTicket,
  request: ClientRequest,
): Promise<ServerFrame> => {
  if (isGitFrame(request)) return commands.git(by, request);
  switch (request.type) {
    case "prompt":
      return accepted(request, await commands.prompt(by, request));
    case "cancel":
      return accepted(request, { position: await commands.cancel(by, request) });
    case "save_snapshot":
      return accepted(request, { position: await commands.saveSnapshot(by, request) });
    case "run_auto_start":
      return accepted(request, { position: await commands.runServices(by, request) });
    default:
      return assertNever(request);
  }
};

const accepted = (
  { requestId }: ClientRequest,
  outcome: { readonly position: Position; readonly promptId?: PromptId },
): ServerFrame => ({ type: "accepted", requestId, promptId: null, ...outcome });

import type { Logger } from "pino";
import { assertNever } from "#contracts/assert-never";
import { isDomainError } from "#contracts/errors";
import type { PromptId } from "#contracts/ids";
import type { ClientRequest } from "#contracts/live/client-frames";
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
}

/** Carries a request out; answers what its client is to be told. Never rejects. */
export const carryOutRequest = async (
  commands: LiveCommands,
  { by, log }: { readonly by: LiveTicket; readonly log: Logger },
  request: ClientRequest,
): Promise<ServerFrame> => {
  const { requestId } = request;
  try {
    const { position, promptId = null } = await carryOut(commands, by, request);
    return { type: "accepted", requestId, position, promptId };
  } catch (error) {
    if (isDomainError(error) && error.status < 500) {
      return { type: "refused", requestId, code: error.code, detail: error.message };
    }
    // The text of an unexpected error may name what nobody outside should know.
    log.error({ err: error, requestId, type: request.type }, "a live request has failed");
    const code = isDomainError(error) ? error.code : "internal";
    return { type: "refused", requestId, code, detail: "It could not be done; try it again." };
  }
};

const carryOut = async (
  commands: LiveCommands,
  by: LiveTicket,
  request: ClientRequest,
): Promise<{ readonly position: Position; readonly promptId?: PromptId }> => {
  switch (request.type) {
    case "prompt":
      return commands.prompt(by, request);
    case "cancel":
      return { position: await commands.cancel(by, request) };
    case "save_snapshot":
      return { position: await commands.saveSnapshot(by, request) };
    default:
      return assertNever(request);
  }
};

/** Approves every action that waits in a session, and says what could not be approved any more. */
import {
  approveInvocation,
  createClient,
  isProblemError,
  listInvocations,
  type SessionId,
} from "proliferate/client";

/** @returns the ids of invocations that somebody else had decided on, or that had expired */
export const approveWhatWaits = async (
  { baseUrl, accessToken }: { readonly baseUrl: string; readonly accessToken: string },
  sessionId: SessionId,
): Promise<readonly string[]> => {
  const client = createClient({ baseUrl, accessToken });
  const { invocations } = await client.call(listInvocations, { params: { sessionId } });
  const tooLate: string[] = [];
  for (const { id, status } of invocations) {
    if (status !== "pending") continue;
    try {
      await client.call(approveInvocation, { params: { sessionId, invocationId: id } });
    } catch (error) {
      if (
        !isProblemError(error, "invocation_already_resolved") &&
        !isProblemError(error, "invocation_expired")
      ) {
        throw error;
      }
      tooLate.push(id);
    }
  }
  return tooLate;
};

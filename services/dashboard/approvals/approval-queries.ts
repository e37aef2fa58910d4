import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  approveInvocation,
  denyInvocation,
  listInvocations,
  listOrganizationInvocations,
} from "#contracts/http/actions";
import type { InvocationId, SessionId } from "#contracts/ids";
import { useApi } from "../app/api.ts";

export const pendingApprovalsKey = ["invocations", "pending"] as const;
export const sessionInvocationsKey = (sessionId: SessionId) =>
  ["invocations", "of", sessionId] as const;

/** How often the inbox looks for new requests, in milliseconds; there is no live channel across sessions. */
const inboxEveryMs = 5_000;

export const usePendingApprovals = () => {
  const api = useApi();
  return useQuery({
    queryKey: pendingApprovalsKey,
    queryFn: async ({ signal }) => {
      const query = { status: "pending", limit: 200 } as const;
      return (await api.call(listOrganizationInvocations, { query, signal })).invocations;
    },
    refetchInterval: inboxEveryMs,
  });
};

export const useSessionInvocations = (sessionId: SessionId) => {
  const api = useApi();
  return useQuery({
    queryKey: sessionInvocationsKey(sessionId),
    queryFn: async ({ signal }) =>
      (await api.call(listInvocations, { params: { sessionId }, signal })).invocations,
  });
};

export type Decision =
  | { readonly kind: "approve_once" | "approve_always" }
  | { readonly kind: "approve_edited"; readonly params: Record<string, unknown> }
  | { readonly kind: "deny"; readonly reason: string };

/** Sends a decision, and reads again whatever it may have changed, also when it came too late. */
export const useDecision = (sessionId: SessionId, invocationId: InvocationId) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const params = { sessionId, invocationId };
  return useMutation({
    mutationFn: (decision: Decision) => {
      switch (decision.kind) {
        case "deny":
          return api.call(denyInvocation, { params, body: { reason: decision.reason } });
        case "approve_edited":
          return api.call(approveInvocation, {
            params,
            body: { scope: "once", params: decision.params },
          });
        case "approve_once":
          return api.call(approveInvocation, { params, body: { scope: "once" } });
        case "approve_always":
          return api.call(approveInvocation, { params, body: { scope: "always" } });
      }
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["invocations"] }),
  });
};

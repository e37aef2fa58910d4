import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type DomainError, isDomainError } from "#contracts/errors";
import type { Outbound } from "../../outbound/outbound.ts";

const limits = { timeoutMs: 10_000, maxBodyBytes: 256 * 1024 };

export interface AuthorizationFetch {
  readonly fetch: FetchLike;
  /** Why a request was last refused on the way out; the SDK tries other addresses, and forgets it. */
  refusal(): DomainError | null;
}

/** What is asked of authorization servers, whose addresses the MCP server names: guarded like all else. */
export const authorizationFetch = (outbound: Outbound): AuthorizationFetch => {
  let refusal: DomainError | null = null;
  return {
    refusal: () => refusal,
    fetch: async (url, init) => {
      try {
        return await outbound.fetch(url, init, limits);
      } catch (error) {
        if (isDomainError(error)) refusal = error;
        throw error;
      }
    },
  };
};

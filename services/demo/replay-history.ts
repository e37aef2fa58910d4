/** Replays the log into a fresh schema, and checks it against the live one and its own hash chain. */
import type { SessionId } from "#contracts/ids";
import { readAll } from "#event-store/reading/read-all";
import { verifyChain } from "#event-store/reading/verify-chain";
import { compareSchemas } from "#projections/compare-schemas";
import { replayInto } from "#projections/replay";
import type { Program } from "../start-program.ts";

export interface ReplayedHistory {
  readonly commits: number;
  readonly identical: boolean;
  readonly chainVerified: boolean;
}

export const replayHistory = async (
  { platform }: Program,
  session: SessionId,
): Promise<ReplayedHistory> => {
  const { store, databaseUrl, sql } = platform;
  const { commits } = await replayInto({ store, databaseUrl, schema: "replayed" });
  const comparison = await compareSchemas(sql, ["public", "replayed"], { session });
  const verdict = await verifyChain(readAll(store));
  return {
    commits,
    identical: comparison.identical && comparison.rows > 0,
    chainVerified: verdict.ok,
  };
};

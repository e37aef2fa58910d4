import type { NatsConnection } from "@nats-io/transport-node";
import type { Sql } from "postgres";
import { DomainError } from "#contracts/errors";

/** Each resolves when what it is named after answers. */
export type HealthChecks = Readonly<Record<string, () => Promise<unknown>>>;

/** Whoever asks must hear before its own patience ends. */
const patienceMs = 2_000;

/** That the log and the database answer. */
export const healthChecks = (connection: NatsConnection, sql: Sql): HealthChecks => ({
  log: () => connection.flush(),
  database: async () => {
    await sql`SELECT 1`;
  },
});

/** @throws DomainError `log_unavailable`, which names those that failed or took more than 2 s */
export const assertHealthy = async (checks: HealthChecks, limitMs = patienceMs): Promise<void> => {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({
      name,
      ok: await succeeds(check, limitMs),
    })),
  );
  const failed = outcomes.filter(({ ok }) => !ok).map(({ name }) => name);
  if (failed.length > 0) {
    throw new DomainError("log_unavailable", `This process cannot reach: ${failed.join(", ")}.`, {
      fields: { failed },
    });
  }
};

/** Any failure is the answer here; its details are in the log of whoever needs the connection. */
const succeeds = async (check: () => Promise<unknown>, limitMs: number): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limitMs, false);
  });
  try {
    return await Promise.race([
      check().then(
        () => true,
        () => false,
      ),
      tooLate,
    ]);
  } finally {
    clearTimeout(timer);
  }
};

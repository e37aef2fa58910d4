/** `GET /metrics`: the progress of the read models, in the text format of Prometheus. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { DomainError } from "#contracts/errors";
import type { ProjectionStatus } from "#contracts/projections/view";

export interface MetricsOptions {
  /** What whoever collects the metrics sends as a bearer token; null to have no such page. */
  readonly token: string | null;
  readonly status: () => Promise<ProjectionStatus>;
}

type Shard = ProjectionStatus["models"][number]["shards"][number];

const gauges: readonly (readonly [name: string, help: string, value: (shard: Shard) => number])[] =
  [
    ["checkpoint", "Newest commit in the read model.", ({ checkpoint }) => checkpoint],
    ["log_end", "Newest commit of the log.", ({ end }) => end],
    ["lag_commits", "Commits that are not projected yet.", ({ lag }) => lag],
    ["halted", "1 while a commit cannot be projected.", ({ state }) => +(state === "halted")],
    ["unattended", "1 while no projector reports.", ({ state }) => +(state === "unattended")],
  ];

/** The metrics as text. Read models and shards are the only labels, so their number is bounded. */
const formatMetrics = ({ models }: ProjectionStatus): string =>
  gauges
    .flatMap(([name, help, value]) => [
      `# HELP proliferate_projection_${name} ${help}`,
      `# TYPE proliferate_projection_${name} gauge`,
      ...models.flatMap((model) =>
        model.shards.map((shard) => {
          const labels = `model="${model.name}",shard="${shard.shard}"`;
          return `proliferate_projection_${name}{${labels}} ${value(shard)}`;
        }),
      ),
    ])
    .join("\n") + "\n";

/** Serves the metrics to whoever has the token: sandboxes may share the network. */
export const serveMetrics = (app: FastifyInstance, { token, status }: MetricsOptions): void => {
  app.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    if (token === null) throw new DomainError("not_found", "There are no metrics here.");
    if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`)) {
      throw new DomainError("unauthenticated", "The metrics need their token.");
    }
    return reply.type("text/plain; version=0.0.4").send(formatMetrics(await status()));
  });
};

const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(digest(given), digest(wanted));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

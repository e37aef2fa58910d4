/** What is so of the whole system, whichever process says it: it is read whenever somebody collects. */
import { setTimeout as delay } from "node:timers/promises";
import { Counter, Gauge, type Registry } from "prom-client";
import type { ProjectionStatus } from "#contracts/projections/view";
import type { Log } from "#event-store/log";

export interface SystemFacts {
  /** How far the read models have come. */
  readonly projections: () => Promise<ProjectionStatus>;
  /** How many dead letters each worker has. */
  readonly deadLetters: () => Promise<ReadonlyMap<string, number>>;
}

export interface SystemMetricsOptions {
  readonly log: Pick<Log, "warn">;
  /** How long a reading may take, in milliseconds. */
  readonly patienceMs?: number;
}

/** Less than Prometheus waits for all of the metrics, which is 10 s unless it is told otherwise. */
const defaultPatienceMs = 4_000;

/** Registers the gauges of these facts. Where they cannot be read, the gauges have no values, and all others have. */
export const measureSystem = (
  registry: Registry,
  { projections, deadLetters }: SystemFacts,
  { log, patienceMs = defaultPatienceMs }: SystemMetricsOptions,
): void => {
  const failures = new Counter({
    name: "proliferate_collect_failures_total",
    help: "Times that facts could not be read for these metrics.",
    labelNames: ["source"],
    registers: [registry],
  });
  const onFailure = (source: string) => {
    failures.inc({ source }, 0);
    return (error: unknown): void => {
      failures.inc({ source });
      log.warn({ err: error, source }, "metrics could not be collected");
    };
  };
  registerGauges(registry, {
    ...{ read: projections, patienceMs },
    gauges: projectionGauges,
    onFailure: onFailure("projections"),
  });
  registerGauges(registry, {
    ...{ read: deadLetters, patienceMs },
    gauges: [deadLetterGauge],
    onFailure: onFailure("dead_letters"),
  });
};

interface GaugeOf<Facts> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly fill: (gauge: Gauge, facts: Facts) => void;
}

type Shard = ProjectionStatus["models"][number]["shards"][number];

const projectionGauge = (
  name: string,
  help: string,
  value: (shard: Shard) => number,
): GaugeOf<ProjectionStatus> => ({
  name: `proliferate_projection_${name}`,
  help,
  labelNames: ["model", "shard"],
  fill: (gauge, { models }) => {
    for (const { name: model, shards } of models) {
      for (const shard of shards) gauge.set({ model, shard: shard.shard }, value(shard));
    }
  },
});

const projectionGauges = [
  projectionGauge("checkpoint", "Newest commit in the read model.", ({ checkpoint }) => checkpoint),
  projectionGauge("log_end", "Newest commit of the log.", ({ end }) => end),
  projectionGauge("lag_commits", "Commits that are not projected yet.", ({ lag }) => lag),
  projectionGauge(
    "halted",
    "1 while a commit cannot be projected.",
    ({ state }) => +(state === "halted"),
  ),
  projectionGauge(
    "unattended",
    "1 while no projector reports.",
    ({ state }) => +(state === "unattended"),
  ),
];

const deadLetterGauge: GaugeOf<ReadonlyMap<string, number>> = {
  name: "proliferate_dead_letters",
  help: "Messages that a worker has given up, and that nobody has settled.",
  labelNames: ["worker"],
  fill: (gauge, counts) => {
    for (const [worker, count] of counts) gauge.set({ worker }, count);
  },
};

/** Fills gauges from one reading, of which there is one at a time, however many collect and however slow it is. */
const registerGauges = <Facts>(
  registry: Registry,
  {
    read,
    patienceMs,
    gauges,
    onFailure,
  }: {
    readonly read: () => Promise<Facts>;
    readonly patienceMs: number;
    readonly gauges: readonly GaugeOf<Facts>[];
    readonly onFailure: (error: unknown) => void;
  },
): void => {
  const reading = oneAtATime(read);
  const collect = oneAtATime(async () => {
    try {
      const facts = await within(patienceMs, reading());
      for (const { gauge, fill } of registered) {
        gauge.reset();
        fill(gauge, facts);
      }
    } catch (error) {
      for (const { gauge } of registered) gauge.reset();
      onFailure(error);
    }
  });
  const registered = gauges.map(({ fill, ...config }) => ({
    gauge: new Gauge({ ...config, registers: [registry], collect }),
    fill,
  }));
};

const oneAtATime = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let underWay: Promise<T> | null = null;
  return () =>
    (underWay ??= work().finally(() => {
      underWay = null;
    }));
};

const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    delay(ms, undefined, { ref: false }).then(() => {
      throw new Error(`It took longer than ${ms} ms.`);
    }),
  ]);

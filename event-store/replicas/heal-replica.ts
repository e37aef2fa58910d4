/** Restores one damaged replica from the others. */
import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "#contracts/errors";
import { auditReplicas, describeAlarm, type ReplicaAudit } from "./audit-replicas.ts";
import type { NodeReading } from "./read-node.ts";
import { assertFoldersAreHere, replicaFolders, setAside } from "./replica-folders.ts";

const pollMs = 200;
/** Within it the whole replicas must prove that they are. */
const othersPatienceMs = 5_000;
/** How many other replicas must be whole: a majority of three, which goes on without this one. */
const neededWhole = 2;

/** How the server of the damaged replica is stopped and started: by whatever runs it on its host. */
export interface NodeControl {
  /** Lets it hand over what it leads, and end; may return before it has ended. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

export interface HealOptions {
  /** Base URLs of the monitoring of all nodes. */
  readonly monitors: readonly string[];
  readonly node: string;
  readonly stream: string;
  readonly control: NodeControl;
  /** How long stopping, and then starting and catching up, may take. */
  readonly patienceMs: number;
  readonly onProgress?: (message: string) => void;
}

/**
 * Drains the node, sets its copy of the stream aside, and lets it fetch a new one from the others.
 * Works on the node's folder, so it must run on its host. Nothing is touched unless all others are
 * whole; what was set aside is discarded only when the new copy is. If anything fails after the node
 * was stopped, it is started again.
 *
 * @throws DomainError `prerequisite_missing` if this cannot be done safely, or not from here;
 *   `log_unavailable` if the node does not stop, or its replica is not whole in time
 */
export const healReplica = async (options: HealOptions): Promise<void> => {
  const { node, stream, control, onProgress = () => undefined } = options;
  const before = await assertOthersAreWhole(options);
  const target = before.readings.find((reading) => reading.node === node);
  if (target === undefined) {
    throw new DomainError(
      "prerequisite_missing",
      `${node} must run and answer on its monitoring, so that its folders are known.`,
    );
  }
  const folders = replicaFolders(target, stream);
  await assertFoldersAreHere(folders);

  onProgress(`Stopping ${node}…`);
  let aside;
  try {
    await control.stop();
    await until(options, "did not stop", async () => !(await isUp(target)));
    // Commits that only the node and one other had would be lost without it.
    await assertOthersAreWhole(options, target);
    aside = await setAside(folders, target.storeDir);
  } finally {
    onProgress(`Starting ${node}…`);
    await control.start();
  }
  onProgress(`${node} fetches ${stream} from the others…`);
  await until(options, `has not restored ${stream}`, () => isWhole(options));
  await aside.discard();
};

/** Throws unless at least two replicas beside the damaged one are whole, and all of them are. */
const assertOthersAreWhole = async (
  { monitors, node, stream }: HealOptions,
  stopped?: NodeReading,
): Promise<ReplicaAudit> => {
  const others = stopped ? monitors.filter((monitor) => monitor !== stopped.monitor) : monitors;
  const audit = await auditReplicas({
    monitors: others,
    patienceMs: othersPatienceMs,
    isSettled: (alarms) => relevant(alarms, { node, stream }).length === 0,
    ...(stopped === undefined ? {} : { atLeast: [stopped] }),
  });
  const [alarm] = relevant(audit.alarms, { node, stream });
  const whole = audit.readings.filter(
    (reading) => reading.node !== node && reading.placements.has(stream),
  );
  if (alarm !== undefined || whole.length < neededWhole) {
    const reason = alarm ? describeAlarm(alarm) : `Only ${whole.length} other replicas were seen.`;
    throw new DomainError(
      "prerequisite_missing",
      `The other replicas of ${stream} must be whole before that of ${node} is removed. ${reason}`,
      { fields: { node, stream } },
    );
  }
  return audit;
};

/** The alarms that speak against removing this replica: those of the others of its stream. */
const relevant = (
  alarms: ReplicaAudit["alarms"],
  { node, stream }: { readonly node: string; readonly stream: string },
): ReplicaAudit["alarms"] =>
  alarms.filter(
    (alarm) => alarm.kind === "unreachable" || (alarm.stream === stream && alarm.node !== node),
  );

const isUp = async ({ monitor }: NodeReading): Promise<boolean> => {
  try {
    await fetch(new URL("/varz", monitor), { signal: AbortSignal.timeout(pollMs * 5) });
    return true;
  } catch (error) {
    // A server that is merely slow still works on its folder.
    return error instanceof DOMException && error.name === "TimeoutError";
  }
};

const isWhole = async ({ monitors, node, stream }: HealOptions): Promise<boolean> => {
  const { alarms, readings } = await auditReplicas({ monitors, patienceMs: 0 });
  return (
    readings.some((reading) => reading.node === node && reading.placements.has(stream)) &&
    !alarms.some((alarm) => alarm.kind === "unreachable" || alarm.stream === stream)
  );
};

const until = async (
  { node, stream, patienceMs }: HealOptions,
  complaint: string,
  condition: () => Promise<boolean>,
): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() >= deadline) {
      throw new DomainError("log_unavailable", `${node} ${complaint} in time.`, {
        fields: { node, stream },
      });
    }
    await delay(pollMs);
  }
};

/** The judgement on replicas, without asking anybody. */
import type { NodeReading, Replica } from "./read-node.ts";

/** Something that is wrong with a replica, and would cost commits if it became the leader. */
export type ReplicaAlarm =
  /** Messages are missing before its last one: nothing ever deletes any, so it is damaged. */
  | ({ readonly kind: "holes"; readonly expected: number } & Replica)
  /** It has not come as far as another replica had. */
  | ({ readonly kind: "behind"; readonly furthest: number } & Replica)
  /** The node should hold a replica and does not, or nobody has asked it. */
  | { readonly kind: "missing"; readonly node: string; readonly stream: string };

/** How far the furthest replica of each stream has come. */
export type Furthest = ReadonlyMap<string, number>;

export const furthestOf = (readings: readonly NodeReading[]): Furthest => {
  const furthest = new Map<string, number>();
  for (const { stream, lastSequence } of readings.flatMap(({ replicas }) => replicas)) {
    furthest.set(stream, Math.max(lastSequence, furthest.get(stream) ?? 0));
  }
  return furthest;
};

/**
 * Compares every replica with itself and with how far the furthest had come before: the readings must
 * be newer than `furthest`, or a replica that is merely a moment late counts as behind.
 */
export const compareReplicas = (
  readings: readonly NodeReading[],
  furthest: Furthest,
): readonly ReplicaAlarm[] => [
  ...readings
    .flatMap(({ replicas }) => replicas)
    .flatMap((replica) => judge(replica, readings, furthest.get(replica.stream) ?? 0)),
  ...missing(readings),
];

const judge = (
  replica: Replica,
  readings: readonly NodeReading[],
  furthest: number,
): readonly ReplicaAlarm[] => {
  const expected = messagesUpTo(replica, readings);
  return [
    ...(replica.messages < expected ? [{ kind: "holes" as const, expected, ...replica }] : []),
    ...(replica.lastSequence < furthest ? [{ kind: "behind" as const, furthest, ...replica }] : []),
  ];
};

/** How many messages a whole replica has that has come this far; the head may be missing too. */
const messagesUpTo = ({ stream, lastSequence }: Replica, readings: readonly NodeReading[]) => {
  const firsts = readings
    .flatMap(({ replicas }) => replicas)
    .filter((other) => other.stream === stream && other.messages > 0)
    .map(({ firstSequence }) => firstSequence);
  return firsts.length === 0 ? 0 : Math.max(0, lastSequence - Math.min(...firsts) + 1);
};

const missing = (readings: readonly NodeReading[]): readonly ReplicaAlarm[] => {
  const held = new Set(
    readings.flatMap(({ replicas }) => replicas.map(({ node, stream }) => `${stream} ${node}`)),
  );
  const wanted = new Map<string, { readonly node: string; readonly stream: string }>();
  for (const { placements } of readings) {
    for (const [stream, { nodes }] of placements) {
      for (const node of nodes) {
        wanted.set(`${stream} ${node}`, { node, stream });
      }
    }
  }
  return [...wanted]
    .filter(([key]) => !held.has(key))
    .map(([, replica]) => ({ kind: "missing", ...replica }));
};

import { isSameProblem, type LaneState, type Problem, problemOf } from "./condition.ts";
import { isLasting } from "./failure.ts";
import type { Projection } from "./projection.ts";

/** One read model in one shard of the log, as this process works on it. */
export interface Lane {
  readonly projection: Projection;
  readonly shard: number;
  state: LaneState;
  /** Why it is retrying or halted. */
  problem: Problem | null;
  /** The same as it was thrown. */
  failure: unknown;
  /** The newest sequence that this process knows to be projected. */
  checkpoint: number;
  /** See `OpenCheckpoint`; empty until it has been opened. */
  build: string;
  /** Who projects: this process; perhaps another one, which is to be found out; another one. */
  claim: "own" | "contested" | "elsewhere";
  /** Not to be tried before this moment of `performance.now()`. */
  restsUntil: number;
  /** How often it has failed in a row without coming any further. */
  attempts: number;
}

export const newLane = (projection: Projection, shard: number): Lane => ({
  projection,
  shard,
  state: "standby",
  problem: null,
  failure: null,
  checkpoint: 0,
  build: "",
  claim: "own",
  restsUntil: 0,
  attempts: 0,
});

/** Puts a lane into a state, for this reason. Answers whether that is news to others. */
export const changeLane = (lane: Lane, state: LaneState, failure: unknown = null): boolean => {
  const problem = failure === null ? null : problemOf(failure);
  const isNews =
    state !== "standby" && !(lane.state === state && isSameProblem(lane.problem, problem));
  Object.assign(lane, { state, problem, failure });
  return isNews;
};

const retryDelaysMs = { first: 100, longest: 5_000 };

/** Lets a lane rest after a failure: the longer, the more often it has failed. Answers whether that is news. */
export const restLane = (lane: Lane, error: unknown, retryHaltedMs: number): boolean => {
  const lasting = isLasting(error);
  const backoffMs = Math.min(retryDelaysMs.first * 2 ** lane.attempts, retryDelaysMs.longest);
  lane.attempts += 1;
  lane.restsUntil = performance.now() + (lasting ? retryHaltedMs : backoffMs);
  return changeLane(lane, lasting ? "halted" : "retrying", error);
};

/** Notes how far a lane has come by the work of this process. Answers whether that is news to others. */
export const advanceLane = (lane: Lane, checkpoint: number): boolean => {
  lane.checkpoint = checkpoint;
  lane.attempts = 0;
  return changeLane(lane, "projecting");
};

export type LaneGroup = readonly [Lane, ...Lane[]];

/** The lanes that stand at the same place, those that are furthest first. */
export const groupByCheckpoint = (lanes: readonly Lane[]): readonly LaneGroup[] => {
  const groups = new Map<number, [Lane, ...Lane[]]>();
  for (const lane of lanes) {
    const group = groups.get(lane.checkpoint);
    if (group) group.push(lane);
    else groups.set(lane.checkpoint, [lane]);
  }
  return [...groups.entries()].sort(([one], [other]) => other - one).map(([, group]) => group);
};

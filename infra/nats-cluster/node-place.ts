import type { Program } from "../process/setpriv.ts";

/** Where a node of a cluster is, and how a program is started there. */
export interface NodePlace {
  /** The address at which clients and monitoring reach it. */
  readonly clientHost: string;
  /** The address at which the other nodes reach it. */
  readonly routeHost: string;
  enter(program: Program): Program;
}

/** Beside the process that starts it. */
export const loopback: NodePlace = {
  clientHost: "127.0.0.1",
  routeHost: "127.0.0.1",
  enter: (program) => program,
};

/** What a test can make go wrong, by the name of the remote procedure, e.g. `SandboxCreateV2`. */
import { setTimeout as delay } from "node:timers/promises";
import { ServerError, type ServerMiddleware, type Status } from "nice-grpc";

export interface Refusal {
  readonly status: Status;
  readonly message: string;
  /** Whether the call is carried out first, and only its answer is lost. */
  readonly afterwards?: boolean;
  /** How many calls; 1 by default. */
  readonly times?: number;
}

export interface Faults {
  /** The next calls fail. */
  refuse(rpc: string, refusal: Refusal): void;
  /** The next call's answer takes this long, in milliseconds. */
  slow(rpc: string, ms: number): void;
  /** Every connection is reset when the next stream of this procedure has sent so many messages. */
  dropAfter(rpc: string, messages: number): void;
  /** Forgets what has not gone wrong yet. */
  clear(): void;
  /** How often a procedure has been called. */
  calls(rpc: string): number;
}

type Fault =
  | ({ readonly kind: "refuse" } & Refusal)
  | { readonly kind: "slow"; readonly ms: number }
  | { readonly kind: "drop"; readonly messages: number };

export const openFaults = (
  dropConnections: () => void,
): { readonly faults: Faults; readonly middleware: ServerMiddleware } => {
  const planned = new Map<string, Fault[]>();
  const counts = new Map<string, number>();
  const plan = (rpc: string, fault: Fault, times = 1) => {
    planned.set(rpc, [...(planned.get(rpc) ?? []), ...Array.from({ length: times }, () => fault)]);
  };

  const middleware: ServerMiddleware = async function* (call, context) {
    const rpc = call.method.path.split("/").at(-1) ?? "";
    counts.set(rpc, (counts.get(rpc) ?? 0) + 1);
    const fault = planned.get(rpc)?.shift();
    if (fault?.kind === "slow") await delay(fault.ms, undefined, { signal: context.signal });
    if (fault?.kind === "refuse" && !fault.afterwards)
      throw new ServerError(fault.status, fault.message);
    if (!call.responseStream) {
      const response = yield* call.next(call.request, context);
      if (fault?.kind === "refuse") throw new ServerError(fault.status, fault.message);
      return response;
    }
    let sent = 0;
    for await (const message of call.next(call.request, context)) {
      yield message;
      sent += 1;
      if (fault?.kind === "drop" && sent === fault.messages) dropConnections();
    }
    return undefined;
  };

  return {
    middleware,
    faults: {
      refuse: (rpc, refusal) => plan(rpc, { kind: "refuse", ...refusal }, refusal.times),
      slow: (rpc, ms) => plan(rpc, { kind: "slow", ms }),
      dropAfter: (rpc, messages) => plan(rpc, { kind: "drop", messages }),
      clear: () => planned.clear(),
      calls: (rpc) => counts.get(rpc) ?? 0,
    },
  };
};

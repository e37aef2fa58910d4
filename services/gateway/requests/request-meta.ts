import { type CommandMeta, newCommandMeta } from "#event-store/command-meta";
import type { Traceparent } from "#event-store/tracing/tracing";
import { actorOf, type Principal } from "../authentication/principal.ts";

/** What a command takes over from the request that gives it. */
export interface CommandingRequest {
  readonly principal: Principal;
  readonly correlationId: string;
  readonly trace: Traceparent | undefined;
}

/** The meta of a command that a request gives. */
export const metaOf = ({ principal, correlationId, trace }: CommandingRequest): CommandMeta =>
  newCommandMeta({ actor: actorOf(principal), correlationId, trace });

import type { Actor } from "#contracts/actor";
import { newId } from "#contracts/ids";
import type { Traceparent } from "./tracing/tracing.ts";

/** Where a command comes from; all but its trace becomes the `meta` of its commit. */
export interface CommandMeta {
  /** The same id is the same command, however often it is carried out. */
  readonly commandId: string;
  readonly causationId: string | null;
  readonly correlationId: string;
  readonly actor: Actor;
  /** ISO 8601 instant in UTC. */
  readonly at: string;
  /** What the command is a part of. It goes into the header of the commit: the log's content knows of no traces. */
  readonly trace?: Traceparent | undefined;
}

/** The meta of a command that begins here and now; only the edges of the system call this. */
export const newCommandMeta = (options: {
  readonly actor: Actor;
  readonly commandId?: string;
  readonly causationId?: string | null;
  readonly correlationId?: string;
  readonly trace?: Traceparent | undefined;
}): CommandMeta => {
  const commandId = options.commandId ?? newId("command");
  return {
    commandId,
    causationId: options.causationId ?? null,
    correlationId: options.correlationId ?? commandId,
    actor: options.actor,
    at: new Date().toISOString(),
    trace: options.trace,
  };
};

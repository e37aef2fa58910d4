/** What a tool does when it is called. */
import type { Logger } from "pino";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { ToolAnswer } from "#contracts/tools/answer";
import type { ToolArgs, ToolName } from "#contracts/tools/registry";
import type { CommandMeta } from "#event-store/command-meta";
import type { EventStore } from "#event-store/event-store";
import type { ExistingSession } from "../sessions/aggregate/state.ts";

export interface ToolDeps {
  readonly store: EventStore;
  readonly log: Pick<Logger, "warn">;
}

export interface ToolInvocation<Name extends ToolName> {
  readonly organization: OrganizationId;
  readonly session: SessionId;
  readonly state: ExistingSession;
  readonly args: ToolArgs<Name>;
  /** The same for each attempt of this call: an id for whatever the handler makes. */
  readonly key: string;
  /** For commands; its `commandId` is the same for each attempt. */
  readonly meta: CommandMeta;
}

/**
 * Does what the agent asked for. It may be called again with the same key, when whoever called it before
 * died before the answer was recorded: it must come to the same end then.
 *
 * A DomainError whose status is below 500 is a refusal, and an answer like any other. Anything else that is
 * thrown leaves the call open, for the agent's next attempt.
 */
export type ToolHandler<Name extends ToolName> = (
  deps: ToolDeps,
  invocation: ToolInvocation<Name>,
) => Promise<ToolAnswer>;

export type ToolHandlers = { readonly [Name in ToolName]: ToolHandler<Name> };

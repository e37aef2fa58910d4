/**
 * Where actions come from. Everything that offers actions (an MCP server today) is one of these, so
 * modes, approvals, execution and audit know nothing of the protocol behind.
 */
import type { ActionDefinition, LeftOutAction } from "#contracts/actions/definition";
import type { InvocationId, OrganizationId, SessionId } from "#contracts/ids";

export interface ActionContext {
  readonly invocationId: InvocationId;
  readonly sessionId: SessionId;
  readonly organizationId: OrganizationId;
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal: AbortSignal;
  /** The same for the same invocation: for services that recognise a request that comes again. */
  readonly idempotencyKey: string;
}

export interface ActionSource {
  /** What an agent and a policy call it, for example `demo`. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** How to use it, in Markdown, for an agent to read. */
  guide(): Promise<string>;
  /** Its actions as of now. May go over the network; throws a DomainError when it cannot be reached. */
  list(): Promise<readonly ActionDefinition[]>;
  /** Whether it can be used now, for a source that can list its actions without. Throws as `list`. */
  check?(): Promise<void>;
  /** What it names beside them, but cannot offer. Nothing for sources whose actions are code. */
  leftOut?(): Promise<readonly LeftOutAction[]>;
  /**
   * Does it, once. The answer is JSON.
   *
   * @throws DomainError when it is certain that the action was refused or has failed.
   * Whatever else it throws (an abort, a connection that broke off) says that nobody knows whether the
   * action has taken effect.
   */
  execute(
    action: string,
    params: Readonly<Record<string, unknown>>,
    context: ActionContext,
  ): Promise<unknown>;
}

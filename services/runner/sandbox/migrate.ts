/**
 * Moves a session out of a sandbox that ends soon, in two phases: a second sandbox is made of the files of
 * the first, its agent is found to know the conversation, and its events arrive; only then one commit makes
 * it the session's. Until that commit the first one is as good as ever, and whatever fails goes on with it.
 */
import { DomainError, isDomainError } from "#contracts/errors";
import { snapshotWithoutSecrets } from "#sandbox/boot/snapshot";
import type { RunningSandbox, SandboxRef } from "#sandbox/provider/sandbox";
import type { ExistingSession } from "../../sessions/aggregate/state.ts";
import { type BroughtUp, failureOf, isStale } from "./bring-up.ts";
import { expiryOf, timeLeft } from "./expiry.ts";
import { followAgent, openAgent } from "../agent/follow-agent.ts";
import type { OwnerContext } from "../owner-context.ts";
import { specNow } from "./sandbox-spec.ts";
import { otherSandbox, sandboxRefOf } from "./sandbox-ref.ts";
import { tellBoot } from "./tell-boot.ts";
import { withinTime } from "../within-time.ts";

/** No timer of this platform waits longer, and no sandbox that is to be moved has as much time. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * @returns the session's new conversation, or null when it stays where it is; whatever sandbox is too many
 * then stands among the state's spares
 * @throws DomainError `stale_owner`, and what the log throws: then nobody knows which sandbox it is
 */
export const migrate = async (
  context: OwnerContext,
  state: ExistingSession,
  signal: AbortSignal,
): Promise<BroughtUp | null> => {
  const { deps, session, epoch, command, tell } = context;
  // Not one that an earlier attempt may still be making.
  const generation = state.generation + state.migrationFailures + 1;
  tell({ type: "status", status: "migrating", detail: null });
  let moved: BroughtUp;
  try {
    moved = await withinTime(
      {
        ms: Math.min(timeLeft(state.expiresAt), longestTimerMs),
        signal,
        late: () => new DomainError("migration_failed", "The session could not be moved in time."),
      },
      (limit) => prepare(context, state, { generation, signal: limit }),
      ({ conversation }) => void conversation.close(),
    );
  } catch (error) {
    if (isStale(error) || signal.aborted) throw error;
    deps.log.warn({ err: error, sessionId: session }, "a session could not be moved");
    const failure = failureOf(error);
    await command({ type: "ReportMigrationFailed", epoch, failure });
    tell({ type: "status", status: "running", detail: failure.message });
    return null;
  }
  try {
    const { sandboxId } = moved.sandbox;
    const expiresAt = expiryOf(moved.sandbox);
    await command({ type: "ReportMigrated", epoch, generation, sandboxId, expiresAt });
  } catch (error) {
    await moved.conversation.close();
    throw error;
  }
  tell({ type: "status", status: "running", detail: null });
  return moved;
};

interface Attempt {
  readonly generation: number;
  readonly signal: AbortSignal;
}

/** Has a second sandbox ready, with its agent's events arriving. */
const prepare = async (
  context: OwnerContext,
  state: ExistingSession,
  { generation, signal }: Attempt,
): Promise<BroughtUp> => {
  const { deps, session, epoch } = context;
  const snapshotId = await snapshotWithoutSecrets(deps.provider, sandboxRefOf(session, state), {
    kind: state.kind,
    onNotRestored: (detail) => {
      deps.log.warn({ sessionId: session, detail }, "a sandbox lacks files since its snapshot");
    },
  });
  signal.throwIfAborted();
  await context.command({ type: "StartMigration", epoch, generation, snapshotId });
  const named: SandboxRef = { ...otherSandbox(session, generation), snapshotId };
  const { spec, toolPermissions } = await specNow(context, state);
  const sandbox = await deps.provider.createSandbox({
    ...named,
    spec,
    signal,
    ...tellBoot(context),
  });
  try {
    signal.throwIfAborted();
    return { ...(await joinAgent(context, state, { sandbox, generation })), toolPermissions };
  } catch (error) {
    // Nobody has waited for what is made too late. An owner that was replaced leaves it to the next one.
    if (isDomainError(signal.reason, "migration_failed")) await deps.provider.terminate(named);
    throw error;
  }
};

/** @throws DomainError `migration_failed` unless the agent in the sandbox goes on where the other one is */
const joinAgent = async (
  context: OwnerContext,
  { agentSessionId, prompts }: ExistingSession,
  { sandbox, generation }: { readonly sandbox: RunningSandbox; readonly generation: number },
): Promise<Omit<BroughtUp, "toolPermissions">> => {
  const { sandboxId, sessionId } = sandbox;
  const agent = openAgent(sandbox.opencode);
  const known = agentSessionId !== null && (await agent.client.getSession(agentSessionId));
  if (sandbox.origin !== "restored" || !known) {
    throw new DomainError(
      "migration_failed",
      "The new sandbox has not begun with the files and the conversation of the present one.",
      { fields: { origin: sandbox.origin } },
    );
  }
  const conversation = await followAgent(context, {
    sandbox: { ...otherSandbox(sessionId, generation), sandboxId },
    agent,
    agentSessionId: known.id,
    prompts,
  });
  return { conversation, sandbox };
};

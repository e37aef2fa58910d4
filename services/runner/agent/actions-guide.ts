/** Keeps the guide in a workspace to what the agent may do now. */
import { guideWith, actionsGuidePath } from "#sandbox/instructions/available-actions";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import type { OwnerContext } from "../owner-context.ts";

export interface ActionsGuide {
  /** Writes the guide anew if it has changed. Nothing waits for it; a failure leaves the guide as it was. */
  refresh(sandbox: SandboxRef): void;
}

const writeLimitMs = 10_000;

export const createActionsGuide = ({
  organization,
  session: sessionId,
  deps: { availableActions, provider, log },
}: Pick<OwnerContext, "organization" | "session" | "deps">): ActionsGuide => {
  let written: string | null = null;
  let atIt = false;

  const write = async (sandbox: SandboxRef): Promise<void> => {
    if (!provider.execCommand) return;
    const guide = guideWith(await availableActions({ organization, sessionId }));
    if (guide === written) return;
    const script = 'mkdir -p "$(dirname "$1")" && cat > "$1"';
    const { exitCode, stderr } = await provider.execCommand(
      sandbox,
      ["sh", "-c", script, "sh", actionsGuidePath],
      { stdin: guide, timeoutMs: writeLimitMs },
    );
    if (exitCode !== 0) throw new Error(`The guide could not be written: ${stderr.slice(0, 500)}`);
    written = guide;
  };

  return {
    refresh: (sandbox) => {
      // One that is under way may be slow, as the services that it asks; the next prompt comes here again.
      if (atIt) return;
      atIt = true;
      write(sandbox)
        .catch((error: unknown) => {
          log.warn({ err: error, sessionId }, "the guide of a workspace is not up to date");
        })
        .finally(() => {
          atIt = false;
        });
    },
  };
};

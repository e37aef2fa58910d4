import type { PromptId } from "#contracts/ids";
import type { ExistingSession, PromptEnd } from "../../sessions/aggregate/state.ts";
import { failureOf } from "../sandbox/bring-up.ts";
import type { OwnerContext } from "../owner-context.ts";

/**
 * Records how a prompt ended, and tells those who watch. Who dies in between has recorded it: `untold.ts`.
 * @throws DomainError `stale_owner`
 */
export const finishPrompt = async (
  { epoch, command, tell }: OwnerContext,
  promptId: PromptId,
  end: PromptEnd,
): Promise<void> => {
  await command({ type: "FinishPrompt", epoch, promptId, ...end });
  tell({ type: "prompt_finished", promptId, ...end });
};

/** Ends what waits in a session whose sandbox does not come up: nobody answers it. @throws DomainError `stale_owner` */
export const failSession = async (
  context: OwnerContext,
  { prompts }: ExistingSession,
  error: unknown,
): Promise<void> => {
  const { epoch, command, tell } = context;
  const failure = failureOf(error);
  for (const { promptId } of prompts) {
    await finishPrompt(context, promptId, { outcome: "failed", failure });
  }
  await command({ type: "ReportSandboxFailed", epoch, failure });
  tell({ type: "status", status: "failed", detail: failure.message });
};

/** Keeps the guide in a workspace to what the agent may do now. */
import { setTimeout as delay } from "node:timers/promises";
import { guideWith, actionsGuidePath } from "#sandbox/instructions/available-actions";
import type { SandboxProvider } from "#sandbox/provider/provider";
import type { RunningSandbox, SandboxRef } from "#sandbox/provider/sandbox";
import { watchPolicy } from "../../policy/commands.ts";
import { type Bell, createBell } from "../bell.ts";
import type { OwnerContext, RunnerDeps } from "../owner-context.ts";

export interface ActionsGuide {
  /**
   * Writes the guide if it is not what it was, now and whenever the organisation's policy changes, until it
   * is stopped. Nothing waits for it; a failure leaves the guide as it was.
   *
   * @param running another one after each boot, which writes a guide of its own
   */
  keep(sandbox: SandboxRef, running: RunningSandbox): { stop(): void };
}

interface ActionsGuideContext extends Pick<OwnerContext, "organization" | "session"> {
  readonly deps: Pick<RunnerDeps, "availableActions" | "store" | "log"> & {
    readonly provider: Pick<SandboxProvider, "execCommand">;
  };
}

const writeLimitMs = 10_000;
/** The word of a change may come before the change can be read, and changes come in numbers. */
const settleMs = 500;

export const createActionsGuide = ({
  organization,
  session: sessionId,
  deps: { availableActions, store, provider, log },
}: ActionsGuideContext): ActionsGuide => {
  let written: { readonly guide: string; readonly running: RunningSandbox } | null = null;
  // One after the other, since all write the same file; what was begun for the last prompt may be slow.
  let last: Promise<void> = Promise.resolve();

  const write = async (sandbox: SandboxRef, running: RunningSandbox): Promise<void> => {
    if (!provider.execCommand) return;
    const guide = guideWith(await availableActions({ organization, sessionId }));
    if (guide === written?.guide && running === written.running) return;
    const script = 'mkdir -p "$(dirname "$1")" && cat > "$1"';
    const { exitCode, stderr } = await provider.execCommand(
      sandbox,
      ["sh", "-c", script, "sh", actionsGuidePath],
      { stdin: guide, timeoutMs: writeLimitMs },
    );
    if (exitCode !== 0) throw new Error(`The guide could not be written: ${stderr.slice(0, 500)}`);
    written = { guide, running };
  };

  const writeNext = (sandbox: SandboxRef, running: RunningSandbox): Promise<void> =>
    (last = last
      .then(() => write(sandbox, running))
      .catch((error: unknown) => {
        log.warn({ err: error, sessionId }, "the guide of a workspace is not up to date");
      }));

  const follow = async (writeIt: () => Promise<void>, changes: Bell, signal: AbortSignal) => {
    for (;;) {
      await writeIt();
      await changes.wait(signal);
      // What it is stopped for ends the pause, too, and nothing else does.
      await delay(settleMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  };

  return {
    keep: (sandbox, running) => {
      const changes = createBell();
      const watching = watchPolicy(store, organization, () => changes.ring());
      const stopping = new AbortController();
      void follow(() => writeNext(sandbox, running), changes, stopping.signal);
      return {
        stop: () => {
          watching.stop();
          stopping.abort();
        },
      };
    },
  };
};

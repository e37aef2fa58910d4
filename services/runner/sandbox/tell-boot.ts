import type { SandboxRequest } from "#sandbox/provider/provider";
import type { OwnerContext } from "../owner-context.ts";

/** What a provider calls while a sandbox boots, so that those who watch see how far it is. */
export const tellBoot = ({
  tell,
  deps,
  session,
}: OwnerContext): Required<Pick<SandboxRequest, "onStage" | "onAdditionalStage">> => ({
  onStage: (report) => {
    deps.onBootStage?.(report);
    tell({ type: "boot_stage", phase: "essential", ...report });
  },
  onAdditionalStage: (report) => {
    deps.onBootStage?.(report);
    // What there was nothing to do for is no news to people.
    if (report.outcome !== "skipped") {
      tell({ type: "boot_stage", phase: "additional", ...report });
    }
    if (report.outcome === "failed") {
      deps.log.warn({ sessionId: session, ...report }, "an additional boot stage has failed");
    }
  },
});

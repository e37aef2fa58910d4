import type { SessionStatus } from "#contracts/session/view";
import { duration } from "../ui/time-text.ts";
import type { BootStage } from "./session-state.ts";
import { statusShown } from "./session-status.ts";

/** Stages of a boot in words; one that is missing here is shown by its own name. */
const stageNames: Readonly<Record<string, string>> = {
  folder: "Made the workspace",
  clone: "Cloned the repository",
  agent_files: "Wrote the agent's files",
  launch: "Launched the agent",
  ready: "The agent is ready",
  git_identity: "Set the author of commits",
  freshness: "Pulled the repositories",
  env_files: "Wrote the environment files",
  services: "Started the image's services",
  sidecar: "Started the sidecar",
  service_commands: "Started the repository's services",
};

interface BootProgressProps {
  readonly stages: readonly BootStage[];
  readonly status: SessionStatus;
}

/** How far the sandbox has come. */
export const BootProgress = ({ stages, status }: BootProgressProps) => (
  <section className="boot" aria-label="Sandbox">
    <BootStages stages={stages} />
    <p className="working" role="status">
      <span className="spinner" aria-hidden="true" />
      {status === "starting" ? "Starting the sandbox" : statusShown[status].label}
    </p>
  </section>
);

/** The stages that are done and how long each took. */
export const BootStages = ({ stages }: Pick<BootProgressProps, "stages">) => (
  <ol className="plain-list boot-stages">
    {stages.map(({ stage, ms, outcome, detail }) => (
      <li key={stage}>
        <span>
          {stageNames[stage] ?? stage.replaceAll("_", " ")}
          {outcome === "failed" && <strong> (failed{detail !== null && `: ${detail}`})</strong>}
        </span>
        <span className="muted">{duration(ms)}</span>
      </li>
    ))}
  </ol>
);

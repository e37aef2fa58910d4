/** Opens the session of each run that begins. */
import type { OrganizationId, RunId } from "#contracts/ids";
import { workspaceRoot } from "#contracts/repository";
import { type CommandMeta, newCommandMeta } from "#event-store/command-meta";
import { eventsOf } from "#event-store/aggregates/load";
import { reactionId, type ReactorOptions, startReactor } from "#event-store/workers/reactor";
import type { RecordedCommit } from "#event-store/reading/recorded";
import type { Worker } from "#event-store/workers/worker";
import { createSession, type CreateSessionDeps } from "../sessions/creation/create-session.ts";
import { openRunSession } from "./commands.ts";

const name = "run-opener";

export interface RunOpenerDeps extends CreateSessionDeps {
  readonly log: CreateSessionDeps["log"] & ReactorOptions["log"];
}

export const startRunOpener = (deps: RunOpenerDeps): Promise<Worker> =>
  startReactor(deps.store, {
    name,
    aggregates: ["run"],
    events: ["TriggerMatched"],
    log: deps.log,
    react: (recorded) => openSession(deps, recorded),
  });

/**
 * Two commands on two aggregates: the session's id follows from the run's, so whoever repeats this
 * after a crash between the two finds the same session.
 */
export const openSession = async (deps: RunOpenerDeps, recorded: RecordedCommit): Promise<void> => {
  const events = eventsOf(recorded);
  const matched = events.find((event) => event.type === "TriggerMatched");
  if (!matched) return;
  const configured = events.find((event) => event.type === "RunConfigured")?.data;
  const { title, prompt, repository } = matched.data;
  const organization = recorded.ref.organization as OrganizationId;
  const runId = recorded.ref.id as RunId;
  const { sessionId } = await createSession(
    deps,
    {
      organization,
      title,
      origin: { kind: "automation", runId },
      repositories: repository ? [{ ...repository, path: workspaceRoot }] : [],
      configurationId: configured?.configurationId ?? undefined,
      connections: configured?.connections ?? undefined,
      prompt: { text: prompt, by: runId },
      idempotencyKey: runId,
    },
    metaOf(recorded, "session"),
  );
  await openRunSession(deps.store, { organization, id: runId }, sessionId, metaOf(recorded, "run"));
};

const metaOf = (recorded: RecordedCommit, step: string): CommandMeta =>
  newCommandMeta({
    actor: { kind: "service", id: name, via: "reactor" },
    commandId: reactionId(recorded, name, step),
    causationId: recorded.commit.meta.commandId,
    correlationId: recorded.commit.meta.correlationId,
    trace: recorded.trace,
  });

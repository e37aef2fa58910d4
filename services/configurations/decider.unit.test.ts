import { it } from "vitest";
import type { ConfigurationCommand } from "#contracts/configuration/commands";
import type { ConfigurationEvent } from "#contracts/configuration/events";
import type { ConfigurationSettings } from "#contracts/configuration/settings";
import { derivedId } from "#contracts/ids";
import { deciderSpec } from "../testing/decider-spec.ts";
import { configurationDecider } from "./decider.ts";

const { given } = deciderSpec(configurationDecider);

const settings: ConfigurationSettings = {
  repositories: [{ url: "https://git.example.org/shop.git", ref: "main", path: "shop" }],
  serviceCommands: [],
  envFiles: null,
  previewPorts: [],
};
const first = derivedId("session", "first");
const second = derivedId("session", "second");
const fingerprint = "a".repeat(64);
const createdBy = derivedId("user", "admin");

const create: ConfigurationCommand = {
  type: "CreateConfiguration",
  name: "Shop",
  settings,
  createdBy,
  fingerprint,
};
const created: ConfigurationEvent = {
  type: "ConfigurationCreated",
  data: { name: "Shop", ...settings, createdBy, fingerprint },
};
const archived: ConfigurationEvent = { type: "ConfigurationArchived", data: {} };
const started = (sessionId = first): ConfigurationEvent => ({
  type: "ConfigurationSetupStarted",
  data: { sessionId },
});
const start = (sessionId = first, workspaceRevision = 1): ConfigurationCommand => ({
  type: "StartSetup",
  sessionId,
  workspaceRevision,
});
const snapshot = (snapshotId: string) => ({ snapshotId, provider: "local", versionKey: null });
const save = (sessionId: typeof first, snapshotId = "snap-1"): ConfigurationCommand => ({
  type: "SaveSetupSnapshot",
  sessionId,
  snapshot: snapshot(snapshotId),
});
const saved = (sessionId = first, snapshotId = "snap-1"): ConfigurationEvent => ({
  type: "ConfigurationSnapshotSaved",
  data: { sessionId, snapshot: snapshot(snapshotId) },
});
const web = [{ name: "web", command: "npm start" }];
const elsewhere = [{ url: "https://git.example.org/other.git", ref: "main", path: "other" }];

it("is created once, and its key belongs to that one request", () => {
  given().when(create).then(created);
  given(created).when(create).then();
  given(created)
    .when({ ...create, fingerprint: "b" })
    .thenRejects("idempotency_key_reused");
  given().when({ type: "ArchiveConfiguration" }).thenRejects("configuration_not_found");
});

it("changes what is named in one commit, and keeps the rest", () => {
  given(created)
    .when({ type: "ChangeConfiguration", changes: { name: "Store", serviceCommands: web } })
    .then(
      { type: "ConfigurationRenamed", data: { name: "Store" } },
      {
        type: "ConfigurationUpdated",
        data: { ...settings, serviceCommands: web, workspaceRevision: 1 },
      },
    );
  given(created)
    .when({ type: "ChangeConfiguration", changes: { name: "Shop", envFiles: null } })
    .then();
});

it("takes the services and the snapshot of its setup session", () => {
  given(created).when(start()).then(started());
  given(created, started()).when(start()).then();
  given(created, started())
    .when({ type: "SaveSetupServices", sessionId: first, serviceCommands: web })
    .then({
      type: "ConfigurationServicesSaved",
      data: { sessionId: first, serviceCommands: web },
    });
  given(created, started()).when(save(first)).then(saved());
  given(created, started(), saved()).when(save(first)).then();
  given(created, started(), saved()).when(save(first, "snap-2")).then(saved(first, "snap-2"));
});

it("does not listen to a setup session once another one has begun", () => {
  given(created, started(), started(second)).when(save(first)).then();
  given(created, started(), started(second)).when(start(first)).then();
  given(created, started(), started(second)).when({ type: "EndSetup", sessionId: first }).then();
});

it("has nothing of a setup for other repositories", () => {
  const moved: ConfigurationEvent = {
    type: "ConfigurationUpdated",
    data: { ...settings, repositories: elsewhere, workspaceRevision: 2 },
  };
  given(created, started(), saved())
    .when({ type: "ChangeConfiguration", changes: { repositories: elsewhere } })
    .then(moved);
  given(created, started(), saved(), moved).when(save(first)).then();
  // The same snapshot counts as new: the former one is void.
  given(created, started(), saved(), moved, started(second)).when(save(second)).then(saved(second));
  // Made from the former repositories, though its word comes late.
  given(created, moved).when(start(first, 1)).then();
});

const former = (snapshotId: string) => ({ snapshotId, provider: "local" });
const left = (...ids: readonly string[]): ConfigurationEvent => ({
  type: "ConfigurationSnapshotsLeft",
  data: { sessionId: first, snapshots: ids.map(former) },
});
const discarded = (snapshotId: string): ConfigurationEvent => ({
  type: "ConfigurationSnapshotDiscarded",
  data: { snapshot: former(snapshotId) },
});
const discard = (snapshotId: string): ConfigurationCommand => ({
  type: "DiscardSnapshot",
  snapshotId,
});

it("gives up a snapshot once, and only a former one", () => {
  const replaced = [created, started(), saved(), saved(first, "snap-2")] as const;
  given(...replaced)
    .when(discard("snap-1"))
    .then(discarded("snap-1"));
  given(...replaced, discarded("snap-1"))
    .when(discard("snap-1"))
    .then();
  given(...replaced)
    .when(discard("snap-2"))
    .then();
  given(...replaced, archived)
    .when(discard("snap-2"))
    .then(discarded("snap-2"));
  // A late word of its setup session does not bring it back.
  given(...replaced, discarded("snap-1"))
    .when(save(first))
    .then();
  // One that is still there may come back, and is no former one then.
  given(...replaced, saved(first))
    .when(discard("snap-1"))
    .then();
});

it("learns what a deleted setup session has left beside what counts, also of one that does not count", () => {
  const leave = (...ids: readonly string[]): ConfigurationCommand => ({
    type: "LeaveSnapshots",
    sessionId: first,
    snapshots: ids.map(former),
  });
  given(created, started(), saved()).when(leave("snap-1", "snap-0")).then(left("snap-0"));
  given(created, started(), saved()).when(leave("snap-1")).then();
  given(created, left("snap-0")).when(leave("snap-0")).then();
  given(created, left("snap-0"), discarded("snap-0")).when(leave("snap-0")).then();
  given(created, started(), started(second), archived).when(leave("snap-9")).then(left("snap-9"));
  given(created, left("snap-0")).when(discard("snap-0")).then(discarded("snap-0"));
});

it("forgets a setup session that has ended, and keeps what it has saved", () => {
  const ended: ConfigurationEvent = { type: "ConfigurationSetupEnded", data: { sessionId: first } };
  given(created, started()).when({ type: "EndSetup", sessionId: first }).then(ended);
  given(created, started(), saved(), ended).when(save(first)).then();
  given(created, started(), saved(), ended).when(save(first, "snap-2")).then();
});

it("stays as it is once it is archived, whatever a session still says", () => {
  given(created, archived).when({ type: "ArchiveConfiguration" }).then();
  given(created, archived)
    .when({ type: "ChangeConfiguration", changes: { name: "Store" } })
    .thenRejects("configuration_archived");
  given(created, started(), archived).when(save(first)).then();
});

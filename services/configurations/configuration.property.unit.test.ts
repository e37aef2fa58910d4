import fc from "fast-check";
import type { ConfigurationCommand } from "#contracts/configuration/commands";
import { configurationEvents } from "#contracts/configuration/events";
import type { ConfigurationSettings } from "#contracts/configuration/settings";
import { derivedId } from "#contracts/ids";
import { describeDecider } from "#event-store/testing/decider-properties";
import { configurationDecider } from "./decider.ts";

const type = <T extends ConfigurationCommand["type"]>(text: T) => fc.constant(text);
const name = fc.constantFrom("a", "b");
const sessionId = fc.constantFrom(derivedId("session", "1"), derivedId("session", "2"));
const serviceCommands = fc.constantFrom<ConfigurationSettings["serviceCommands"][]>(
  [],
  [{ name: "web", command: "npm start" }],
);
const repositories = fc.constantFrom<ConfigurationSettings["repositories"][]>(
  [],
  [{ url: "https://git.example.org/shop.git", ref: "main", path: "." }],
);
const envFiles = fc.constantFrom<ConfigurationSettings["envFiles"][]>(null, {
  files: [{ path: ".env", variables: [{ name: "TOKEN", required: true }] }],
});
const previewPorts = fc.constantFrom<number[][]>([], [3000, 8080]);
const settings = fc.record({ repositories, serviceCommands, envFiles, previewPorts });

describeDecider("a configuration", {
  decider: configurationDecider,
  events: configurationEvents,
  commands: fc.oneof<fc.Arbitrary<ConfigurationCommand>[]>(
    fc.record({
      type: type("CreateConfiguration"),
      name,
      settings,
      createdBy: fc.constant(derivedId("user", "1")),
      fingerprint: name,
    }),
    fc.record({
      type: type("ChangeConfiguration"),
      changes: fc.record(
        { name, repositories, serviceCommands, envFiles, previewPorts },
        { requiredKeys: [] },
      ),
    }),
    fc.record({
      type: type("StartSetup"),
      sessionId,
      workspaceRevision: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ type: type("SaveSetupServices"), sessionId, serviceCommands }),
    fc.record({
      type: type("SaveSetupSnapshot"),
      sessionId,
      snapshot: fc.record({
        snapshotId: name,
        provider: fc.constant("local"),
        versionKey: fc.constant(null),
      }),
    }),
    fc.record({ type: type("EndSetup"), sessionId }),
    fc.record({
      type: type("LeaveSnapshots"),
      sessionId,
      snapshots: fc.uniqueArray(
        fc.record({ snapshotId: fc.constantFrom("a", "b", "c"), provider: fc.constant("local") }),
        { selector: ({ snapshotId }) => snapshotId },
      ),
    }),
    fc.record({ type: type("DiscardSnapshot"), snapshotId: fc.constantFrom("a", "b", "c") }),
    fc.record({ type: type("ArchiveConfiguration") }),
  ),
  repeated: {
    CreateConfiguration: "nothing",
    ChangeConfiguration: "nothing",
    StartSetup: "nothing",
    SaveSetupServices: "nothing",
    SaveSetupSnapshot: "nothing",
    EndSetup: "nothing",
    LeaveSnapshots: "nothing",
    DiscardSnapshot: "nothing",
    ArchiveConfiguration: "nothing",
  },
});

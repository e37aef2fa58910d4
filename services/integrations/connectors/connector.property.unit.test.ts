import fc from "fast-check";
import type { ConnectorCommand } from "#contracts/connector/commands";
import { connectorEvents, type ConnectorTarget } from "#contracts/connector/events";
import { describeDecider } from "#event-store/testing/decider-properties";
import { connectorDecider } from "./decider.ts";

const connector = fc.constantFrom("tracker", "docs", "constructor");
const credentials = fc.constantFrom(
  "crd_01K8Q4ZJ0000000000000000C1" as const,
  "crd_01K8Q4ZJ0000000000000000C2" as const,
);
// Few, so that a change often begins with what there is.
const target = fc.constantFrom<ConnectorTarget>(
  { kind: "mcp", url: "https://tracker.example/mcp", auth: "oauth" },
  { kind: "mcp", url: "https://tracker.example/v2", auth: "none" },
);
const settings = fc.record({ target, credentials });

const commands = fc.oneof(
  fc
    .tuple(connector, fc.constantFrom("A", "B"), settings)
    .map(([id, name, given]): ConnectorCommand => ({
      type: "CreateConnector",
      connector: id,
      name,
      ...given,
    })),
  fc.record({
    type: fc.constant("ChangeConnector" as const),
    connector,
    name: fc.option(fc.constantFrom("A", "B")),
    settings: fc.option(fc.record({ from: settings, to: settings })),
  }),
  fc.tuple(connector, credentials).map(([id, given]): ConnectorCommand => ({
    type: "AuthorizeConnector",
    connector: id,
    credentials: given,
  })),
  connector.map((id): ConnectorCommand => ({ type: "RemoveConnector", connector: id })),
);

describeDecider("connectors", {
  decider: connectorDecider,
  events: connectorEvents,
  commands,
  repeated: {
    CreateConnector: ["connector_exists"],
    ChangeConnector: "nothing",
    AuthorizeConnector: "events",
    RemoveConnector: "nothing",
  },
});

import fc from "fast-check";
import type { ConnectorCommand } from "#contracts/connector/commands";
import { connectorEvents } from "#contracts/connector/events";
import { arbitraryOf } from "#event-store/testing/arbitrary-of";
import { describeDecider } from "#event-store/testing/decider-properties";
import { connectorDecider } from "./decider.ts";

const [created] = connectorEvents;
const connector = fc.constantFrom("tracker", "docs", "constructor");
const credentials = fc.constantFrom(
  "crd_01K8Q4ZJ0000000000000000C1" as const,
  "crd_01K8Q4ZJ0000000000000000C2" as const,
);
const settings = fc.record({ target: arbitraryOf(created.data.shape.target), credentials });

const commands = fc.oneof(
  fc
    .tuple(connector, fc.constantFrom("A", "B"), settings)
    .map(([id, name, given]): ConnectorCommand => ({
      type: "CreateConnector",
      connector: id,
      name,
      ...given,
    })),
  fc
    .tuple(connector, settings)
    .map(([id, given]): ConnectorCommand => ({ type: "ChangeConnector", connector: id, ...given })),
  fc
    .tuple(connector, fc.constantFrom("A", "B"))
    .map(([id, name]): ConnectorCommand => ({ type: "RenameConnector", connector: id, name })),
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
    ChangeConnector: "events",
    RenameConnector: "nothing",
    AuthorizeConnector: "events",
    RemoveConnector: "nothing",
  },
});

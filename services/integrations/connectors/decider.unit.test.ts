import { describe, expect, it } from "vitest";
import type { ConnectorEvent } from "#contracts/connector/events";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { connectorDecider, type ConnectorRecord } from "./decider.ts";

const { given } = deciderSpec(connectorDecider);
const [first, second] = [
  "crd_01K8Q4ZJ0000000000000000C1",
  "crd_01K8Q4ZJ0000000000000000C2",
] as const;
const oauth = { kind: "mcp", url: "https://tracker.example.test/mcp", auth: "oauth" } as const;
const created = (connector = "tracker"): ConnectorEvent => ({
  type: "ConnectorCreated",
  data: { connector, name: "Tracker", target: oauth, credentials: first },
});

describe("a connector", () => {
  it("of an organisation has a name that no other one has", () => {
    const command = {
      type: "CreateConnector",
      connector: "tracker",
      name: "Another",
      target: oauth,
      credentials: second,
    } as const;
    given()
      .when(command)
      .then({
        type: "ConnectorCreated",
        data: { connector: "tracker", name: "Another", target: oauth, credentials: second },
      });
    given(created()).when(command).thenRejects("connector_exists");
    const many = Array.from({ length: 50 }, (_, n) => created(`other-${n}`));
    given(...many)
      .when(command)
      .thenRejects("too_many_connectors");
  });

  it("is authorized for the settings that a person has seen, and not for later ones", () => {
    const authorize = { type: "AuthorizeConnector", connector: "tracker" } as const;
    const changed: ConnectorEvent = {
      type: "ConnectorChanged",
      data: { connector: "tracker", target: oauth, credentials: second, authorized: false },
    };
    const authorized: ConnectorEvent = {
      type: "ConnectorAuthorized",
      data: { connector: "tracker" },
    };
    given(created())
      .when({ ...authorize, credentials: first })
      .then(authorized);
    given(created(), changed)
      .when({ ...authorize, credentials: first })
      .thenRejects("connector_authorization_invalid");
    const state = given(created(), authorized, changed).state();
    expect(state.connectors["tracker"]).toMatchObject({ authorized: false });
  });

  it("is changed from what the change was thought for, in one commit, and once", () => {
    type Settings = Pick<ConnectorRecord, "target" | "credentials">;
    const from: Settings = { target: oauth, credentials: first };
    const elsewhere = { ...oauth, url: "https://tracker.example.test/v2" };
    const to: Settings = { target: elsewhere, credentials: first };
    const change = (name: string | null, settings: { from: Settings; to: Settings }) =>
      ({ type: "ChangeConnector", connector: "tracker", name, settings }) as const;
    const moved = (authorized: boolean): ConnectorEvent => ({
      type: "ConnectorChanged",
      data: { connector: "tracker", ...to, authorized },
    });
    const renamed: ConnectorEvent = {
      type: "ConnectorRenamed",
      data: { connector: "tracker", name: "T" },
    };
    given(created()).when(change("T", { from, to })).then(renamed, moved(false));
    given(created(), renamed, moved(false)).when(change("T", { from, to })).then();
    given(created(), moved(false))
      .when(change(null, { from, to: { ...to, credentials: second } }))
      .thenRejects("connector_changed");
    // What a person has let us have stays with its credentials, and goes with them.
    const authorized: ConnectorEvent = {
      type: "ConnectorAuthorized",
      data: { connector: "tracker" },
    };
    given(created(), authorized).when(change(null, { from, to })).then(moved(true));
    given(created(), authorized)
      .when(change(null, { from, to: { target: oauth, credentials: second } }))
      .then({
        type: "ConnectorChanged",
        data: { connector: "tracker", target: oauth, credentials: second, authorized: false },
      });
  });

  it("that is not there cannot be changed, and is removed already", () => {
    const connector = "constructor";
    given()
      .when({ type: "ChangeConnector", connector, name: "x", settings: null })
      .thenRejects("connector_not_found");
    given().when({ type: "RemoveConnector", connector }).then();
    given(created(connector))
      .when({ type: "RemoveConnector", connector })
      .then({ type: "ConnectorRemoved", data: { connector } });
  });
});

import { expect, it } from "vitest";
import type { AvailableIntegration } from "#contracts/actions/definition";
import { newId } from "#contracts/ids";
import type { RuleView } from "#contracts/policy/view";
import { connectionsOf, type KnownConnections, standingOf } from "./connection.ts";
import { switchOffRule, switchOffRulesOf } from "./switch-off.ts";

const listed = (id: string, problem: AvailableIntegration["problem"] = null) => ({
  ...{ id, name: id, problem, leftOut: [], actions: [] },
});
const mcp = (connector: string, authorized = true) => ({
  ...{ connector, name: connector, authorized },
  target: { kind: "mcp", url: "https://mcp.example/", auth: "oauth" } as const,
});
const known: KnownConnections = {
  connectors: [mcp("down"), mcp("tracker"), mcp("waiting", false)],
  vendors: [
    { vendor: "sentry", name: "Sentry", connected: true, baseUrl: null },
    { vendor: "slack", name: "Slack", connected: false, baseUrl: null },
  ],
  available: [
    listed("demo"),
    listed("sentry"),
    listed("tracker"),
    listed("down", { code: "integration_unreachable", message: "It cannot be reached." }),
    listed("waiting", { code: "integration_unauthorized", message: "It has no credentials." }),
  ],
};

it("lists what is set up once, each as it stands", () => {
  const standing = connectionsOf(known).map((one) => [
    ...[one.id, one.kind, standingOf(one, false).label],
  ]);
  expect(standing).toEqual([
    ["down", "connector", "Has a problem"],
    ["tracker", "connector", "Reachable"],
    ["waiting", "connector", "Needs authorization"],
    ["sentry", "vendor", "Connected"],
    ["demo", "installation", "Reachable"],
  ]);
});

it("lists what is set up before anything was asked, and claims nothing of it", () => {
  const standing = connectionsOf({ ...known, available: null }).map((one) => [
    ...[one.id, standingOf(one, false).label],
  ]);
  expect(standing).toEqual([
    ["down", "Not known yet"],
    ["tracker", "Not known yet"],
    ["waiting", "Needs authorization"],
    ["sentry", "Not known yet"],
  ]);
});

it("takes only those rules for a switch that refuse everything, everywhere and always", () => {
  const off = switchOffRule("tracker");
  const rules: readonly RuleView[] = [
    off,
    { ...off, integration: "demo" },
    { ...off, action: "act" },
    { ...off, mode: "require_approval" as const },
    { ...off, expiresAt: "2100-01-01T00:00:00Z" },
    { ...off, scope: { kind: "session" as const, sessionId: newId("session") } },
    { ...off, conditions: [{ op: "equals" as const, path: "team", value: "ops" }] },
    off,
  ].map((rule) => ({
    ...rule,
    ...{ id: newId("rule"), by: "usr", byName: null, at: "2026-01-01T00:00:00Z", spent: null },
  }));
  expect(switchOffRulesOf("tracker", rules)).toEqual([rules[0], rules.at(-1)]);
});

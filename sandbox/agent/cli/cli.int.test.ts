import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import type { invokeAction } from "#contracts/http/actions";
import { newId } from "#contracts/ids";
import type { InvocationStatus } from "#contracts/invocation/status";
import type { InvocationView } from "#contracts/invocation/view";
import { positionSchema } from "#contracts/position";
import { bundleCli } from "../bundle-cli.ts";
import { exitCodes } from "./exit-codes.ts";
import {
  startGatewayStandIn,
  type GatewayStandIn,
  type StandInReply,
} from "./testing/gateway-stand-in.ts";

const sessionId = newId("session");
const invocationId = newId("invocation");
const position = positionSchema.parse("0:7");

let folder: string;
let cli: string;
let gateway: GatewayStandIn | null = null;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-cli-"));
  cli = path.join(folder, "proliferate.mjs");
  await writeFile(cli, await bundleCli());
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const proliferate = (url: string, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = {
      PROLIFERATE_GATEWAY_URL: url,
      PROLIFERATE_SESSION_ID: sessionId,
      PROLIFERATE_SANDBOX_TOKEN: "sbx1.a.b",
    };
    execFile(process.execPath, [cli, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });

const run = [
  "actions",
  "run",
  "--integration",
  "demo",
  "--action",
  "publish",
  "--params",
  '{"version":"1.0.0"}',
];

const invoked = (
  status: InvocationStatus,
  result?: unknown,
): z.infer<(typeof invokeAction.responses)[200]> => ({
  invocation: { id: invocationId, status },
  position,
  message: "",
  ...(result !== undefined && { result }),
});

const view = (status: InvocationStatus, more: Partial<InvocationView> = {}): InvocationView => ({
  id: invocationId,
  sessionId,
  integration: "demo",
  action: "publish",
  params: {},
  risk: "write",
  mode: "require_approval",
  modeSource: "inferred",
  ruleId: null,
  drifted: false,
  editedParams: null,
  status,
  resolvedBy: null,
  reason: null,
  result: null,
  fullResult: null,
  failure: null,
  expiresAt: null,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
  ...more,
});

const problem = (status: number, code: string): StandInReply => ({
  status,
  body: { type: "about:blank", title: code, status, detail: `It said ${code}.`, code },
});

test("an action that runs at once prints its result", async () => {
  gateway = await startGatewayStandIn([
    { status: 200, body: invoked("completed", { released: true }) },
  ]);
  expect(await proliferate(gateway.url, ...run)).toEqual({
    code: exitCodes.done,
    stdout: '{\n  "released": true\n}\n',
    stderr: "",
  });
  expect(gateway.requests).toEqual([
    {
      method: "POST",
      path: `/v1/sessions/${sessionId}/actions/invoke`,
      authorization: "Bearer sbx1.a.b",
      body: {
        integration: "demo",
        action: "publish",
        params: { version: "1.0.0" },
        idempotencyKey: expect.stringMatching(/^[\w-]{20,}$/) as string,
      },
    },
  ]);
});

test("an action that needs approval is waited for", async () => {
  gateway = await startGatewayStandIn([
    { status: 202, body: invoked("pending") },
    { status: 200, body: view("pending") },
    { status: 200, body: view("executing") },
    { status: 200, body: view("completed", { result: "released" }) },
  ]);
  const ended = await proliferate(gateway.url, ...run);
  expect(ended).toMatchObject({ code: exitCodes.done, stdout: '"released"\n' });
  expect(ended.stderr).toContain("approval");
  expect(gateway.requests.slice(1).map((request) => request.path)).toEqual(
    Array(3).fill(
      `/v1/sessions/${sessionId}/actions/invocations/${invocationId}?after=${encodeURIComponent(position)}`,
    ),
  );
});

test.each<[InvocationStatus, Partial<InvocationView>, number, RegExp]>([
  [
    "denied",
    { resolvedBy: "ada", reason: "not today" },
    exitCodes.denied,
    /denied by ada: not today/,
  ],
  ["expired", {}, exitCodes.expired, /expired/],
  [
    "failed",
    { failure: { code: "x", message: "no such tag" } },
    exitCodes.failed,
    /failed: no such tag/,
  ],
  ["outcome_unknown", {}, exitCodes.outcomeUnknown, /not known/],
])(
  "an invocation that ends as %s says so and prints no result",
  async (status, more, code, sentence) => {
    gateway = await startGatewayStandIn([
      { status: 202, body: invoked("pending") },
      { status: 200, body: view(status, more) },
    ]);
    const ended = await proliferate(gateway.url, ...run);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(sentence);
  },
);

test("a lost answer is asked for again under the same key", async () => {
  gateway = await startGatewayStandIn([
    "drop",
    { status: 502, body: "bad gateway" },
    problem(503, "log_unavailable"),
    { status: 200, body: invoked("completed", 1) },
  ]);
  expect(await proliferate(gateway.url, ...run)).toMatchObject({
    code: exitCodes.done,
    stdout: "1\n",
  });
  const keys = gateway.requests.map(
    ({ body }) => (body as { idempotencyKey: string }).idempotencyKey,
  );
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
});

test.each([
  [403, "action_denied", exitCodes.denied],
  [422, "action_params_invalid", exitCodes.usage],
  [502, "action_failed", exitCodes.failed],
  [401, "token_expired", exitCodes.refused],
])("a refusal (%i %s) is final and ends with %i", async (status, code, exitCode) => {
  gateway = await startGatewayStandIn([problem(status, code)]);
  const ended = await proliferate(gateway.url, ...run);
  expect(ended).toMatchObject({ code: exitCode, stdout: "" });
  expect(ended.stderr).toContain(`It said ${code}.`);
  expect(gateway.requests).toHaveLength(1);
});

test("--no-wait and --timeout do not wait for the approval", async () => {
  gateway = await startGatewayStandIn([{ status: 202, body: invoked("pending") }]);
  const left = await proliferate(gateway.url, ...run, "--no-wait");
  expect(left.code).toBe(exitCodes.done);
  expect(JSON.parse(left.stdout)).toEqual({ invocation: { id: invocationId, status: "pending" } });
  await gateway.close();

  gateway = await startGatewayStandIn([
    { status: 202, body: invoked("pending") },
    { status: 200, body: view("pending") },
  ]);
  const late = await proliferate(gateway.url, ...run, "--timeout", "0.1");
  expect(late).toMatchObject({ code: exitCodes.timeout, stdout: "" });
});

test("list and guide print what the control plane says", async () => {
  const integrations = [{ id: "demo", name: "Demo", problem: null, leftOut: [], actions: [] }];
  gateway = await startGatewayStandIn([
    { status: 200, body: { integrations } },
    { status: 200, body: { guide: "# Demo" } },
  ]);
  expect(JSON.parse((await proliferate(gateway.url, "actions", "list")).stdout)).toEqual({
    integrations,
  });
  const guide = await proliferate(gateway.url, "actions", "guide", "--integration", "de mo");
  expect(guide).toMatchObject({ code: exitCodes.done, stdout: "# Demo\n" });
  expect(gateway.requests[1]?.path).toBe(`/v1/sessions/${sessionId}/actions/guide/de%20mo`);
});

test.each([
  ["bad JSON", [...run.slice(0, -1), "{"]],
  ["an array", [...run.slice(0, -1), "[]"]],
  ["a missing option", run.slice(0, 4)],
  ["a bad timeout", [...run, "--timeout", "soon"]],
])("%s on the command line is refused before anything is sent", async (_name, args) => {
  gateway = await startGatewayStandIn([]);
  const ended = await proliferate(gateway.url, ...args);
  expect(ended).toMatchObject({ code: exitCodes.usage, stdout: "" });
  expect(ended.stderr).not.toBe("");
  expect(gateway.requests).toEqual([]);
});

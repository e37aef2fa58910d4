/** What the sidecar makes of requests that nobody should send, endpoint by endpoint. */
import { execFile } from "node:child_process";
import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import {
  startSidecarHarness,
  testToken,
  type Call,
  type SidecarHarness,
} from "../testing/sidecar-harness.ts";

const run = promisify(execFile);

let sidecar: SidecarHarness;

beforeAll(async () => {
  sidecar = await startSidecarHarness();
  const { folder, workspace } = sidecar;
  await writeFile(path.join(folder, "secret"), "outside");
  await mkdir(path.join(folder, "workspace-twin"));
  await writeFile(path.join(workspace, "file"), "inside");
  await writeFile(path.join(workspace, "large"), Buffer.alloc(10 * 1024 * 1024, "x"));
  await symlink("../secret", path.join(workspace, "to-secret"));
  await symlink("..", path.join(workspace, "to-folder"));
  await symlink("loop", path.join(workspace, "loop"));
  await symlink("file", path.join(workspace, "to-file"));
  await run("mkfifo", [path.join(workspace, "pipe")]);
  await makeRepository(path.join(folder, "elsewhere"));
  await makeRepository(path.join(workspace, "repo"));
  await mkdir(path.join(workspace, "worktree"));
  await writeFile(path.join(workspace, "worktree", ".git"), `gitdir: ${folder}/elsewhere/.git\n`);
});
afterAll(() => sidecar.close());

const makeRepository = async (folder: string): Promise<void> => {
  await mkdir(folder);
  await run("git", ["init", "-q", folder]);
};

/** Names of things outside, in the spellings of attackers, and what each is answered with. */
const paths: readonly (readonly [name: string, spelling: string, codes: readonly string[]])[] = [
  ["dots", "../secret", ["path_outside_workspace"]],
  ["dots after a folder", "repo/../../secret", ["path_outside_workspace"]],
  ["an absolute path", "/etc/passwd", ["path_outside_workspace"]],
  ["a sibling with the same beginning", "../workspace-twin", ["path_outside_workspace"]],
  ["a NUL", "file\0.png", ["path_outside_workspace", "request_invalid"]],
  ["an open file of the sidecar", "/proc/self/fd/0", ["path_outside_workspace"]],
  ["a link to a folder outside", "to-folder", ["path_outside_workspace", "file_unreadable"]],
  ["a path through a link", "to-folder/state", ["path_outside_workspace"]],
  ["a link to itself", "loop", ["file_unreadable", "file_not_found"]],
  ["a path that is too long", "a/".repeat(3_000), ["file_not_found", "request_invalid"]],
  ["a name that is too long", "a".repeat(300), ["file_not_found"]],
  ["shell metacharacters", "$(touch pwned);`touch pwned`|x&", ["file_not_found"]],
  ["an option", "--output=pwned", ["file_not_found"]],
];

const get = (base: string, query: Record<string, string>): Call => ({
  path: `${base}?${new URLSearchParams(query).toString()}`,
});

const put = (name: string, body: unknown): Call => ({
  method: "PUT",
  path: `/api/services/${name}`,
  body: JSON.stringify(body),
});

describe.each<readonly [endpoint: string, ask: (path: string) => Call]>([
  ["the files of a folder", (path) => get("/api/files", { path })],
  ["a file's content", (path) => get("/api/files/content", { path })],
  ["a repository's status", (repo) => get("/api/git/status", { repo })],
  ["a repository's diff", (repo) => get("/api/git/diff", { repo })],
  ["a service's folder", (cwd) => put("web", { command: "touch ../pwned", cwd })],
])("%s", (_endpoint, ask) => {
  test.each(paths)("is not given for %s", async (_name, spelling, codes) => {
    const answer = await sidecar.call(ask(spelling));
    expect(codes).toContain(answer.problem().code);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.bytes.toString()).not.toContain("root:");
    expect(answer.bytes.length).toBeLessThan(1_000);
  });

  test("is not given for an encoded path that is decoded twice", async () => {
    const call = ask("twice");
    const twice = encodeURIComponent("%2e%2e%2fsecret");
    const { code } = (
      await sidecar.call({
        ...call,
        path: call.path.replace("twice", twice),
        ...(call.body !== undefined && {
          body: String(call.body).replace("twice", "%2e%2e%2fsecret"),
        }),
      })
    ).problem();
    expect(code).toBe("file_not_found");
  });
});

const names = ["..%2f..%2fx", "%2e%2e", "a%2fb", "a%00b", "-rf", "a%3Brm", "a%24(x)", "a%0ab", ""];

describe.each<readonly [endpoint: string, ask: (name: string) => Call]>([
  ["starting", (name) => put(name, { command: "touch ../pwned" })],
  ["stopping", (name) => ({ method: "DELETE", path: `/api/services/${name}` })],
  ["restarting", (name) => ({ method: "POST", path: `/api/services/${name}/restart` })],
  ["the log of", (name) => ({ path: `/api/services/${name}/logs` })],
])("%s a service", (_endpoint, ask) => {
  test.each(names)("refuses the name %j", async (name) => {
    expect((await sidecar.call(ask(name))).problem().code).toMatch(
      /^(request_invalid|not_found|service_not_found)$/,
    );
  });
  test("refuses a path that is not well encoded", async () => {
    expect((await sidecar.call(ask("%zz"))).problem().code).toBe("request_malformed");
  });
});

const start = { method: "PUT", path: "/api/services/web" } as const;
const expose = { method: "POST", path: "/api/expose" } as const;

test.each<readonly [name: string, call: Call, code: string]>([
  ["no JSON", { ...start, body: "{" }, "request_malformed"],
  ["binary for JSON", { ...start, body: Buffer.from([0xff, 0, 1]) }, "request_malformed"],
  ["no body", start, "request_invalid"],
  ["an array", { ...start, body: "[]" }, "request_invalid"],
  ["no command", { ...start, body: "{}" }, "request_invalid"],
  ["an unknown field", { ...start, body: '{"command":"true","uid":0}' }, "request_invalid"],
  ["a NUL in the command", put("web", { command: "a\0b" }), "request_invalid"],
  ["a huge command", put("web", { command: "x".repeat(10_000) }), "request_invalid"],
  ["a bad variable", put("web", { command: "true", env: { "A=B": "1" } }), "request_invalid"],
  ["a NUL in a variable", put("web", { command: "true", env: { A: "\0" } }), "request_invalid"],
  ["a huge body", { ...start, body: Buffer.alloc(10_000_000, "x") }, "body_too_large"],
  ["a huge body to expose", { ...expose, body: Buffer.alloc(10_000_000, "1") }, "body_too_large"],
  ["no JSON to expose", { ...expose, body: "port=1" }, "request_malformed"],
  ["a port that is none", { ...expose, body: '{"port":70000}' }, "request_invalid"],
  ["a port as Caddy code", { ...expose, body: '{"port":"1 {\\n}"}' }, "request_invalid"],
  ["a port without a preview", { ...expose, body: '{"port":3000}' }, "preview_unavailable"],
  ["10 MB in one file", get("/api/files/content", { path: "large" }), "file_too_large"],
  ["a folder as a file", get("/api/files/content", { path: "repo" }), "file_unreadable"],
  ["a named pipe", get("/api/files/content", { path: "pipe" }), "file_unreadable"],
  ["a file as a folder", get("/api/files", { path: "file" }), "file_not_found"],
  [
    "a link to a file outside",
    get("/api/files/content", { path: "to-secret" }),
    "path_outside_workspace",
  ],
  ["no path", { path: "/api/files/content" }, "request_invalid"],
  [
    "a negative offset",
    get("/api/files/content", { path: "file", offset: "-1" }),
    "request_invalid",
  ],
  ["a huge slice", get("/api/files/content", { path: "file", limit: "1e12" }), "request_invalid"],
  ["a folder without a repository", get("/api/git/status", { repo: "." }), "repository_not_found"],
  [
    "a repository that is kept outside",
    get("/api/git/diff", { repo: "worktree" }),
    "path_outside_workspace",
  ],
  [
    "a diff of what is outside",
    get("/api/git/diff", { repo: "repo", path: "../../secret" }),
    "path_outside_workspace",
  ],
  [
    "a diff with a NUL",
    get("/api/git/diff", { repo: "repo", path: "a\0" }),
    "path_outside_workspace",
  ],
  [
    "a count of lines that is none",
    { path: "/api/services/web/logs?tail=many" },
    "request_invalid",
  ],
  ["too many lines", { path: "/api/services/web/logs?tail=1e9" }, "request_invalid"],
  ["a half way to follow", { path: "/api/services/web/logs?follow=perhaps" }, "request_invalid"],
  ["the log of no service", { path: "/api/services/web/logs" }, "service_not_found"],
  ["an unknown path", { path: "/api/../../etc/passwd" }, "not_found"],
  ["a wrong method", { method: "PATCH", path: "/api/services" }, "method_not_allowed"],
  [
    "a body where none is read",
    { path: "/nothing", body: "x", headers: { "content-length": "1" } },
    "not_found",
  ],
])("%s is refused", async (_name, call, code) => {
  const answer = await sidecar.call(call);
  expect(answer.problem().code).toBe(code);
  expect(answer.status).toBe(answer.problem().status);
});

const endpoints = [
  "GET /api/auth/check",
  "GET /api/services",
  "PUT /api/services/web",
  "POST /api/services/web",
  "DELETE /api/services/web",
  "POST /api/services/web/restart",
  "GET /api/services/web/logs",
  "POST /api/expose",
  "GET /api/git/repos",
  "GET /api/git/status",
  "GET /api/git/diff",
  "GET /api/files",
  "GET /api/files/content?path=file",
  "GET /api/terminals",
  "GET /nothing",
];

test.each(endpoints)("%s needs the token", async (endpoint) => {
  const [method = "", path = ""] = endpoint.split(" ");
  const call = { method, path };
  expect((await sidecar.call({ ...call, anonymous: true })).status).toBe(401);
  for (const authorization of [
    "Bearer wrong",
    "Bearer ",
    `Basic ${testToken}`,
    testToken,
    `Bearer ${testToken}x`,
  ]) {
    expect((await sidecar.call({ ...call, headers: { authorization } })).status).toBe(401);
  }
  expect((await sidecar.call(call)).status).not.toBe(401);
});

test("without a configured token nobody gets in, and health still answers", async () => {
  const closed = await startSidecarHarness({}, { token: null });
  try {
    expect((await closed.call({ path: "/api/services" })).status).toBe(401);
    expect(
      (await closed.call({ path: "/api/services", headers: { authorization: "Bearer null" } }))
        .status,
    ).toBe(401);
    expect((await closed.call({ path: "/api/health", anonymous: true })).json()).toEqual({
      status: "ok",
    });
  } finally {
    await closed.close();
  }
});

test.each<readonly [name: string, query: string, headers: Record<string, string>, status: number]>([
  ["without the token", "", {}, 401],
  ["with the token in the address", `?token=${testToken}`, {}, 401],
  [
    "from another page",
    "",
    { authorization: `Bearer ${testToken}`, origin: "https://evil.example" },
    403,
  ],
  ["under a bad name", "?name=../../x", { authorization: `Bearer ${testToken}` }, 422],
  ["at a bad size", "?cols=0", { authorization: `Bearer ${testToken}` }, 422],
])("no terminal opens %s", async (_name, query, headers, status) => {
  const socket = new WebSocket(`ws://127.0.0.1:${sidecar.port()}/api/terminal${query}`, {
    headers,
  });
  const answered = await new Promise<number | undefined>((resolve, reject) => {
    socket.once("unexpected-response", (_request, response) => resolve(response.statusCode));
    socket.once("open", () => reject(new Error("It opened.")));
    socket.on("error", reject);
  });
  expect(answered).toBe(status);
});

test("links that stay inside, slices and binary content are fine", async () => {
  const linked = await sidecar.call(get("/api/files/content", { path: "to-file" }));
  expect(linked.bytes.toString()).toBe("inside");
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  await writeFile(path.join(sidecar.workspace, "binary"), bytes);
  const binary = await sidecar.call(get("/api/files/content", { path: "binary" }));
  expect(binary.bytes.equals(bytes)).toBe(true);
  expect(binary.headers).toMatchObject({
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
  });
  const slice = await sidecar.call(
    get("/api/files/content", { path: "large", offset: "10485750", limit: "100" }),
  );
  expect(slice.bytes.toString()).toBe("x".repeat(10));
  expect(slice.headers["x-file-size"]).toBe("10485760");
});

test("a link that is swapped while requests run never shows what is outside", async () => {
  const target = path.join(sidecar.workspace, "swapped");
  const name = (index: number) => path.join(sidecar.workspace, `swap-${index % 2}`);
  let stop = false;
  const swap = async (): Promise<void> => {
    for (let index = 0; !stop; index += 1) {
      await symlink(index % 2 === 0 ? "file" : "../secret", name(index));
      await rename(name(index), target);
    }
  };
  await symlink("file", target);
  const swapping = swap();
  const seen = new Set<string>();
  for (let index = 0; index < 300; index += 1) {
    const answer = await sidecar.call(get("/api/files/content", { path: "swapped" }));
    seen.add(answer.status === 200 ? answer.bytes.toString() : answer.problem().code);
  }
  stop = true;
  await swapping;
  expect([...seen].filter((each) => !["inside", "path_outside_workspace"].includes(each))).toEqual(
    [],
  );
});

test("nothing of all this has run a command or surprised the sidecar", async () => {
  expect(await readdir(sidecar.folder)).not.toContain("pwned");
  expect(await readdir(sidecar.workspace)).not.toContain("pwned");
  expect(sidecar.reports).toEqual([]);
  expect((await sidecar.call({ path: "/api/services" })).json()).toMatchObject({ services: [] });
});

/** Git in a sandbox, through the gateway and a real sidecar, with real repositories and a GitHub that stands in. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as http from "#contracts/http/git";
import { createSession } from "#contracts/http/sessions";
import type { SessionId } from "#contracts/ids";
import { loadAggregate } from "#event-store/aggregates/load";
import {
  type SidecarHarness,
  startSidecarHarness,
  testToken,
} from "#sandbox/agent/testing/sidecar-harness";
import { type Client, createClient } from "../client/client.ts";
import { startTestGateway, type TestGateway } from "../gateway/testing/test-gateway.ts";
import { putCredentials } from "../integrations/connections/credentials.ts";
import { createOutbound, type Outbound } from "../integrations/outbound/outbound.ts";
import { type Secrets } from "../secrets/secrets.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import type { GitDeps } from "./operations.ts";
import { gitRoutes } from "./routes.ts";
import { type GithubServer, startGithubServer } from "./testing/github-server.ts";
import { type GitFanout, startGitFanout } from "./testing/git-fanout.ts";

const run = promisify(execFile);
const token = "ghs_a-token-that-must-not-stay";

let folder: string;
let sidecar: SidecarHarness;
let github: GithubServer;
let outbound: Outbound;
let gateway: TestGateway;
let fanout: GitFanout;
let owner: Client;
let member: Client;
let secrets: Secrets;
let sessionId: SessionId;
/** The repository in the sandbox. */
let shop: string;

const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await run("git", ["-c", "user.name=agent", "-c", "user.email=agent@test", ...args], { cwd }))
    .stdout;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "proliferate-test-git-"));
  outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"] });
  sidecar = await startSidecarHarness();
  await git(folder, "init", "-q", "--bare", "-b", "main", "acme/shop.git");
  github = await startGithubServer(folder, token);
  let deps: GitDeps | undefined;
  gateway = await startTestGateway({
    routes: (parts) => {
      secrets = parts.secrets;
      deps = {
        ...parts,
        outbound,
        findUser: parts.identity.findUser,
        sidecarToken: () => testToken,
        findEndpoints: () => {
          const url = `http://127.0.0.1:${sidecar.port()}`;
          const opencode = { baseUrl: url, authorization: "" };
          return Promise.resolve({ sidecar: url, preview: url, opencode });
        },
      };
      return gitRoutes(deps);
    },
  });
  if (!deps) throw new Error("The gateway was given no routes.");
  fanout = await startGitFanout(gateway, deps);
  const baseUrl = await gateway.app.listen({ host: "127.0.0.1", port: 0 });
  owner = createClient({ baseUrl, accessToken: gateway.owner.token });
  member = createClient({ baseUrl, accessToken: gateway.member.token });
  await putCredentials(
    secrets,
    { organization: gateway.owner.user.organizationId, vendor: "github" },
    { token, baseUrl: github.url },
  );
});
afterAll(async () => {
  await fanout.close();
  await gateway.close();
  await sidecar.close();
  await github.close();
  await outbound.close();
  await rm(folder, { recursive: true, force: true });
});

let round = 0;
beforeEach(async () => {
  // Each test has a repository of its own in the workspace, with one commit that is nobody's.
  round += 1;
  const name = `shop-${round}`;
  shop = path.join(sidecar.workspace, name);
  await mkdir(shop);
  await git(shop, "init", "-q", "-b", "main");
  await writeFile(path.join(shop, "README.md"), `round ${round}\n`);
  await git(shop, "add", ".");
  await git(shop, "commit", "-qm", "first");
  ({ sessionId } = await owner.call(createSession, {
    body: {
      title: "Git",
      repositories: [{ url: `${github.url}/acme/shop.git`, ref: "main", path: name }],
    },
  }));
});

const own = () => ({ params: { sessionId } });
const repo = () => path.basename(shop);
const branch = (name: string) =>
  owner.call(http.createGitBranch, { ...own(), body: { repo: repo(), name } });
const change = async (text: string): Promise<void> => {
  await writeFile(path.join(shop, "shop.ts"), text);
  await owner.call(http.stageGitChanges, { ...own(), body: { repo: repo() } });
};
const commit = (message: string) =>
  owner.call(http.commitGitChanges, { ...own(), body: { repo: repo(), message } });

it("a person's change becomes a commit of theirs, a pushed branch, and one pull request", async () => {
  await branch("fix/cart");
  await change("export const cart = [];\n");
  const query = { repo: repo() };
  expect(await owner.call(http.getGitStatus, { ...own(), query })).toMatchObject({
    branch: "fix/cart",
    files: [{ path: "shop.ts", index: "A" }],
  });
  const made = await commit("Add a cart\n\n# not a comment");
  const { name, email } = gateway.owner.user;
  expect(await git(shop, "log", "-1", "--format=%an <%ae>|%cn|%H|%B")).toBe(
    `${name} <${email}>|${name}|${made.commit}|Add a cart\n\n# not a comment\n\n`,
  );

  const body = { repo: repo(), title: "A cart", body: "For the shop" };
  const opened = await owner.call(http.openPullRequest, { ...own(), body });
  expect(opened).toMatchObject({
    branch: "fix/cart",
    commit: made.commit,
    base: "main",
    number: 1,
  });
  expect(github.pulls).toMatchObject([{ title: "A cart", head: "fix/cart", base: "main" }]);
  const bare = path.join(folder, "acme", "shop.git");
  expect((await git(bare, "rev-parse", "fix/cart")).trim()).toBe(made.commit);

  expect(await owner.call(http.openPullRequest, { ...own(), body })).toEqual(opened);
  expect(github.pulls).toHaveLength(1);
  const { state } = await loadAggregate(gateway.store, sessionAggregate, {
    organization: gateway.owner.user.organizationId,
    id: sessionId,
  });
  expect(state).toMatchObject({ pullRequests: [opened.url] });
});

it("a pushed credential stays nowhere in the sandbox, and goes nowhere but to its own host", async () => {
  await branch("fix/secret");
  await change("1\n");
  await commit("One");
  // Whatever the agent has configured: hooks, helpers, and another place in place of the remote.
  const spied = path.join(sidecar.folder, `spied-${round}`);
  const spy = path.join(shop, ".git", "spy");
  await writeFile(spy, `#!/bin/sh\nenv > ${spied}\n`, { mode: 0o755 });
  await mkdir(path.join(shop, ".git", "hooks"), { recursive: true });
  await writeFile(path.join(shop, ".git", "hooks", "pre-push"), await readFile(spy), {
    mode: 0o755,
  });
  await git(shop, "config", "credential.helper", spy);
  await git(shop, "config", "core.askPass", spy);
  await owner.call(http.pushGitBranch, { ...own(), body: { repo: repo() } });
  await expect(readFile(spied)).rejects.toMatchObject({ code: "ENOENT" });
  const kept = await run("grep", ["-rlE", `${token}|x-access-token`, sidecar.folder]).catch(
    (error: unknown) => error,
  );
  // grep ends with 1 when it has found nothing.
  expect(kept).toMatchObject({ code: 1, stdout: "" });

  const elsewhere = await startGithubServer(folder, token);
  try {
    await git(shop, "config", `url.${elsewhere.url}/.insteadOf`, `${github.url}/`);
    await expect(
      owner.call(http.pushGitBranch, { ...own(), body: { repo: repo() } }),
    ).rejects.toMatchObject({ code: "git_credentials_refused" });
  } finally {
    await elsewhere.close();
  }
});

describe("is refused with its reason", () => {
  it("without anything to commit, and a branch that is there", async () => {
    await expect(commit("Nothing")).rejects.toMatchObject({ code: "git_nothing_staged" });
    await expect(branch("main")).rejects.toMatchObject({ code: "git_branch_exists" });
    for (const name of ["-d", "a..b", "a b", "x.lock", "@{u}", "a/"]) {
      await expect(branch(name)).rejects.toMatchObject({ code: "request_invalid" });
    }
  });

  it("on a protected branch, and on none at all", async () => {
    const push = () => owner.call(http.pushGitBranch, { ...own(), body: { repo: repo() } });
    await expect(push()).rejects.toMatchObject({ code: "git_protected_branch" });
    await git(shop, "checkout", "-q", "--detach");
    await change("2\n");
    await expect(commit("Two")).rejects.toMatchObject({ code: "git_detached_head" });
    await expect(push()).rejects.toMatchObject({ code: "git_detached_head" });
  });

  it("while a merge is under way, and when the remote has gone on", async () => {
    await branch(`race-${round}`);
    await change("ours\n");
    await commit("Ours");
    const push = () => owner.call(http.pushGitBranch, { ...own(), body: { repo: repo() } });
    await push();
    await git(shop, "commit", "-q", "--amend", "-m", "Rewritten");
    await expect(push()).rejects.toMatchObject({ code: "git_push_rejected" });

    await git(shop, "checkout", "-q", "-b", "theirs", "HEAD~");
    await writeFile(path.join(shop, "shop.ts"), "theirs\n");
    await git(shop, "add", ".");
    await git(shop, "commit", "-qm", "Theirs");
    await expect(git(shop, "merge", `race-${round}`)).rejects.toBeDefined();
    await expect(commit("Half")).rejects.toMatchObject({ code: "git_busy" });
    expect(
      await owner.call(http.listGitBranches, { ...own(), query: { repo: repo() } }),
    ).toMatchObject({ current: "theirs", operation: "merge" });
  });

  it("to others than the session's own people, and outside of its repositories", async () => {
    await expect(
      member.call(http.stageGitChanges, { ...own(), body: { repo: repo() } }),
    ).rejects.toMatchObject({ code: "forbidden" });
    const query = { repo: "../elsewhere" };
    await expect(owner.call(http.getGitStatus, { ...own(), query })).rejects.toMatchObject({
      code: "path_outside_workspace",
    });
    await expect(
      owner.call(http.pushGitBranch, { ...own(), body: { repo: "other" } }),
    ).rejects.toMatchObject({ code: "git_remote_unknown" });
  });
});

it("does all of it on the live channel too, and a request that comes again is done once", async () => {
  const live = await fanout.connect(gateway.owner.user.id, sessionId);
  const asked = { repo: repo() };
  expect(
    await live.ask({ type: "git_create_branch", requestId: "b", ...asked, name: "fix/live" }),
  ).toMatchObject({ type: "git_result", operation: "git_create_branch", branch: "fix/live" });
  await writeFile(path.join(shop, "shop.ts"), "live\n");
  expect(await live.ask({ type: "get_git_status", requestId: "q", ...asked })).toMatchObject({
    type: "git_status",
    branch: "fix/live",
    files: [{ path: "shop.ts", index: "?" }],
  });
  expect(await live.ask({ type: "git_stage", requestId: "s", ...asked })).toMatchObject({
    type: "git_result",
    operation: "git_stage",
  });
  const commitFrame = { type: "git_commit", requestId: "c", ...asked, message: "Live" };
  const made = await live.ask(commitFrame);
  expect(made).toMatchObject({ type: "git_result", branch: "fix/live", pullRequest: null });
  // What is staged meanwhile is not committed by a repetition, whichever way and sidecar it comes to.
  await change("later\n");
  await sidecar.restart();
  const again = await fanout.connect(gateway.owner.user.id, sessionId);
  expect(await again.ask(commitFrame)).toEqual(made);
  const headers = { "idempotency-key": "c" };
  const body = { repo: repo(), message: "Live" };
  const { commit: hash } = await owner.call(http.commitGitChanges, { ...own(), headers, body });
  expect(made).toMatchObject({ commit: hash });
  expect((await git(shop, "rev-list", "--count", "HEAD")).trim()).toBe("2");
  expect(await again.ask({ ...commitFrame, message: "Other" })).toMatchObject({
    type: "refused",
    code: "idempotency_key_reused",
  });

  const opening = { type: "git_create_pr", requestId: "p", ...asked, title: "Live" };
  const opened = await again.ask(opening);
  expect(opened).toMatchObject({ commit: hash, pullRequest: { base: "main" } });
  expect(await again.ask(opening)).toEqual(opened);
  expect(await again.ask({ type: "git_push", requestId: "u", ...asked })).toMatchObject({
    type: "git_result",
    commit: hash,
  });
});

it("asks on the live channel who may change something, for each frame anew", async () => {
  const asked = { repo: repo() };
  const theirs = await fanout.connect(gateway.member.user.id, sessionId);
  const watching = await fanout.connect(gateway.owner.user.id, sessionId, "watch");
  const changes = [
    { type: "git_create_branch", name: "mine" },
    { type: "git_stage" },
    { type: "git_commit", message: "Mine" },
    { type: "git_push" },
    { type: "git_create_pr", title: "Mine" },
  ];
  for (const client of [theirs, watching]) {
    for (const frame of changes) {
      expect(
        await client.ask({ ...asked, ...frame, requestId: frame.type }),
        frame.type,
      ).toMatchObject({ type: "refused", requestId: frame.type, code: "forbidden" });
    }
    expect(await client.ask({ type: "get_git_status", requestId: "q", ...asked })).toMatchObject({
      type: "git_status",
      branch: "main",
    });
  }
  expect((await git(shop, "branch", "--list")).trim()).toBe("* main");
});

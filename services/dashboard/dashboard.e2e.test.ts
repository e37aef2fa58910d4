/** The built dashboard in a real browser, against the whole program and a real agent. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it, vi } from "vitest";
import { getInvocation, invokeAction } from "#contracts/http/actions";
import { getEnvironment } from "#contracts/http/environment";
import { getPolicy } from "#contracts/http/policy";
import { listPrompts } from "#contracts/http/prompts";
import { createConfiguration } from "#contracts/http/configurations";
import { createSession, getSession } from "#contracts/http/sessions";
import { newCommandMeta } from "#event-store/command-meta";
import { execute } from "#event-store/aggregates/execute";
import { deriveSandboxToken } from "#sandbox/token";
import { createClient } from "../client/client.ts";
import { createRepositoryFixture } from "../demo/repository-fixture.ts";
import { sessionAggregate } from "../sessions/aggregate/decider.ts";
import type { TestStack } from "../testing/test-stack.ts";
import { openDashboard } from "./testing/open-dashboard.ts";
import { keepScreenshot, signIn } from "./testing/sign-in.ts";

const testLimitMs = 240_000;

const opened = openDashboard();

const transcript = (page: Page) => page.getByRole("log", { name: "Transcript" });
const status = (page: Page, label: string) =>
  page.locator(".session-title").getByText(label, { exact: true });

it(
  "signs in by a link once, and keeps the token nowhere",
  async () => {
    const { stack, page, context, complaints } = opened();
    const link = `${stack.url}/#token=${stack.signInToken}`;
    await page.goto(link);
    await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    expect(page.url()).toBe(`${stack.url}/`);
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
    expect((await context.cookies()).map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual(
      [[true, "Strict"]],
    );
    expect(complaints).toEqual([]);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Proliferate" }).waitFor();
    await page.getByLabel("Sign-in token").fill(stack.signInToken);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This sign-in token does not work").waitFor();
  },
  testLimitMs,
);

it(
  "creates a session, streams its answer, and takes another prompt from the keyboard",
  async () => {
    const { stack, page } = opened();
    await signIn(stack, page);
    await page.getByRole("link", { name: "New session" }).click();
    await page.getByLabel("Title").fill("Say hello");
    await page.getByLabel("First prompt").fill("Please give me a greeting");
    await page.getByRole("button", { name: "Create session" }).click();

    await status(page, "Running").waitFor();
    await transcript(page).getByText("What shall we build today?").waitFor();
    await transcript(page).locator("[aria-busy=true]").waitFor({ state: "detached" });

    await page
      .getByRole("textbox", { name: "Prompt", exact: true })
      .fill("Run **parallel** commands");
    await page.keyboard.press("Control+Enter");
    await transcript(page).getByText("Both commands have ended.").waitFor();
    expect(await transcript(page).locator("strong").allTextContents()).toEqual(["parallel"]);

    const call = transcript(page).locator("details.tool").first();
    await call.locator("summary").click();
    await call.getByText("echo first", { exact: true }).last().waitFor();
  },
  testLimitMs,
);

it(
  "rewords what waits for the agent, and takes it back",
  async () => {
    const { stack, page } = opened();
    const { sessionId } = await stack.client.call(createSession, {
      body: { title: "Much to do", prompt: "Please hang" },
    });
    await signIn(stack, page);
    await page.getByRole("link", { name: /Much to do/ }).click();
    await status(page, "Running").waitFor();
    await page.getByRole("button", { name: "Cancel" }).waitFor();
    const waiting = page.getByRole("article", { name: "You, waiting" });
    for (const text of ["Then write tests", "And a poem"]) {
      await page.getByRole("textbox", { name: "Prompt", exact: true }).fill(text);
      await page.keyboard.press("Control+Enter");
      await waiting.getByText(text).waitFor();
    }
    const first = waiting.filter({ hasText: "Then write tests" });
    await first.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Waiting prompt" }).fill("Then write *good* tests");
    await page.getByRole("button", { name: "Save" }).click();
    await waiting.getByText("Then write good tests").waitFor();
    const second = waiting.filter({ hasText: "And a poem" });
    await second.getByRole("button", { name: "Take back" }).click();
    await second.waitFor({ state: "detached" });
    const { prompts } = await stack.client.call(listPrompts, { params: { sessionId } });
    expect(prompts.map(({ text, status }) => [text, status])).toEqual([
      ["Please hang", "started"],
      ["Then write *good* tests", "queued"],
      ["And a poem", "cancelling"],
    ]);
  },
  testLimitMs,
);

it(
  "tries the services of a session, and shows what they print",
  async () => {
    const { stack, page } = opened();
    const serviceCommands = [{ name: "web", command: "echo serving; exec sleep 1000" }];
    const { configurationId } = await stack.client.call(createConfiguration, {
      body: { name: "Shop", serviceCommands },
    });
    await stack.client.call(createSession, { body: { title: "Try it", configurationId } });
    await signIn(stack, page);
    await page.getByRole("link", { name: /Try it/ }).click();
    await status(page, "Running").waitFor();
    const services = page.getByRole("region", { name: "Services" });
    await services.getByRole("button", { name: "Try the services" }).click();
    await services.locator("summary").getByText("web", { exact: true }).click();
    await services.getByText("serving", { exact: true }).waitFor();
    await services.locator("summary").getByText("Running", { exact: true }).waitFor();
  },
  testLimitMs,
);

it(
  "takes the values that an agent asks for, and shows them nowhere",
  async () => {
    const { stack, page } = opened();
    const { sessionId } = await stack.client.call(createSession, { body: { title: "In need" } });
    await signIn(stack, page);
    await page.getByRole("link", { name: /In need/ }).click();
    await execute(
      stack.program.platform.store,
      sessionAggregate,
      { organization: stack.organization, id: sessionId },
      {
        type: "RequestEnvVariables",
        requestId: "one",
        keys: [
          { key: "API_TOKEN", type: "secret", required: true, description: "Of the test account" },
          { key: "DEBUG", type: "env", required: false },
        ],
      },
      newCommandMeta({ actor: { kind: "sandbox", id: sessionId, via: "http" } }),
    );
    const form = page.getByRole("form", { name: "Values for the agent" });
    await form.getByText("Of the test account").waitFor();
    await form.getByLabel("API_TOKEN").fill("t0p-s3cret");
    expect(await form.getByLabel("API_TOKEN").getAttribute("type")).toBe("password");
    await form.getByRole("button", { name: "Give to the agent" }).click();
    await form.waitFor({ state: "detached" });
    const params = { sessionId };
    expect(await stack.client.call(getEnvironment, { params })).toEqual({
      names: ["API_TOKEN"],
      requests: [],
    });
    expect(await page.content()).not.toContain("t0p-s3cret");
  },
  testLimitMs,
);

it(
  "shows what an agent asks for, lets it run, and pauses and resumes without losing a word",
  async () => {
    const { stack, page, complaints } = opened();
    const url = await createRepositoryFixture(join(stack.dataDir, "fixture"));
    const { sessionId } = await stack.client.call(createSession, {
      body: { title: "Repair the sum", repository: { url }, prompt: "Fix the failing test" },
    });
    await signIn(stack, page);
    const before = complaints.length;
    await page.getByRole("link", { name: /Repair the sum/ }).click();

    const card = page.getByRole("article", { name: /demo \/ publish_release/ });
    await card.getByRole("button", { name: "Approve once" }).waitFor();
    expect(await card.getByLabel("Parameters").textContent()).toContain('"version": "1.0.0"');

    // The inbox of the organisation has it, too, and leads back.
    await page.getByRole("link", { name: /^Approvals/ }).click();
    await card.getByRole("link", { name: "Open the session" }).click();
    await card.getByRole("button", { name: "Approve once" }).click();
    await card.waitFor({ state: "detached" });
    await transcript(page).getByText("I asked for the release").waitFor();
    await page.getByLabel("Details").getByText("Done", { exact: true }).waitFor();

    const edit = transcript(page)
      .locator("details.tool")
      .filter({ has: page.getByText("edit", { exact: true }) });
    await edit.locator("summary").click();
    expect(await edit.getByLabel("Diff").getByRole("deletion").textContent()).toMatch(/a - b/);
    expect(await edit.getByLabel("Diff").getByRole("insertion").textContent()).toMatch(/a \+ b/);
    await edit.getByLabel("Diff").scrollIntoViewIfNeeded();
    await keepScreenshot(page, "edit");
    const files = transcript(page).locator("details.tool").filter({ hasText: "1 file changed" });
    await files.locator("summary").click();
    await files.getByRole("listitem").filter({ hasText: "sum.mjs" }).waitFor();
    const progress = page.locator("summary").filter({ hasText: "1 of 2 done" });
    await progress.click();
    const todos = page.getByRole("list", { name: "What the agent is about to do" });
    expect(await todos.getByRole("listitem").allTextContents()).toEqual([
      "Repair the sumDone",
      "Publish the releaseDoing",
    ]);
    await keepScreenshot(page, "what-the-agent-did");

    // Pausing stops an answer that is not whole yet.
    await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Pause" }).click();
    await status(page, "Paused").waitFor();
    const read = () => stack.client.call(getSession, { params: { sessionId } });
    await vi.waitUntil(async () => (await read()).status === "paused", { timeout: 30_000 });
    await page.reload();
    await transcript(page).getByText("I asked for the release").waitFor();
    await status(page, "Paused").waitFor();
    await files.waitFor();
    await progress.waitFor();
    // Looking at a paused session does not bring it back.
    expect(await read()).toMatchObject({ status: "paused" });

    await page.getByRole("button", { name: "Resume" }).click();
    await status(page, "Running").waitFor();
    await transcript(page).getByText("I asked for the release").waitFor();

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the session" }).click();
    await page.getByText("This session was stopped.").waitFor();
    expect(page.url()).toBe(`${stack.url}/sessions/${sessionId}`);
    expect(complaints.slice(before)).toEqual([]);
  },
  testLimitMs,
);

it(
  "adds a rule, tries it out, decides by it with a reason or other parameters, and takes it back",
  async () => {
    const { stack, page, complaints } = opened();
    await signIn(stack, page);
    const before = complaints.length;
    await page.getByRole("link", { name: "Policy" }).click();
    await page.getByRole("heading", { name: "No rules yet" }).waitFor();
    const form = page.getByRole("form", { name: "Add a rule" });
    await form.getByLabel("Integration").fill("demo");
    await form.getByLabel("Action").fill("publish_release");
    await form.getByRole("button", { name: "Add a condition" }).click();
    await form.getByLabel("Parameter", { exact: true }).fill("version");
    await form.getByLabel("Pattern").fill("7.*");
    await form.getByLabel("Why it is there").fill("Sevens are special");
    await form.getByRole("button", { name: "Add rule" }).click();
    const rule = page.getByRole("article", { name: "demo / publish_release" });
    await rule.getByText("if version is like “7.*”").waitFor();

    const trial = page.getByRole("form", { name: "Try it out" });
    await trial.getByLabel("Integration").fill("demo");
    await trial.getByLabel("Action").fill("publish_release");
    await trial.getByLabel("Parameters").fill('{ "version": "7.1.0" }');
    await trial.getByRole("button", { name: "What would happen?" }).click();
    await trial.getByText("A rule of the organisation decides.").waitFor();
    const fullResults = page.getByRole("region", { name: "Full results" });
    await fullResults.getByRole("button", { name: "Keep them", exact: true }).click();
    await fullResults.getByRole("button", { name: "Stop keeping them" }).waitFor();
    expect(await stack.client.call(getPolicy)).toMatchObject({ keepsFullResults: true });
    const unused = page.getByRole("region", { name: "Unused sessions" });
    await unused.getByLabel("Delete them").selectOption({ label: "After some days" });
    await unused.getByLabel("Days without use").fill("14");
    await unused.getByRole("button", { name: "Save" }).click();
    await unused.getByText("after 14 days without use").waitFor();
    await keepScreenshot(page, "policy");

    const ask = await openAsking(stack);
    const [edited, denied] = [await ask("7.1.0"), await ask("7.2.0")];
    await page.getByRole("link", { name: /^Approvals/ }).click();
    const card = (version: string) => page.getByRole("article").filter({ hasText: version });
    await card("7.1.0")
      .getByText(/^A rule of the policy \(rul_/)
      .waitFor();
    await card("7.1.0").getByRole("button", { name: "Edit" }).click();
    await card("7.1.0").getByLabel("Edited parameters").fill('{ "version": "7.1.1" }');
    await card("7.2.0").getByRole("button", { name: "Deny" }).click();
    await card("7.2.0").getByLabel("Reason").fill("Not on a Friday");
    await keepScreenshot(page, "approvals");
    await card("7.1.0").getByRole("button", { name: "Approve as edited" }).click();
    await card("7.1.0").waitFor({ state: "detached" });
    await card("7.2.0").getByRole("button", { name: "Deny the action" }).click();
    await card("7.2.0").waitFor({ state: "detached" });
    await vi.waitFor(
      async () => {
        expect(await edited()).toMatchObject({
          status: "completed",
          editedParams: { version: "7.1.1" },
        });
        expect(await denied()).toMatchObject({ status: "denied", reason: "Not on a Friday" });
      },
      { timeout: 30_000 },
    );

    await page.getByRole("link", { name: "Policy" }).click();
    await rule.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("button", { name: "Remove the rule" }).click();
    await page.getByRole("heading", { name: "No rules yet" }).waitFor();
    expect(complaints.slice(before)).toEqual([]);
  },
  testLimitMs,
);

/** Asks for releases as the agent of a session that has nothing else to do; answers how each stands. */
const openAsking = async ({ client, url, program, organization }: TestStack) => {
  const { sessionId } = await client.call(createSession, { body: { title: "Sevens" } });
  const accessToken = deriveSandboxToken({
    secret: program.platform.keys.sandboxTokens,
    sessionId,
    organizationId: organization,
  });
  const agent = createClient({ baseUrl: url, accessToken });
  return async (version: string) => {
    const { invocation } = await agent.call(invokeAction, {
      params: { sessionId },
      body: { integration: "demo", action: "publish_release", params: { version } },
    });
    const params = { sessionId, invocationId: invocation.id };
    return () => client.call(getInvocation, { params });
  };
};

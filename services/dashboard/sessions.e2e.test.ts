/** What a person sets up around a session, in a real browser against the whole program. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createConnector } from "#contracts/http/connectors";
import { createSession, getSession } from "#contracts/http/sessions";
import { idSchema } from "#contracts/ids";
import { answerWith, startScriptedMcpServer } from "../integrations/testing/scripted-mcp-server.ts";
import { openDashboard } from "./testing/open-dashboard.ts";
import { keepScreenshot, signIn } from "./testing/sign-in.ts";

const testLimitMs = 240_000;

// A fenced sandbox would not see the Node that the editor's stand-in runs on.
const opened = openDashboard({
  SANDBOX_ISOLATION: "none",
  OUTBOUND_ALLOWED_NETWORKS: "127.0.0.1/32",
});

it(
  "opens a session with some connections, chosen by keyboard on a narrow screen, and names what is left out",
  async () => {
    const { stack, page, complaints } = opened();
    // Each is tried when it is added; afterwards both are gone.
    const server = await startScriptedMcpServer({ "tools/list": answerWith({ tools: [] }) });
    try {
      for (const connector of ["gone", "unwanted"]) {
        const settings = { kind: "mcp", url: server.url } as const;
        const body = { connector, name: `The ${connector} one`, settings };
        await stack.client.call(createConnector, { body });
      }
    } finally {
      await server.close();
    }
    await signIn(stack, page);
    const before = complaints.length;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("link", { name: "New session" }).click();
    await page.getByLabel("Title").fill("With some");
    const choice = page.getByRole("group", { name: "Connections", exact: true });
    await choice.getByRole("radio", { name: /^All/, checked: true }).focus();
    await page.keyboard.press("ArrowDown");
    await choice.getByText("None is chosen").waitFor();
    for (const name of ["The gone one", "Demo releases"]) {
      await choice.getByRole("checkbox", { name }).focus();
      await page.keyboard.press("Space");
      await choice.getByRole("checkbox", { name, checked: true }).waitFor();
    }
    await choice.getByText("Each is tried first.").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await keepScreenshot(page, "new-session-narrow");
    await page.setViewportSize({ width: 1280, height: 900 });
    await keepScreenshot(page, "new-session");

    await page.getByRole("button", { name: "Create session" }).press("Enter");
    await page.getByText(/^The agent works without gone: /).waitFor();
    await keepScreenshot(page, "session-left-out");
    const sessionId = idSchema("session").parse(page.url().split("/").at(-1));
    expect(await stack.client.call(getSession, { params: { sessionId } })).toMatchObject({
      connections: ["demo"],
      excludedConnections: [{ connection: "gone" }],
    });
    expect(complaints.slice(before)).toEqual([]);
  },
  testLimitMs,
);

/** As much of code-server as it takes: it listens where it is told to and answers with a page. */
const editorStandIn = (node: string): string => `#!${node}
const socket = process.argv[process.argv.indexOf("--socket") + 1];
require("node:http")
  .createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<title>Editor</title><h1>The workspace</h1>");
  })
  .listen(socket);
`;

it(
  "opens the editor of a session's sandbox, and says so where there is none",
  async () => {
    const { stack, page } = opened();
    const { sessionId } = await stack.client.call(createSession, { body: { title: "Edited" } });
    await signIn(stack, page);
    await page.getByRole("link", { name: /Edited/ }).click();
    await page.locator(".session-title").getByText("Running", { exact: true }).waitFor();
    const button = page.getByRole("button", { name: "VS Code" });
    await button.click();
    await page.getByRole("alert").getByText("There is no VS Code in this sandbox").waitFor();
    await keepScreenshot(page, "editor-missing");

    const program = join(stack.dataDir, "sandboxes", sessionId, "home/.local/bin/code-server");
    await writeFile(program, editorStandIn(process.execPath), { mode: 0o755 });
    await button.press("Enter");
    const link = page.getByRole("link", { name: "Open it in a new tab" });
    await link.and(page.locator(":focus")).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await keepScreenshot(page, "editor-ready-narrow");
    await page.setViewportSize({ width: 1280, height: 900 });
    await keepScreenshot(page, "editor-ready");
    const [editor] = await Promise.all([
      page.context().waitForEvent("page"),
      page.keyboard.press("Enter"),
    ]);
    await editor.getByRole("heading", { name: "The workspace" }).waitFor();
    expect(new URL(editor.url()).origin).not.toBe(stack.url);
    expect(await editor.evaluate(() => window.opener === null)).toBe(true);
    await editor.close();
  },
  testLimitMs,
);

/** A real VS Code server in a real sandbox, in a real browser. It has to be on `PATH`; no image here brings it. */
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProxy } from "#contracts/http/proxies";
import { createSession } from "#contracts/http/sessions";
import { findEditor } from "#sandbox/agent/editor/editor-programs";
import { openBrowser, type OpenBrowser } from "../dashboard/testing/open-browser.ts";
import { startTestStack, type TestStack } from "../testing/test-stack.ts";

const nowhere = { socketPath: "/", workspace: "/", dataFolder: "/" };
const [editor = null] = (await findEditor(process.env["PATH"] ?? "", nowhere)) ?? [];
if (editor === null) {
  process.stderr.write("VS Code is not tested: no openvscode-server and no code-server on PATH.\n");
}

describe.skipIf(editor === null)("VS Code in a session's sandbox", () => {
  let stack: TestStack;
  let browser: OpenBrowser;
  beforeAll(async () => {
    // A fenced sandbox would not see an editor that lies anywhere.
    stack = await startTestStack({ SANDBOX_ISOLATION: "none" });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  it("shows the workspace's files, and nothing of the gateway's lies beside it", async () => {
    const { client, dataDir } = stack;
    const { page } = browser;
    const { sessionId } = await client.call(createSession, { body: { title: "Edited" } });
    const { path, origin } = await client.call(openProxy, {
      params: { sessionId },
      body: { target: "vscode", access: "write" },
    });
    const answers = (status: number) =>
      expect
        .poll(async () => (await page.goto(`${origin}${path}`))?.status(), {
          timeout: 120_000,
          interval: 1_000,
        })
        .toBe(status);
    // The sidecar answers once the agent can work, and finds no editor in its own folders.
    await answers(501);
    const sandbox = join(dataDir, "sandboxes", sessionId);
    await writeFile(join(sandbox, "workspace/hello.txt"), "hello from the sandbox\n");
    const command = `#!/bin/sh\nexec "${editor}" "$@"\n`;
    const name = basename(editor ?? "");
    await writeFile(join(sandbox, "home/.local/bin", name), command, { mode: 0o755 });
    await answers(200);
    const file = page.locator(".explorer-folders-view").getByText("hello.txt");
    await file.dblclick();
    await page.locator(".view-lines").getByText("hello from the sandbox").waitFor();
    const outside = await page.evaluate(async () => (await fetch("/v1/me")).status);
    expect(outside).toBe(404);
  }, 400_000);
});

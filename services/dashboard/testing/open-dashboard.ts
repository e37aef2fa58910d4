import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { runningStack } from "../../running.ts";
import { type TestStack, startTestStack } from "../../testing/test-stack.ts";
import { type OpenBrowser, openBrowser } from "./open-browser.ts";

export interface OpenDashboard extends OpenBrowser {
  readonly stack: TestStack;
}

const limitMs = 240_000;

/**
 * For all tests of a file: the whole program with these settings, which serves the dashboard that `npm test` has
 * built, and a browser to look at it. What is on the page when a test fails is printed.
 */
export const openDashboard = (
  settings: Readonly<Record<string, string>> = {},
): (() => OpenDashboard) => {
  const started = runningStack();
  let opened: OpenDashboard | undefined;
  beforeAll(async () => {
    const stack = await startTestStack(settings);
    started.add({ stop: () => stack.close() });
    const browser = await openBrowser();
    started.add({ stop: () => browser.close() });
    opened = { stack, ...browser };
  }, limitMs);
  afterEach(async ({ task }) => {
    if (opened && task.result?.state === "fail") process.stderr.write(await describe(opened));
  });
  afterAll(() => started.stop(), limitMs);
  return () => {
    if (!opened) throw new Error("The program and the browser did not start.");
    return opened;
  };
};

const describe = async ({ page, complaints }: OpenBrowser): Promise<string> =>
  [`${page.url()} shows:`, await textOf(page), "and complained:", ...complaints, ""].join("\n");

const textOf = async (page: Page): Promise<string> => {
  const shown = await page.locator("body").ariaSnapshot({ timeout: 5_000 });
  return shown === "" ? "(nothing)" : shown;
};

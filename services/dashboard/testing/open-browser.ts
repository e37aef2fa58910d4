import { type BrowserContext, type Page, chromium } from "playwright-core";
import { findChromium } from "#infra/chromium/find-chromium";

export interface OpenBrowser {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What pages complained about on their consoles, violations of the content security policy among it. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** How long anything on a page may take on a slow machine: a sandbox boots and an agent answers meanwhile. */
const patienceMs = 90_000;

/** Opens a real Chromium without a window and with an empty profile. */
export const openBrowser = async (): Promise<OpenBrowser> => {
  const browser = await chromium.launch({
    executablePath: await findChromium({ env: process.env }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { context, page, complaints, close: () => browser.close() };
};

import { findBubblewrap } from "../bubblewrap/find-bubblewrap.ts";
import { findCaddy } from "../caddy/find-caddy.ts";
import { findChromium } from "../chromium/find-chromium.ts";
import { findNatsServer } from "../nats/find-nats-server.ts";

/**
 * Fetches what the tests need beside the packages, before they start and with progress on stderr.
 * Without `nats-server` there is nothing to test on; without a browser only its tests fail, and without
 * Caddy and bubblewrap those of the preview and of fenced sandboxes are skipped.
 */
const onProgress = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

try {
  await findNatsServer({ env: process.env, onProgress });
} catch (error) {
  onProgress(messageOf(error));
  process.exitCode = 1;
}
if (process.exitCode === undefined) {
  try {
    await findChromium({ env: process.env, onProgress });
  } catch (error) {
    onProgress(`The browser tests cannot run. ${messageOf(error)}`);
  }
  try {
    await findCaddy({ env: process.env, onProgress });
  } catch (error) {
    onProgress(`The preview is not tested. ${messageOf(error)}`);
  }
  try {
    await findBubblewrap({ env: process.env, onProgress });
  } catch (error) {
    onProgress(`Fenced sandboxes are not tested. ${messageOf(error)}`);
  }
}

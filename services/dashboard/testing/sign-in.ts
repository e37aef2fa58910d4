import { join } from "node:path";
import type { Page } from "playwright-core";
import type { TestStack } from "../../testing/test-stack.ts";

/** Signs in as the stack's owner, with a token of its own: they work once. */
export const signIn = async (
  { url, program, organization }: TestStack,
  page: Page,
): Promise<void> => {
  const identity = program.gateway?.identity;
  if (!identity) throw new Error("A test stack runs the gateway.");
  const owner = await identity.ensureFirstOwner();
  if (owner.organizationId !== organization) throw new Error("The owner is of another stack.");
  await page.goto("about:blank");
  await page.goto(`${url}/#token=${await identity.issueSignInToken(owner.id)}`);
  await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
};

/** For people who want to look, where `SCREENSHOTS` names a folder: by day and by night. */
export const keepScreenshot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env["SCREENSHOTS"];
  if (!folder) return;
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({
      path: join(folder, `${name}-${colorScheme}.png`),
      fullPage: true,
      animations: "disabled",
    });
  }
};

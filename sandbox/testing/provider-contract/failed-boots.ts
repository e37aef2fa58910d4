/** A boot that does not come to its end leaves nothing behind, and tells no secret. */
import { expect, test } from "vitest";
import { SandboxProviderError } from "../../provider/error.ts";
import { token, type Suite } from "./suite.ts";

export const describeFailedBoots = ({
  type,
  harness,
  provider,
  newRef,
  spec,
  boot,
}: Suite): void => {
  test("leaves nothing when a boot is called off", async () => {
    const ref = newRef();
    const calledOff = new AbortController();
    const failing = provider().ensureSandbox({
      ...ref,
      spec: spec(),
      signal: calledOff.signal,
      onStage: ({ stage }) => {
        if (stage === "agent_files") calledOff.abort();
      },
    });
    await expect(failing).rejects.toMatchObject({
      code: "sandbox_boot_failed",
      fields: { stage: "ready", provider: type, operation: "ensureSandbox" },
    });
    expect((await provider().health(ref)).state).toBe("gone");
    expect(await harness().leftovers(ref)).toEqual([]);
  });

  test("tells no secret when a clone fails", async () => {
    const ref = newRef();
    const url = "http://ann:pa55w0rd@127.0.0.1:1/x.git";
    const credential = { username: "ann", password: "clone-t0ken-of-ann" };
    const error: unknown = await boot(ref, {
      repositories: [{ url, ref: "HEAD", path: ".", credential }],
    }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SandboxProviderError);
    expect(error).toMatchObject({ code: "sandbox_boot_failed", fields: { stage: "clone" } });
    const told = textOf(error);
    const encoded = Buffer.from(`ann:${credential.password}`).toString("base64");
    for (const secret of ["pa55w0rd", credential.password, encoded, token]) {
      expect(told).not.toContain(secret);
    }
    expect(await harness().leftovers(ref)).toEqual([]);
  });
};

/** All that anybody could read of an error. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const own = JSON.stringify(Object.fromEntries(Object.entries(error)));
  return [error.message, error.stack, own, error.cause ? textOf(error.cause) : ""].join("\n");
};

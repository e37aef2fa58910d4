/** A sandbox without an agent: somebody's own terminal in the project. */
import { expect, test } from "vitest";
import { agentStatus, must, refOf, token, type Suite } from "./suite.ts";

/** Asks the sidecar from inside, where every provider's is reached alike. */
const askSidecar = `
port=$(node -p 'require(process.env.HOME + "/.proliferate/sidecar.json").port')
PROLIFERATE_SIDECAR_URL="http://127.0.0.1:$port" PROLIFERATE_SANDBOX_TOKEN="${token}" \\
  "$HOME/.local/bin/proliferate" services list --json`;

export const describeTerminal = ({
  can,
  harness,
  provider,
  newRef,
  spec,
  boot,
  shell,
}: Suite): void => {
  test.runIf(can.terminalSandbox)("has a workspace and a sidecar without an agent", async () => {
    const { ref: former } = await boot();
    await shell(former, "echo old > old.txt");
    const { model: _, instructions: __, ...wanted } = spec();
    const stages: string[] = [];
    const sandbox = await must(provider().createTerminalSandbox)({
      ...former,
      spec: wanted,
      onStage: ({ stage }) => stages.push(stage),
    });
    expect(sandbox).toMatchObject({ sessionId: former.sessionId, origin: "created", warnings: [] });
    expect(stages).toEqual(["folder", "clone", "agent_files", "launch"]);
    const ref = refOf(sandbox);
    expect(await provider().health(ref)).toMatchObject({ state: "running", agent: "ended" });
    expect(await shell(ref, "cat README.md; ls")).toBe("on feature\nREADME.md");
    expect(JSON.parse(await shell(ref, askSidecar))).toHaveProperty("services");

    // The same place, for an agent.
    await shell(ref, "echo mine > mine.txt");
    const { sandbox: withAgent, ref: agents } = await boot(ref);
    expect(withAgent.warnings).toEqual([]);
    expect(await agentStatus(withAgent)).toBe(200);
    expect(await shell(agents, "cat mine.txt")).toBe("mine");
    await provider().terminate(agents);
    expect(await harness().leftovers(agents)).toEqual([]);
  });

  test.runIf(can.terminalSandbox)("leaves nothing when it cannot be filled", async () => {
    const ref = newRef();
    const {
      model: _,
      instructions: __,
      ...wanted
    } = spec({
      repositories: [{ url: "http://127.0.0.1:1/none.git", ref: "HEAD", path: "." }],
    });
    await expect(
      must(provider().createTerminalSandbox)({ ...ref, spec: wanted }),
    ).rejects.toMatchObject({ code: "sandbox_boot_failed", fields: { stage: "clone" } });
    expect((await provider().health(ref)).state).toBe("gone");
    expect(await harness().leftovers(ref)).toEqual([]);
  });
};

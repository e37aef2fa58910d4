/** A sandbox's files, through its daemon. */
import { randomUUID } from "node:crypto";
import { FileNotFoundError, type Sandbox } from "e2b";
import { DomainError } from "#contracts/errors";
import type { Exec, SandboxFiles } from "../../provider/exec.ts";
import { callE2b } from "./errors.ts";

/** The daemon writes in place and with permissions of its own, so a draft takes the file's place at once. */
const placeScript = 'chmod "$1" "$2" && mv -f -- "$2" "$3"';

export const filesIn = (sandbox: Sandbox, exec: Exec): SandboxFiles => ({
  read: (path) =>
    callE2b("repeat", async () => {
      try {
        return await sandbox.files.read(path, { format: "bytes" });
      } catch (error) {
        if (error instanceof FileNotFoundError) return null;
        throw error;
      }
    }),
  write: async (path, content, { mode = 0o644 } = {}) => {
    const draft = `${path}.${randomUUID()}.draft`;
    const data = new Blob([content as Uint8Array<ArrayBuffer>]);
    await callE2b("repeat", () => sandbox.files.write(draft, data));
    const words = [mode.toString(8), draft, path];
    const placed = await exec(["sh", "-c", placeScript, "sh", ...words], { cwd: "/" });
    if (placed.exitCode !== 0) {
      throw new DomainError(
        "sandbox_unavailable",
        `Cannot write ${path} in the sandbox: ${placed.stderr.trim()}`,
      );
    }
  },
  exists: (path) => callE2b("repeat", () => sandbox.files.exists(path)),
});

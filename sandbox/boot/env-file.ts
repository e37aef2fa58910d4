/** The values that `proliferate env apply` takes before those of the environment. */
import type { SandboxFiles } from "../provider/exec.ts";
import { envFilePath } from "./agent-files.ts";
import type { Machine } from "./machine.ts";

export const writeEnvValues = (
  machine: Pick<Machine, "home"> & { readonly files: Pick<SandboxFiles, "write"> },
  values: Readonly<Record<string, string>>,
): Promise<void> =>
  machine.files.write(envFilePath(machine), `${JSON.stringify(values)}\n`, { mode: 0o600 });
